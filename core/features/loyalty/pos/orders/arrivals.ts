import type { Knex } from 'knex'
import type { Context } from '../../../../kernel/work.ts'
import type { AccountListener } from '../../../area.ts'
import { readOwnAccounts } from '../../../accounts/index.ts'
import { lockCustomer, startWaiting } from './customers.ts'
import { deleteOldContacts, forgetCustomer } from './orders.store.ts'

/**
 * Starts the work on the orders that waited for the person of a new account, in the transaction that creates it. A contact
 * that is not proven matches nothing.
 */
export const countWaitingOrders: AccountListener = async (trx, context, { id, organization, application }) => {
  const [account] = await readOwnAccounts(trx, organization, [id])
  if (!account) return
  const names = { application, customer: null, email: account.email, phoneNumber: account.phone_number }
  await lockCustomer(trx, names)
  await startWaiting(trx, context, organization, names)
}

/** Who becomes a customer of an application. */
export interface NewCustomer {
  organization: string
  application: string
  customer: string
}

const nameNewCustomer = ({ application, customer }: NewCustomer) => ({
  application,
  customer,
  email: null,
  phoneNumber: null,
})

/** Locks a customer before an account gets it. It comes before balances and accounts are locked. */
export const lockNewCustomer = (trx: Knex, customer: NewCustomer): Promise<void> =>
  lockCustomer(trx, nameNewCustomer(customer))

/** Starts the work on the orders that waited for a customer whom an account has now, in the same transaction. */
export const countOrdersOfCustomer = (
  trx: Knex,
  context: Pick<Context, 'queue'>,
  customer: NewCustomer,
): Promise<void> => startWaiting(trx, context, customer.organization, nameNewCustomer(customer))

/** Removes what names the person of a deleted account from the orders that were counted for it. */
export const forgetOrders: AccountListener = async (trx, _context, { id }) => forgetCustomer(trx, id)

/** Days for which the contacts of somebody who has no account are kept: the customers of a restaurant come within that time. */
const contactDays = 730
const contactBatchSize = 5_000

/** Removes the contacts of orders that have waited too long. Any number of workers can do it. */
export async function forgetOldContacts({ db }: Pick<Context, 'db'>): Promise<void> {
  while ((await deleteOldContacts(db, { days: contactDays, limit: contactBatchSize })) === contactBatchSize);
}
