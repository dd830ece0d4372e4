import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import { newId } from '../../database/model.ts'
import type { Context } from '../../kernel/work.ts'
import { readAnyApplication } from '../applications/index.ts'
import { recordEvent } from '../events/index.ts'
import { AccountModel } from './accounts.model.ts'
import type { Account } from './accounts.schema.ts'

/** The application, network and user of an account; each combination has one account. */
export interface AccountHolder {
  application: string
  network: Network
  user: string
}

/** Returns the name under which the signer keeps an account's wallet. */
export const getWalletName = (account: string) => `account:${account}`

/**
 * Returns the account of a person and, at first use, creates it with its wallet and an event. Calls the signer, so
 * never call this function inside a transaction. Of several concurrent calls one creates the account and all return it.
 * @throws NOT_FOUND if the application does not exist; Error if the signer does not answer
 */
export async function ensureAccount(
  context: Pick<Context, 'db' | 'chains'>,
  holder: AccountHolder,
): Promise<AccountModel> {
  const known = await findAccount(context.db, holder)
  if (known) return known
  const id = newId()
  const address = await context.chains.ensureWalletAddress(holder.network, getWalletName(id))
  await context.db.transaction((trx) => insertAccount(trx, holder, { id, address }))
  const created = await findAccount(context.db, holder)
  if (!created) throw new Error(`The account of a person in application ${holder.application} is gone`)
  return created
}

/** Returns the account of a person, or undefined if there is none. */
export async function findAccount(db: Knex, holder: AccountHolder): Promise<AccountModel | undefined> {
  const { application, network, user } = holder
  return AccountModel.query(db).findOne({ application, network, user_id: user })
}

/** Checks whether anybody has an account in the application. */
export async function hasAccounts(db: Knex, application: string): Promise<boolean> {
  const [found] = await AccountModel.query(db).where({ application }).select('id').limit(1)
  return found !== undefined
}

async function insertAccount(trx: Knex, holder: AccountHolder, made: { id: string; address: string }): Promise<void> {
  const { application, network, user } = holder
  const { organization } = await readAnyApplication(trx, application)
  const rows = await trx('accounts')
    .insert({ ...made, organization, application, network, user_id: user })
    .onConflict(['application', 'network', 'user_id'])
    .ignore()
    .returning('id')
  if (rows.length > 0) await recordEvent(trx, { organization, application, subject: 'wallet', type: 'create' })
}

interface AccountRow {
  id: string
  application: string
  application_name: string
  network: Network
  address: string
  name: string | null
  email: string | null
  phone_number: string | null
  created_at: Date
  updated_at: Date
}

/**
 * Returns the account as the API shows it, or null if there is none. A placeholder e-mail address is never verified and
 * so never shown.
 */
export async function findPresentedAccount(db: Knex, id: string): Promise<Account | null> {
  const row = await db('accounts as a')
    .join('applications as p', 'p.id', 'a.application')
    .join('users as u', 'u.id', 'a.user_id')
    .where('a.id', id)
    .first<AccountRow | undefined>(
      'a.id',
      'a.application',
      'p.name as application_name',
      'a.network',
      'a.address',
      'a.name',
      db.raw('case when u.email_verified then u.email end as email'),
      db.raw('case when u.phone_number_verified then u.phone_number end as phone_number'),
      'a.created_at',
      'a.updated_at',
    )
  return row ? presentAccount(row) : null
}

const presentAccount = (row: AccountRow): Account => ({
  id: row.id,
  application: { id: row.application, name: row.application_name },
  network: row.network,
  address: row.address,
  user: { name: row.name, email: row.email, phoneNumber: row.phone_number },
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
