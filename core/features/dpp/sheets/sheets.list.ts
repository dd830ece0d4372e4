import { createModelSource, listPage } from '../../../database/list/index.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { mapPageResult, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import type { Work } from '../../../kernel/work.ts'
import { presentSheet, sheetColumns, SheetRow } from './sheets.model.ts'
import { readSheet } from './sheets.reads.ts'
import type { Sheet, SheetStats } from './sheets.schema.ts'
import { readSheetStats } from './sheets.stats.ts'

/** Lists the sheets of all applications of the organization. */
export async function listSheets(
  { trx }: Pick<Work, 'trx'>,
  { organization }: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<Sheet>> {
  const sheets = createModelSource(SheetRow.query(trx).modify('ofOrganization', organization))
  return mapPageResult(await listPage(sheets, page, sheetColumns), presentSheet)
}

/** The number of sheets that `readAllSheets` holds at a time; each can have hundreds of definitions. */
const maxBatchSize = 100

/** Reads all sheets that match the filters of a page, in its order, outside any transaction. */
export async function* readAllSheets(
  work: Pick<Work, 'trx'>,
  caller: OrganizationCaller,
  page: PageRequest,
): AsyncGenerator<Sheet[]> {
  let cursor: string | null = null
  do {
    const request: PageRequest = { ...page, currentPage: 1, pageSize: maxBatchSize, cursor }
    const batch: PageResult<Sheet> = await listSheets(work, caller, request)
    yield batch.data
    cursor = batch.nextCursor
  } while (cursor !== null)
}

/**
 * Reads a sheet of the caller's organization as the API shows it.
 * @throws NOT_FOUND
 */
export const readOwnSheet = async (work: Work, id: string): Promise<Sheet> => presentSheet(await readSheet(work, id))

/**
 * Reads the statistics of a sheet of the caller's organization.
 * @throws NOT_FOUND
 */
export const readOwnSheetStats = async (work: Work, id: string): Promise<SheetStats> =>
  readSheetStats(work.trx, await readSheet(work, id))
