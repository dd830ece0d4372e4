import type { Knex } from 'knex'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import type { StateSource } from '../../../kernel/answer.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { mapPageResult, type PageResult, type PageRequest } from '../../../kernel/page.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { batchCalls } from '../../../queue/batch-calls.ts'
import { createJobStateSource, presentJob } from '../../jobs/index.ts'
import { findImport, importColumns, ImportModel, presentImport } from '../intake/index.ts'
import { authorizeRecords, type ImportJob, type ImportReport, listReadableEntities } from '../records/index.ts'

/** The default and the maximum number of errors on a page. */
export const reportPageSizes = { defaultSize: 100, maxSize: 1_000 } as const

/** Lists one page of the imports of the organization and their slices, of the entities that the caller may read. */
export async function listImports(
  { trx }: Work,
  caller: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<ImportJob>> {
  const query = ImportModel.query(trx)
    .modify('ofOrganization', caller.organization)
    .modify('withJob')
    .whereIn('imports.entity_name', listReadableEntities(caller))
  return mapPageResult(await listPage(createModelSource(query, 'imports.job'), page, importColumns), (row) =>
    presentImport(row),
  )
}

/**
 * Reads an import or a slice of one.
 * @throws NOT_FOUND if it is absent or belongs to another organization; AUTH_INSUFFICIENT_PERMISSIONS
 */
export async function readOwnImport({ trx }: Work, caller: OrganizationCaller, id: string): Promise<ImportModel> {
  const row = await findImport(trx, id, caller.organization)
  if (!row) throw createNotFoundProblem()
  authorizeRecords(caller, getRecordSink(row.entityName), 'read')
  return row
}

/**
 * Creates the source of an import's states as they change. The row of the import is read for each state, because the
 * job alone does not show how far the import is.
 * @throws NOT_FOUND
 */
export async function createImportEvents(work: Work, caller: OrganizationCaller, id: string): Promise<StateSource> {
  await readOwnImport(work, caller, id)
  const read = getImportReader(work.context.db)
  return createJobStateSource(work.context, id, async (job) => {
    const row = await read(id)
    return row && presentImport(row, presentJob(job))
  })
}

type ImportReader = (id: string) => Promise<ImportModel | undefined>
const importReaders = new WeakMap<Knex, ImportReader>()

/**
 * Returns a reader of imports whose callers were authorized before. It reads many at once, because all followers of an
 * import hear of a change together.
 */
function getImportReader(db: Knex): ImportReader {
  const known = importReaders.get(db)
  if (known) return known
  const made = batchCalls<string, ImportModel | undefined>(async (ids) => {
    const rows = await ImportModel.query(db).whereIn('job', [...new Set(ids)])
    const byId = new Map(rows.map((row) => [row.job, row]))
    return ids.map((id) => byId.get(id))
  })
  importReaders.set(db, made)
  return made
}

/** A line of the error report. */
export interface ReportedIssue {
  line: number
  path: string
  code: string
  message: string
  value: string | null
}

interface StoredIssueRow extends ReportedIssue {
  seq: number
}

/**
 * Queries the errors of an import by line; of a slice, those of its own lines. Errors are stored with the whole import.
 */
export function queryErrors(db: Knex, { job, name, parent, lineFrom, lineTo }: ImportModel): Knex.QueryBuilder {
  const query = db('import_errors')
    .where('job', name === 'entity' ? (parent ?? job) : job)
    .orderBy(['line', 'seq'])
  return name === 'entity' ? query.whereBetween('line', [lineFrom ?? 0, lineTo ?? -1]) : query
}

/** Reads the result of an import with one page of its errors. */
export async function readReport(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  { currentPage = 1, pageSize = reportPageSizes.defaultSize }: { currentPage?: number; pageSize?: number },
): Promise<ImportReport> {
  const row = await readOwnImport(work, caller, id)
  // The keys are found in the index alone, however far back the page is.
  const places = queryErrors(work.trx, row)
    .select('job', 'line', 'seq')
    .limit(pageSize + 1)
    .offset((currentPage - 1) * pageSize)
  const found = await work
    .trx('import_errors')
    .whereIn(['job', 'line', 'seq'], places)
    .orderBy(['line', 'seq'])
    .select<StoredIssueRow[]>('line', 'path', 'code', 'message', 'value')
  return {
    job: presentImport(row),
    counts: { created: row.created, updated: row.updated, skipped: row.skipped, failed: row.jobFailed },
    errors: found.slice(0, pageSize),
    warnings: row.warnings,
    nextPage: found.length > pageSize ? currentPage + 1 : null,
  }
}

/** The number of errors that are read at a time while all of them are written. */
const errorBatchSize = 2_000

/**
 * Yields every error in order, one batch at a time: memory does not grow with their number, and no connection is held
 * between batches.
 */
export async function* readAllErrors(db: Knex, row: ImportModel): AsyncGenerator<ReportedIssue[]> {
  for (let after: StoredIssueRow | undefined; ;) {
    const query = queryErrors(db, row)
      .limit(errorBatchSize)
      .select<StoredIssueRow[]>('line', 'seq', 'path', 'code', 'message', 'value')
    if (after) void query.whereRaw('(line, seq) > (?, ?)', [after.line, after.seq])
    const found: StoredIssueRow[] = await query
    if (found.length > 0) yield found
    after = found.at(-1)
    if (!after || found.length < errorBatchSize) return
  }
}
