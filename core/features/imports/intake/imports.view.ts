import type { Knex } from 'knex'
import type { Job } from '../../../kernel/job.ts'
import { ImportModel } from './imports.model.ts'
import type { ImportJob } from '../records/index.ts'

/** Presents an import as every answer shows it. @param job the import's job; by default what was read with the row */
export function presentImport(row: ImportModel, job: Job = toJob(row)): ImportJob {
  const ended = job.status !== 'pending'
  return {
    ...job,
    name: row.name,
    parent: row.parent,
    data: toImportData(row),
    progress: getProgress(row, job.status),
    initError: row.initError,
    warnings: row.warnings,
    unusedColumns: row.unusedColumns,
    finishedAt: ended ? (row.finishedAt ?? job.updatedAt) : null,
  }
}

function toJob(row: ImportModel): Job {
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

function toImportData({ dialect, fileName, ...row }: ImportModel): ImportJob['data'] {
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
    ...(dialect !== null && { dialect: presentDialect(dialect) }),
  }
}

function presentDialect({ encoding, bom, delimiter, columns, sheet }: NonNullable<ImportModel['dialect']>) {
  return {
    encoding,
    bom,
    ...(delimiter !== undefined && { delimiter }),
    ...(columns !== undefined && { columns }),
    ...(sheet !== undefined && { sheet }),
  }
}

/** Returns the progress from 0 to 1. A slice is stored as a whole, so its progress is 0 or 1. */
function getProgress({ name, bytes, bytesDone }: ImportModel, status: Job['status']): number {
  if (status === 'completed') return 1
  if (name === 'entity') return status === 'failed' ? 1 : 0
  return bytes > 0 ? Math.min(1, bytesDone / bytes) : 0
}

/** Finds an import or a slice of this organization, with its job; undefined for any other id. */
export async function findImport(db: Knex, id: string, organization: string): Promise<ImportModel | undefined> {
  return ImportModel.query(db).modify('ofOrganization', organization).modify('withJob').findOne('imports.job', id)
}

/** Finds an import of this organization as the status route answers it; undefined for any other id. */
export async function findImportView(db: Knex, id: string, organization: string): Promise<ImportJob | undefined> {
  const row = await findImport(db, id, organization)
  return row && presentImport(row)
}

/** Creates the query of the jobs of an organization's imports. */
export const queryImportJobs = (db: Knex, organization: string): Knex.QueryBuilder =>
  ImportModel.query(db).where({ organization }).select('job').toKnexQuery()
