import { listPage, withoutTotal } from '../../../database/list/index.ts'
import type { EndUserCaller, OrganizationCaller } from '../../../kernel/caller.ts'
import { readAllPages, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { accountColumns, createAccountSource, readOwnAccounts, readPersonAccounts } from '../../accounts/index.ts'
import { presentAccounts, presentExactly } from './accounts.present.ts'
import type { Account } from './accounts.schema.ts'

/** Lists accounts of the caller's organization. */
export async function listAccounts(
  { context }: Pick<Work, 'context'>,
  { organization }: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<Account>> {
  const source = createAccountSource(context.directDatabase, organization)
  const listed = await listPage(source, page, accountColumns)
  return { ...listed, data: await presentAccounts(context.db, listed.data) }
}

/** Reads an account of the caller's organization. @throws NOT_FOUND, for another organization's too */
export async function readAccount({ trx }: Work, { organization }: OrganizationCaller, id: string): Promise<Account> {
  const [row] = await readOwnAccounts(trx, organization, [id])
  if (!row) throw createNotFoundProblem()
  const [account] = await presentExactly(trx, [row])
  return account!
}

/** Lists the accounts of a buyer in the application where they are signed in: one a network, the oldest first. */
export async function listPersonAccounts({ trx }: Work, buyer: EndUserCaller): Promise<Account[]> {
  return presentExactly(trx, await readPersonAccounts(trx, buyer))
}

/** The number of accounts that `readAllAccounts` holds at a time. */
const maxBatchSize = 1_000

/** Reads all accounts that match the filters of a page, in its order, outside any transaction. */
export function readAllAccounts(
  context: Context,
  { organization }: OrganizationCaller,
  page: PageRequest,
): AsyncGenerator<Account[]> {
  const source = withoutTotal(createAccountSource(context.directDatabase, organization))
  return readAllPages({ ...page, pageSize: maxBatchSize }, async (request) => {
    const batch = await listPage(source, request, accountColumns)
    return { ...batch, data: await presentAccounts(context.db, batch.data) }
  })
}
