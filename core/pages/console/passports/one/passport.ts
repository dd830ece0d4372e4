import {
  findAnchorReceipt,
  labelOwnValues,
  listHistory,
  listOwnership,
  type PassportState,
  readPassportState,
  readReadiness,
  readSheet,
} from '../../../../features/dpp/index.ts'
import { isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { may, memberPageOptions } from '../../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { createPageRequest, cursorField, type QueryText } from '../../frame/lists.ts'
import { formatTitle, getPassportAddress, getPassportTitle } from '../list/titles.ts'
import { listAllowedActs } from './acts.list.ts'
import { renderPassportPage } from './passport.views.ts'

/** The number of entries of the history that the page shows. */
const historyPageSize = 15

/** The page of one passport: what it says, what state it is in, and what this member can do with it. */
const readOperation = declareOperation({
  id: 'console_passport_page_v1',
  method: 'GET',
  path: '/console/passports/:id',
  ...memberPageOptions,
  query: { history: cursorField },
  document: { tag: 'Pages', summary: 'One passport' },
}).withReadHandler(async (input) => {
  const { params, query } = input
  const page = openPage(input, getPassportAddress(params.id), 'dpp:read')
  return isAnswer(page) ? page : renderOne(page, params.id, query.history)
})

async function renderOne(page: ConsolePage, id: string, cursor: QueryText): Promise<Answer> {
  const { member, work } = page
  const state = await readPassportState(work, member, id)
  const newest = { sorter: { field: 'at', order: 'desc' }, cursor } as const
  const [sheet, readiness, history, ownership, anchor] = await Promise.all([
    readOwnSheet(page, state),
    readReadiness(work, member, id),
    listHistory(work, member, id, { ...createPageRequest([], newest), pageSize: historyPageSize }),
    listOwnership(work.trx, id),
    findAnchorReceipt(work.trx, id),
  ])
  const title = getPassportTitle(
    state.passport,
    sheet && { name: sheet.name, firstField: sheet.passportsFields[0]?.name ?? null },
  )
  const content = renderPassportPage(page, {
    ...state,
    title,
    sheet,
    values: labelOwnValues(sheet, state.passport, page.language),
    readiness,
    history,
    isFirstHistory: (cursor ?? '') === '',
    ownership,
    anchor,
    allowedActs: listAllowedActs(member, state.acts),
    mayReadAccounts: may(member, 'loyalty:read'),
  })
  return renderFramed(page, { title: formatTitle(title) }, content)
}

/** Reads the sheet of a passport; null for one that describes its product itself. */
async function readOwnSheet({ work }: ConsolePage, { passport: { product } }: PassportState) {
  return typeof product === 'string' ? readSheet(work, product) : null
}

export const passportPage: Operation[] = [readOperation]
