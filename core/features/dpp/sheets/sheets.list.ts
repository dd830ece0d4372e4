import { createModelSource, listPage, withoutTotal } from '../../../database/list/index.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { mapPageResult, readAllPages, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import type { Work } from '../../../kernel/work.ts'
import { presentSheet, sheetColumns, SheetRow } from './sheets.model.ts'
import { readSheet } from './sheets.reads.ts'
import type { Sheet, SheetStats } from './sheets.schema.ts'
import { readSheetStats } from './sheets.stats.ts'

const createSheetSource = ({ trx }: Pick<Work, 'trx'>, { organization }: OrganizationCaller) =>
  createModelSource(SheetRow.query(trx).modify('ofOrganization', organization))

/** Lists the sheets of all applications of the organization. */
export const listSheets = async (
  work: Pick<Work, 'trx'>,
  caller: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<Sheet>> =>
  mapPageResult(await listPage(createSheetSource(work, caller), page, sheetColumns), presentSheet)

/** The number of sheets that `readAllSheets` holds at a time; each can have hundreds of definitions. */
const maxBatchSize = 100

/** Reads all sheets that match the filters of a page, in its order, outside any transaction. */
export function readAllSheets(
  work: Pick<Work, 'trx'>,
  caller: OrganizationCaller,
  page: PageRequest,
): AsyncGenerator<Sheet[]> {
  const source = withoutTotal(createSheetSource(work, caller))
  return readAllPages({ ...page, pageSize: maxBatchSize }, async (request) =>
    mapPageResult(await listPage(source, request, sheetColumns), presentSheet),
  )
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
