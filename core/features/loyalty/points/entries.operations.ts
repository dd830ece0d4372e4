import { listPage } from '../../../database/list/index.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createEntrySource, entryColumns, findBook } from '../../../ledger/index.ts'
import { presentEntries } from './entries.present.ts'
import { entryList, LedgerEntryList } from './entries.schema.ts'
import { describePointsBook } from '../posting/index.ts'
import { findVisitsBook } from '../visits/index.ts'
import { readOwnAccount } from './points.rules.ts'
import { accountParams } from './points.schema.ts'
import { accountEntity } from '../../accounts/index.ts'

const listLedger = declareOperation({
  id: 'list_loyalty_ledger_v1',
  method: 'GET',
  path: '/v1/loyalty/account/:id/ledger',
  access: 'loyalty:read',
  scope: { params: { id: accountEntity }, missingCode: 'LOYALTY_ACCOUNT_NOT_FOUND' },
  params: accountParams,
  list: entryList,
  returns: { 200: LedgerEntryList },
  problemCodes: ['LOYALTY_ACCOUNT_NOT_FOUND'],
  document: {
    tag: 'Points',
    summary: 'List the entries of an account',
    description: 'The newest first.',
    mcpName: 'list_loyalty_ledger',
  },
}).withReadHandler(async ({ caller, page, params, work }) => {
  const account = await readOwnAccount(work.trx, caller.organization, params.id)
  const points = await findBook(work.trx, describePointsBook(account))
  const visits = await findVisitsBook(work.trx, account.application)
  const books = [points, visits].flatMap((book) => book ?? [])
  const source = createEntrySource(work.trx, { books: books.map(({ id }) => id), owner: account.id })
  const entries = await listPage(source, page, entryColumns)
  return { ...entries, data: await presentEntries(work, entries.data, books) }
})

export const entryOperations: Operation[] = [listLedger]
