import type { Knex } from 'knex'
import { newId } from '../../../../core/database/model.ts'
import type { ImportJob } from '../../../../core/features/imports/index.ts'
import type { Job } from '../../../../core/kernel/job.ts'

/** Whose imports they are. */
export interface ImportOwner {
  organization: string
  application: string
}

type ImportData = ImportJob['data']

/** An import to write: an upload of CSV that has ended and in which there was nothing, unless its members say otherwise. */
export interface NewImportRow extends Partial<Pick<Job, 'status' | 'total' | 'completed' | 'failed'>> {
  result?: Record<string, unknown>
  errors?: Job['errors']
  /** When it began; it ended at once. */
  createdAt?: Date
  /** The import that it is a slice of, with the lines of its first and last row. */
  sliceOf?: { parent: string; lines?: { first: number; last: number } }
  source?: ImportData['source']
  mapper?: string
  /** Whether it fetches the address of its mapper. */
  isMapperRun?: boolean
  network?: string
  fileName?: string
  /** Null until the file was fetched. */
  format?: ImportData['format']
  dialect?: NonNullable<ImportData['dialect']>
  onDuplicate?: ImportData['onDuplicate']
  isDryRun?: boolean
  created?: number
  updated?: number
  skipped?: number
  /** The size of the file, and how much of it was stored. */
  bytes?: number
  doneBytes?: number
  initError?: NonNullable<ImportJob['initError']>
  warnings?: ImportJob['warnings']
}

const toJson = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value))

/** Inserts an import that no worker touches, also a pending one. @returns its id */
export async function insertImport(
  db: Knex,
  { organization, application }: ImportOwner,
  row: NewImportRow = {},
): Promise<string> {
  const id = newId()
  const { createdAt = new Date(), status = 'completed', sliceOf } = row
  const common = { organization, application, created_at: createdAt }
  await db('jobs').insert({
    ...common,
    id,
    type: 'import',
    status,
    total: row.total ?? 0,
    completed: row.completed,
    failed: row.failed,
    result: toJson(row.result),
    errors: toJson(row.errors),
    payload: '{}',
    updated_at: createdAt,
    due_at: '2999-01-01',
  })
  await db('imports').insert({
    ...common,
    job: id,
    name: sliceOf ? 'entity' : 'batch',
    parent: sliceOf?.parent,
    line_from: sliceOf?.lines?.first,
    line_to: sliceOf?.lines?.last,
    source: row.source ?? 'upload',
    mapper: row.mapper,
    run: row.isMapperRun,
    network: row.network,
    file_name: row.fileName,
    format: row.format === undefined ? 'csv' : row.format,
    dialect: toJson(row.dialect),
    on_duplicate: row.onDuplicate,
    dry_run: row.isDryRun,
    created: row.created,
    updated: row.updated,
    skipped: row.skipped,
    bytes: row.bytes,
    bytes_done: row.doneBytes,
    init_error: toJson(row.initError),
    warnings: toJson(row.warnings),
    finished_at: status === 'pending' ? null : createdAt,
  })
  return id
}

/** What an import has come to so far. What is left out stays as it is. */
export interface ImportProgress {
  doneBytes: number
  created: number
  total: number
  completed: number
}

/** Counts what an import has stored, as its worker does with a slice: the test decides when a reader hears of it. */
export async function storeProgress(
  db: Knex,
  id: string,
  { doneBytes, created, ...progress }: Partial<ImportProgress>,
): Promise<void> {
  await db.transaction(async (trx) => {
    await trx('imports').where({ job: id }).update({ bytes_done: doneBytes, created })
    await trx('jobs').where({ id }).update(progress)
  })
}

/** Ends an import as its worker does, with or without a result. */
export async function endImport(
  db: Knex,
  id: string,
  { status, doneBytes, result }: { status: 'completed' | 'failed'; doneBytes?: number; result?: object },
): Promise<void> {
  await db.transaction(async (trx) => {
    await trx('imports').where({ job: id }).update({ bytes_done: doneBytes, finished_at: new Date() })
    await trx('jobs')
      .where({ id })
      .update({ status, result: toJson(result) })
  })
}

/** Reads how many bytes an import counts of its file, unpacked. */
export async function readImportSize(db: Knex, id: string): Promise<number> {
  const row = await db('imports').where({ job: id }).first<{ bytes: number } | undefined>('bytes')
  if (!row) throw new Error(`There is no import ${id}`)
  return Number(row.bytes)
}
