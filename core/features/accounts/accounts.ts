import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import { newId } from '../../database/model.ts'
import type { Context } from '../../kernel/work.ts'
import { findAnyApplication } from '../applications/index.ts'
import { recordEvent } from '../events/index.ts'
import { AccountModel } from './accounts.model.ts'
import type { Account } from './accounts.schema.ts'

/** Whom an account is for; there is one for each such triple. */
export interface AccountHolder { application: string; network: Network; user: string }

/** The name under which the signer keeps an account's wallet. */
export const walletOf = (account: string) => `account:${account}`

/**
 * The account of a person, made with its wallet and an event at first use. Asks the signer, so never call it inside a
 * transaction. Of several calls at the same time one makes it and all answer it.
 * @throws NOT_FOUND for an application that is not there; Error when the signer does not answer
 */
export async function ensureAccount(
  context: Pick<Context, 'db' | 'chains'>, holder: AccountHolder,
): Promise<AccountModel> {
  const known = await findAccount(context.db, holder)
  if (known) return known
  const id = newId()
  const address = await context.chains.address(holder.network, walletOf(id))
  await context.db.transaction((trx) => insertAccount(trx, holder, { id, address }))
  const made = await findAccount(context.db, holder)
  if (!made) throw new Error(`The account of a person in application ${holder.application} is gone`)
  return made
}

/** The account of a person, if there is one. */
export async function findAccount(db: Knex, holder: AccountHolder): Promise<AccountModel | undefined> {
  const { application, network, user } = holder
  return AccountModel.query(db).findOne({ application, network, user_id: user })
}

async function insertAccount(trx: Knex, holder: AccountHolder, made: { id: string; address: string }): Promise<void> {
  const { application, network, user } = holder
  const { organization } = await findAnyApplication(trx, application)
  const rows = await trx('accounts')
    .insert({ ...made, organization, application, network, user_id: user })
    .onConflict(['application', 'network', 'user_id']).ignore().returning('id')
  if (rows.length > 0) await recordEvent(trx, { organization, application, subject: 'wallet', type: 'create' })
}

interface Shown {
  id: string; application: string; application_name: string; network: Network; address: string
  name: string | null; email: string | null; phone_number: string | null; created_at: Date; updated_at: Date
}

/** The account as the API shows it, or null when there is none. A made-up e-mail is never verified, so never shown. */
export async function showAccount(db: Knex, id: string): Promise<Account | null> {
  const row = await db('accounts as a')
    .join('applications as p', 'p.id', 'a.application')
    .join('users as u', 'u.id', 'a.user_id')
    .where('a.id', id).first<Shown | undefined>(
      'a.id', 'a.application', 'p.name as application_name', 'a.network', 'a.address', 'a.name',
      db.raw('case when u.email_verified then u.email end as email'),
      db.raw('case when u.phone_number_verified then u.phone_number end as phone_number'),
      'a.created_at', 'a.updated_at')
  return row ? shown(row) : null
}

const shown = (row: Shown): Account => ({
  id: row.id,
  application: { id: row.application, name: row.application_name },
  network: row.network,
  address: row.address,
  user: { name: row.name, email: row.email, phoneNumber: row.phone_number },
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
