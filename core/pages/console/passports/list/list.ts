import { listPassports, listSheetChoices, readAllPassports, type Passport } from '../../../../features/dpp/index.ts'
import { listApplicationChoices } from '../../../../features/applications/index.ts'
import { isAnswer } from '../../../../kernel/answer.ts'
import { isObject } from '../../../../kernel/json/values.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { may, memberPageOptions } from '../../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { answerCsv, cursorField, type CsvColumns } from '../../frame/lists.ts'
import { passportWords } from '../words/words.ts'
import { createListRequest, filterFields, pickFilters } from './filters.ts'
import { renderPassportList } from './list.views.ts'
import { passportsPath, readTitles, type PassportTitle } from './titles.ts'

/** The list of passports. Its address has the filters, so that it can be shared. */
const listOperation = declareOperation({
  id: 'console_passports_page_v1',
  method: 'GET',
  path: passportsPath,
  ...memberPageOptions,
  query: { ...filterFields, cursor: cursorField },
  document: { tag: 'Pages', summary: 'Passports of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, passportsPath, 'dpp:read')
  if (isAnswer(page)) return page
  const { member, work } = page
  const { cursor } = input.query
  const query = pickFilters(input.query)
  const [applications, sheets] = await Promise.all([
    listApplicationChoices(work.trx, member.organization),
    listSheetChoices(work.trx, member.organization),
  ])
  const found = await listPassports(work, member, createListRequest(query, sheets, cursor))
  const titles = await readTitles(work.trx, found.data)
  const content = renderPassportList(page, {
    found,
    titles,
    query,
    cursor,
    applications,
    sheets,
    mayCreate: may(member, 'dpp:create'),
    mayUpdate: may(member, 'dpp:update'),
    mayDelete: may(member, 'dpp:delete'),
  })
  return renderFramed(page, { title: passportWords[page.language].title }, content)
})

type FileRow = Passport & { title: PassportTitle }

const getNumber = ({ product }: Passport, name: string): string | null => {
  const number = isObject(product) ? product[name] : null
  return typeof number === 'string' ? number : null
}

const columns: CsvColumns<FileRow> = [
  ['id', ({ id }) => id],
  ['name', ({ title }) => title.name],
  ['reference', ({ reference }) => reference ?? null],
  ['status', ({ status }) => status],
  ['certification_status', ({ certificationStatus }) => certificationStatus],
  ['application', ({ application }) => application.name],
  ['sheet', ({ product }) => (typeof product === 'string' ? product : null)],
  ['granularity', (row) => getNumber(row, 'idGranularity')],
  ['model_number', (row) => getNumber(row, 'modelNumber')],
  ['batch_number', (row) => getNumber(row, 'batchNumber')],
  ['item_number', (row) => getNumber(row, 'itemNumber')],
  ['source', ({ source }) => source],
  ['network', ({ network }) => network],
  ['token_id', ({ tokenId }) => tokenId],
  ['owner', ({ token }) => token?.owner ?? null],
  ['certified_at', ({ certifiedAt }) => certifiedAt],
  ['created_at', ({ createdAt }) => createdAt],
  ['updated_at', ({ updatedAt }) => updatedAt],
]

/** The CSV file of all passports that the filters of the list find, written while they are read. */
const fileOperation = declareOperation({
  id: 'console_passports_file_v1',
  method: 'GET',
  path: `${passportsPath}.csv`,
  ...memberPageOptions,
  query: filterFields,
  returns: { 200: { type: 'text/csv', description: 'The passports.' } },
  document: { tag: 'Pages', summary: 'Passports as CSV' },
}).withReadHandler(async (input) => {
  const page = openPage(input, passportsPath, 'dpp:read')
  if (isAnswer(page)) return page
  const sheets = await listSheetChoices(page.work.trx, page.member.organization)
  const request = createListRequest(pickFilters(input.query), sheets)
  return answerCsv('passports', columns, addTitles(page, readAllPassports(page.work.context, page.member, request)))
})

async function* addTitles({ work }: ConsolePage, batches: AsyncIterable<Passport[]>): AsyncGenerator<FileRow[]> {
  for await (const passports of batches) {
    const titles = await readTitles(work.context.db, passports)
    yield passports.map((passport, at) => ({ ...passport, title: titles[at] ?? { name: passport.id, mark: null } }))
  }
}

/** The list of passports as a page and as a file. */
export const passportListPages: Operation[] = [listOperation, fileOperation]
