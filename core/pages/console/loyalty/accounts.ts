import { networkNames } from '../../../features/accounts/index.ts'
import type { FilterNode, Sorter } from '../../../kernel/page.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { oneOf, optional } from '../../../kernel/schema.ts'
import { listApplicationChoices } from '../../../features/applications/index.ts'
import { listAccounts, readAllAccounts, type Account } from '../../../features/loyalty/index.ts'
import { isAnswer } from '../../../kernel/answer.ts'
import { memberPageOptions } from '../console.ts'
import { openPage, renderFramed } from '../frame/frame.ts'
import { accountOrders, renderAccountList, type AccountQuery } from './accounts.views.ts'
import {
  answerCsv,
  createFilter,
  createPageRequest,
  cursorField,
  dayField,
  isGiven,
  parseDay,
  textField,
  uuidField,
  type CsvColumns,
} from '../frame/lists.ts'

const accountsPath = '/console/accounts'

const fields = {
  search: textField('Part of a name, an e-mail address, a phone number or a wallet.'),
  application: uuidField('The application, if not all.'),
  network: optional(oneOf(['', ...networkNames], 'The network, if not all.')),
  since: dayField('First day of those who came, as 2026-03-01.'),
  passports: textField('Passports that they have at least.', { pattern: '^[0-9]{0,6}$' }),
  order: optional(oneOf(accountOrders, 'What comes first.')),
}

/** The order of a list by the word of the page's address. */
const sorters: Readonly<Record<(typeof accountOrders)[number], Sorter>> = {
  newest: { field: 'createdAt', order: 'desc' },
  points: { field: 'loyalty.optimisticBalance', order: 'desc' },
  visits: { field: 'loyalty.visits', order: 'desc' },
  passports: { field: 'dpp.passportCount', order: 'desc' },
  active: { field: 'dpp.lastActivityAt', order: 'desc' },
}

/** Creates the filters of what people search for: the kind of text says where it is looked for. */
function createSearchFilters(search: string): FilterNode[] {
  const text = search.trim()
  if (text.includes('@')) return createFilter('user.email', 'contains', text)
  if (/^\+?[\d ().-]{4,}$/.test(text)) return createFilter('user.phoneNumber', 'contains', text.replace(/[^\d+]/g, ''))
  if (/^(0x[\da-f]{4,}|[A-Z0-9]{20,})$/i.test(text)) return createFilter('address', 'contains', text)
  const names = [...createFilter('user.name', 'contains', text), ...createFilter('user.email', 'contains', text)]
  return names.length === 0 ? [] : [{ operator: 'or', value: names }]
}

const createFilters = ({ search = '', application, network, since, passports }: AccountQuery): FilterNode[] => [
  ...createSearchFilters(search),
  ...createFilter('application.id', 'eq', application?.toLowerCase()),
  ...createFilter('network', 'eq', network),
  ...createFilter('createdAt', 'gte', parseDay(since, 'since')),
  ...(isGiven(passports)
    ? [{ field: 'dpp.passportCount', operator: 'gte' as const, value: Number(passports), path: 'passports' }]
    : []),
]

const createRequest = (query: AccountQuery) =>
  createPageRequest(createFilters(query), { sorter: sorters[query.order ?? 'newest'], cursor: query.cursor })

/** The list of accounts. Its address has the filters, so that it can be shared. */
const listOperation = declareOperation({
  id: 'console_accounts_page_v1',
  method: 'GET',
  path: accountsPath,
  ...memberPageOptions,
  query: { ...fields, cursor: cursorField },
  document: { tag: 'Pages', summary: 'Accounts of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, accountsPath, 'loyalty:read')
  if (isAnswer(page)) return page
  const { query, work } = input
  const { language, member, words } = page
  const [found, applications] = await Promise.all([
    listAccounts(work, member, createRequest(query)),
    listApplicationChoices(work.trx, member.organization),
  ])
  const content = renderAccountList(found, { query, applications, language, words })
  return renderFramed(page, { title: words.accounts.title }, content)
})

const columns: CsvColumns<Account> = [
  ['id', ({ id }) => id],
  ['application', ({ application }) => application.name],
  ['name', ({ user }) => user.name],
  ['email', ({ user }) => user.email],
  ['phone_number', ({ user }) => user.phoneNumber],
  ['network', ({ network }) => network],
  ['address', ({ address }) => address],
  ['points', ({ loyalty }) => BigInt(loyalty.optimisticBalance)],
  ['points_on_chain', ({ loyalty }) => BigInt(loyalty.settledBalance)],
  ['points_pending', ({ loyalty }) => BigInt(loyalty.pending)],
  ['visits', ({ loyalty }) => loyalty.visits],
  ['reward_tier', ({ loyalty }) => loyalty.rewardTier?.name ?? null],
  ['passports', ({ dpp }) => dpp.passportCount],
  ['last_activity_at', ({ dpp }) => dpp.lastActivityAt],
  ['created_at', ({ createdAt }) => createdAt],
]

/** The CSV file of all accounts that the filters of the list find. */
const fileOperation = declareOperation({
  id: 'console_accounts_file_v1',
  method: 'GET',
  path: '/console/accounts.csv',
  ...memberPageOptions,
  query: fields,
  returns: { 200: { type: 'text/csv', description: 'The accounts.' } },
  document: { tag: 'Pages', summary: 'Accounts as CSV' },
}).withReadHandler(async (input) => {
  const page = openPage(input, accountsPath, 'loyalty:read')
  if (isAnswer(page)) return page
  return answerCsv('accounts', columns, readAllAccounts(page.work.context, page.member, createRequest(input.query)))
})

export const accountListPages: Operation[] = [listOperation, fileOperation]
