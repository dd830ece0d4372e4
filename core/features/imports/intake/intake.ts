import { formatJsonb } from '../../../queue/engine/rows.ts'
import type { RecordEntity } from '../../../kernel/words.ts'
import type { Work } from '../../../kernel/work.ts'
import type { DuplicatePolicy, FileNotes, ImportJob, ImportPayload, MapperRow } from '../records/index.ts'
import type { StagedFile } from '../staging/index.ts'

/** The options of a new import. */
export interface NewImport {
  organization: string
  application: string
  entityName: RecordEntity
  source: ImportJob['data']['source']
  /**
   * Whether the import fetches the mapper's address; then `file` is null. A mapper has at most one such import at a
   * time.
   */
  isMapperRun: boolean
  /**
   * The mapper with its current rows, without an id if it was sent with the file; null if the rows of the file are
   * records already.
   */
  mapper: { id: string | null; rows: readonly MapperRow[] } | null
  /** The network of records that name none; null: the default network of the application. */
  network: string | null
  onDuplicate: DuplicatePolicy
  dryRun: boolean
  /** Whether all rows are stored or none. */
  atomic?: boolean
  /** What is known of the file; if undefined, the job finds it out. */
  notes?: FileNotes
  /** The staged file; null while it has not been fetched yet. */
  file: (StagedFile & { fileName: string | null }) | null
}

/**
 * Starts an import in the caller's transaction: enqueues its job, inserts its row and assigns its file. The worker is
 * notified after the commit.
 * @returns the import's id, which is also its job's id
 * @throws the unique violation of `imports_one_run` if `isMapperRun` is set and a fetch of the mapper is still running
 */
export async function startImport(
  { trx, context, afterCommit }: Pick<Work, 'trx' | 'context' | 'afterCommit'>,
  options: NewImport,
): Promise<string> {
  const { organization, application, mapper, file, notes } = options
  const payload: ImportPayload = {
    upload: file?.upload ?? null,
    rows: mapper?.rows ?? null,
    ...(notes && { noted: true as const }),
  }
  const job = await context.queue.enqueue(trx, {
    type: 'import',
    organization,
    application,
    total: 0,
    payload,
    countsTowardsLimit: true,
  })
  await trx('imports').insert({
    job,
    organization,
    application,
    name: 'batch',
    entity_name: options.entityName,
    source: options.source,
    mapper: mapper?.id ?? null,
    run: options.isMapperRun,
    network: options.network ?? trx('applications').where({ id: application }).select('default_network'),
    on_duplicate: options.onDuplicate,
    dry_run: options.dryRun,
    atomic: options.atomic === true,
    ...(notes && { warnings: formatJsonb(notes.warnings), unused_columns: formatJsonb(notes.unusedColumns) }),
    ...(file && toFileColumns(file)),
  })
  if (file) await trx('import_uploads').where({ id: file.upload, organization }).update({ job })
  afterCommit(() => context.queue.notifyWorker(job))
  return job
}

function toFileColumns({ fileName, bytes, dialect: { format, ...dialect } }: NonNullable<NewImport['file']>) {
  return { file_name: fileName, format, dialect: formatJsonb(dialect), bytes }
}
