import type { Knex } from 'knex'
import type { Job } from '../../kernel/job.ts'
import { ImportModel } from './imports.model.ts'
import type { ImportJob } from './imports.schema.ts'

/**
 * An import as every answer shows it.
 * @param job what its job has of it; unless stated what was read with the row
 */
export function importView(row: ImportModel, job: Job = jobOf(row)): ImportJob {
  const ended = job.status !== 'pending'
  return {
    ...job,
    name: row.name,
    parent: row.parent,
    data: dataOf(row),
    progress: progressOf(row, job.status),
    initError: row.initError,
    warnings: row.warnings,
    unusedColumns: row.unusedColumns,
    finishedAt: ended ? row.finishedAt ?? job.updatedAt : null,
  }
}

function jobOf(row: ImportModel): Job {
  return {
    id: row.job,
    type: 'import',
    status: row.jobStatus,
    total: row.jobTotal,
    completed: row.jobCompleted,
    failed: row.jobFailed,
    result: row.jobResult,
    errors: row.jobErrors,
    createdAt: row.createdAt,
    updatedAt: row.jobUpdatedAt,
  }
}

function dataOf({ dialect, fileName, ...row }: ImportModel): ImportJob['data'] {
  return {
    applicationId: row.application,
    entityName: row.entityName,
    source: row.source,
    mapperId: row.mapper,
    network: row.network,
    onDuplicate: row.onDuplicate,
    dryRun: row.dryRun,
    atomic: row.atomic,
    format: row.format,
    ...(fileName !== null && { fileName }),
    ...(dialect !== null && { dialect: dialectOf(dialect) }),
  }
}

function dialectOf({ encoding, bom, delimiter, columns, sheet }: NonNullable<ImportModel['dialect']>) {
  return { encoding, bom, ...(delimiter !== undefined && { delimiter }), ...(columns !== undefined && { columns }), ...(sheet !== undefined && { sheet }) }
}

/** A slice is stored as a whole, so it is done or it is not. */
function progressOf({ name, bytes, bytesDone }: ImportModel, status: Job['status']): number {
  if (status === 'completed') return 1
  if (name === 'entity') return status === 'failed' ? 1 : 0
  return bytes > 0 ? Math.min(1, bytesDone / bytes) : 0
}

/** The import or slice of this organization, with its job; undefined for any other id. */
export async function findImport(db: Knex, id: string, organization: string): Promise<ImportModel | undefined> {
  return ImportModel.query(db).modify('ofOrganization', organization).modify('withJob').findOne('imports.job', id)
}

/** What the status route answers of an import of this organization, or undefined. */
export async function readImport(db: Knex, id: string, organization: string): Promise<ImportJob | undefined> {
  const row = await findImport(db, id, organization)
  return row && importView(row)
}

/** The same of several at once, by id. */
export async function readImports(
  db: Knex, ids: readonly string[], organization: string,
): Promise<Map<string, ImportJob>> {
  const rows = await ImportModel.query(db).modify('ofOrganization', organization).modify('withJob')
    .whereIn('imports.job', [...ids])
  return new Map(rows.map((row) => [row.job, importView(row)]))
}
