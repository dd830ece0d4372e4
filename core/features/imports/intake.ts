import type { Network } from '../../chains/networks.ts'
import { jsonb } from '../../queue/rows.ts'
import type { Work } from '../../kernel/work.ts'
import type { DuplicatePolicy, ImportJob } from './imports.schema.ts'
import type { FileNotes, ImportPayload } from './imports.types.ts'
import type { MapperRow } from './mappers.schema.ts'
import type { Staged } from './staging.ts'

/** What an import is to do. */
export interface NewImport {
  organization: string
  application: string
  source: ImportJob['data']['source']
  /** Whether it fetches the mapper's address; then `file` is null. At most one at a time for a mapper. */
  run: boolean
  /** The mapper with its rows as they are now; null for files of passports as they are. */
  mapper: { id: string; rows: readonly MapperRow[] } | null
  /** Of passports that name none; null: the default of the application. */
  network: Network | null
  onDuplicate: DuplicatePolicy
  dryRun: boolean
  /** All rows or none. */
  atomic?: boolean
  /** What is known of the file; else the job finds it out. */
  notes?: FileNotes
  /** The staged file; null while it has still to be fetched. */
  file: (Staged & { fileName: string | null }) | null
}

/**
 * Enqueues the job of an import, writes its row and gives it its file, in the caller's transaction; the worker is rung
 * after the commit. @returns the import's id, which is its job's. @throws the unique violation of `imports_one_run` as it
 * is, where `run` is set and a fetch of the mapper goes on
 */
export async function startImport(
  { trx, context, afterCommit }: Pick<Work, 'trx' | 'context' | 'afterCommit'>, options: NewImport,
): Promise<string> {
  const { organization, application, mapper, file, notes } = options
  const payload: ImportPayload = {
    upload: file?.upload ?? null, rows: mapper?.rows ?? null, ...(notes && { noted: true as const }),
  }
  const job = await context.queue.enqueue(trx, { type: 'import', organization, application, total: 0, payload, counts: true })
  await trx('imports').insert({
    job, organization, application, name: 'batch',
    source: options.source,
    mapper: mapper?.id ?? null,
    run: options.run,
    network: options.network ?? trx('applications').where({ id: application }).select('default_network'),
    on_duplicate: options.onDuplicate,
    dry_run: options.dryRun,
    atomic: options.atomic === true,
    ...(notes && { warnings: jsonb(notes.warnings), unused_columns: jsonb(notes.unusedColumns) }),
    ...(file && fileColumns(file)),
  })
  if (file) await trx('import_uploads').where({ id: file.upload, organization }).update({ job })
  afterCommit(() => context.queue.ring(job))
  return job
}

function fileColumns({ fileName, bytes, dialect: { format, ...dialect } }: NonNullable<NewImport['file']>) {
  return { file_name: fileName, format, dialect: jsonb(dialect), bytes }
}
