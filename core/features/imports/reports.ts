import type { Knex } from 'knex'
import { listPage } from '../../database/list.ts'
import type { EventSource } from '../../kernel/answer.ts'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { mapListed, type Listed, type Page } from '../../kernel/page.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { gather } from '../../queue/gather.ts'
import { jobEvents, jobView } from '../jobs/index.ts'
import { ImportModel, importColumns } from './imports.model.ts'
import type { ImportJob, ImportReport } from './imports.schema.ts'
import { findImport, importView } from './imports.view.ts'

/** Errors of a page unless the caller says how many, and at most. */
export const reportPage = { standard: 100, most: 1_000 } as const

/** One page of the imports of the organization and their slices. */
export async function listImports(
  { trx }: Work, { organization }: OrganizationCaller, page: Page,
): Promise<Listed<ImportJob>> {
  const query = ImportModel.query(trx).modify('ofOrganization', organization).modify('withJob')
  return mapListed(await listPage(query, page, importColumns, { id: 'imports.job' }), (row) => importView(row))
}

/** An import or a slice of one. @throws NOT_FOUND for those of others as for none */
export async function ownImport({ trx }: Work, { organization }: OrganizationCaller, id: string): Promise<ImportModel> {
  const row = await findImport(trx, id, organization)
  if (!row) throw notFound()
  return row
}

/**
 * The states of an import as they come. Its row is read for each of them, as what a job has of it does not tell how
 * far it is. @throws NOT_FOUND
 */
export async function importEvents(work: Work, caller: OrganizationCaller, id: string): Promise<EventSource> {
  await ownImport(work, caller, id)
  const read = rowsOf(work.context.db)
  return jobEvents(work.context, id, async (job) => {
    const row = await read(id)
    return row && importView(row, jobView(job))
  })
}

type ReadRow = (id: string) => Promise<ImportModel | undefined>
const readers = new WeakMap<Knex, ReadRow>()

/** Reads imports whose reader was judged before: many at once, as all followers of one hear of a change together. */
function rowsOf(db: Knex): ReadRow {
  const known = readers.get(db)
  if (known) return known
  const made = gather<string, ImportModel | undefined>(async (ids) => {
    const rows = await ImportModel.query(db).whereIn('job', [...new Set(ids)])
    const byId = new Map(rows.map((row) => [row.job, row]))
    return ids.map((id) => byId.get(id))
  })
  readers.set(db, made)
  return made
}

/** A line of the error report. */
export interface ReportedError { line: number; path: string; code: string; message: string; value: string | null }

interface StoredError extends ReportedError { seq: number }

/** Errors of the import by line; of a slice those of its own lines. Errors belong to the whole import. */
export function errorsOf(db: Knex, { job, name, parent, lineFrom, lineTo }: ImportModel): Knex.QueryBuilder {
  const query = db('import_errors').where('job', name === 'entity' ? parent ?? job : job).orderBy(['line', 'seq'])
  return name === 'entity' ? query.whereBetween('line', [lineFrom ?? 0, lineTo ?? -1]) : query
}

/** What became of an import, with one page of its errors. */
export async function reportOf(
  work: Work, caller: OrganizationCaller, id: string,
  { currentPage = 1, pageSize = reportPage.standard }: { currentPage?: number; pageSize?: number },
): Promise<ImportReport> {
  const row = await ownImport(work, caller, id)
  // Places are found in the index alone, however far behind the page is.
  const places = errorsOf(work.trx, row).select('job', 'line', 'seq')
    .limit(pageSize + 1).offset((currentPage - 1) * pageSize)
  const found = await work.trx('import_errors').whereIn(['job', 'line', 'seq'], places).orderBy(['line', 'seq'])
    .select<StoredError[]>('line', 'path', 'code', 'message', 'value')
  return {
    job: importView(row),
    counts: { created: row.created, updated: row.updated, skipped: row.skipped, failed: row.jobFailed },
    errors: found.slice(0, pageSize),
    warnings: row.warnings,
    nextPage: found.length > pageSize ? currentPage + 1 : null,
  }
}

/** Errors that are read at once while all of them are written. */
const readAhead = 2_000

/** Every error in its order, a batch at a time: memory does not grow with them, and no connection is held between. */
export async function* allErrors(db: Knex, row: ImportModel): AsyncGenerator<ReportedError[]> {
  for (let after: StoredError | undefined; ;) {
    const query = errorsOf(db, row).limit(readAhead)
      .select<StoredError[]>('line', 'seq', 'path', 'code', 'message', 'value')
    if (after) void query.whereRaw('(line, seq) > (?, ?)', [after.line, after.seq])
    const found: StoredError[] = await query
    if (found.length > 0) yield found
    after = found.at(-1)
    if (!after || found.length < readAhead) return
  }
}
