import type { Knex } from 'knex'
import type { Network } from '../../../../chains/networks.ts'
import { lockByName } from '../../../../database/lock.ts'
import type { Context } from '../../../../kernel/work.ts'
import {
  findAccountByCustomer,
  findAccountsByContacts,
  setFreeCustomer,
  type AccountRow,
} from '../../../accounts/index.ts'
import type { PointsTarget } from '../../posting/index.ts'
import { listAwaiting } from './orders.store.ts'
import { startWorkOff } from './earn.start.ts'

/** Who a restaurant says that a customer is. An e-mail is in small letters, a phone number in E.164 form. */
export interface Customer {
  organization: string
  application: string
  network: Network
  customer: string
  email: string | null
  phoneNumber: string | null
}

/** Names by which somebody may be a customer of an application. */
export type CustomerNames = Pick<Customer, 'application' | 'email' | 'phoneNumber'> & { customer: string | null }

/**
 * Locks who a customer may be until the end of the transaction. It comes before balances and accounts are locked. An
 * account that is being created, or gets a customer, and an order that is being worked off see each other by it.
 */
export async function lockCustomer(
  trx: Knex,
  { application, customer, email, phoneNumber }: CustomerNames,
): Promise<void> {
  const names = [customer, email, phoneNumber].flatMap((name) => name ?? [])
  for (const name of names.sort()) await lockByName(trx, `pos customer ${application} ${name}`)
}

/**
 * Finds the account of a customer: by the customer's identifier, else by an e-mail address or phone number that its person
 * has proven, the e-mail first.
 */
export async function findCustomerAccount(trx: Knex, who: Customer): Promise<AccountRow | undefined> {
  const known = await findAccountByCustomer(trx, who.application, who.customer)
  if (known) return known
  if (who.email === null && who.phoneNumber === null) return undefined
  const found = await findAccountsByContacts(trx, who, { contacts: [who], isHeld: true })
  return found.find(({ email }) => email !== null && email === who.email) ?? found[0]
}

/**
 * Gives an account the identifier of the customer that it was found for, unless it has one, and starts the work on the
 * orders that waited for the customer. It changes the account, so it comes after the balances are locked.
 */
export async function nameCustomer(trx: Knex, context: Context, account: AccountRow, who: Customer): Promise<void> {
  if (account.customer_id !== null) return
  const { organization, application, customer } = who
  if (await setFreeCustomer(trx, { account: account.id, application, customer }))
    await startWaiting(trx, context, organization, { application, customer, email: null, phoneNumber: null })
}

/** Starts the work on the orders that wait for somebody with one of these names. It begins when the transaction commits. */
export async function startWaiting(
  trx: Knex,
  context: Pick<Context, 'queue'>,
  organization: string,
  names: CustomerNames,
): Promise<void> {
  const waiting = await listAwaiting(trx, names)
  await context.queue.wakeJobs(trx, ...(await startWorkOff(trx, context, organization, waiting)))
}

/** Returns where the points of an account are posted. */
export const createTarget = (account: AccountRow): PointsTarget => ({
  organization: account.organization,
  application: account.application,
  applicationName: account.application_name,
  network: account.network,
  account: account.id,
  address: account.address,
})
