import { isAnswer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import type { PageRequest } from '../../../../kernel/page.ts'
import { oneOf, optional } from '../../../../kernel/schema.ts'
import { listOrders, orderKinds, type LoyaltyOrder } from '../../../../features/loyalty/index.ts'
import { memberPageOptions } from '../../console.ts'
import { openPage, renderFramed } from '../../frame/frame.ts'
import {
  answerCsv,
  createFilter,
  createPageRequest,
  cursorField,
  formatAddress,
  isGiven,
  readPages,
  type CsvColumns,
} from '../../frame/lists.ts'
import { ordersPath as path, renderOrders } from './orders.views.ts'
import { orderWords } from './words.ts'

const newestFirst = { field: 'createdAt', order: 'desc' } as const
const kindField = optional(oneOf(['', ...orderKinds], 'What the orders were; empty or left out: all.'))

/** What changed points, the newest first. */
const listOperation = declareOperation({
  id: 'console_orders_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { kind: kindField, cursor: cursorField },
  document: { tag: 'Pages', summary: 'Orders of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:read')
  if (isAnswer(page)) return page
  const { kind, cursor } = input.query
  const request = createPageRequest(createFilter('kind', 'eq', kind), { sorter: newestFirst, cursor })
  const { data, total, nextCursor } = await listOrders(page.work, page.member, request)
  const content = renderOrders(page, {
    orders: data,
    total,
    kind: kind ?? '',
    first: formatAddress(path, { kind }),
    file: formatAddress(`${path}.csv`, { kind }),
    isFirst: !isGiven(cursor),
    next: nextCursor === null ? null : formatAddress(path, { kind, cursor: nextCursor }),
  })
  return renderFramed(page, { title: orderWords[page.language].title }, content)
})

const columns: CsvColumns<LoyaltyOrder> = [
  ['id', ({ id }) => id],
  ['account', ({ account }) => account],
  ['kind', ({ kind }) => kind],
  ['points', ({ points }) => BigInt(points)],
  ['amount', ({ amount = null }) => amount],
  ['currency', ({ currency = null }) => currency],
  ['reference', ({ reference }) => reference],
  ['status', ({ status }) => status],
  ['created_at', ({ createdAt }) => createdAt],
]

/** The CSV file of all orders, or of those of one kind. */
const fileOperation = declareOperation({
  id: 'console_orders_file_v1',
  method: 'GET',
  path: `${path}.csv`,
  ...memberPageOptions,
  query: { kind: kindField },
  returns: { 200: { type: 'text/csv', description: 'The orders.' } },
  document: { tag: 'Pages', summary: 'Orders as CSV' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:read')
  if (isAnswer(page)) return page
  const { member, work } = page
  const filters = createFilter('kind', 'eq', input.query.kind)
  const list = (request: PageRequest) =>
    listOrders(work, member, { ...request, filters: { operator: 'and', value: filters } })
  return answerCsv('orders', columns, readPages(newestFirst, list))
})

export const orderPages: Operation[] = [listOperation, fileOperation]
