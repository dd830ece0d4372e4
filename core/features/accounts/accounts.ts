import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import type { DirectDatabase } from '../../database/connection.ts'
import { createStatementSource, type Columns } from '../../database/list/index.ts'
import { newId } from '../../database/model.ts'
import type { Context } from '../../kernel/work.ts'
import { readAnyApplication } from '../applications/index.ts'
import { recordEvent } from '../events/index.ts'
import { AccountModel } from './accounts.model.ts'
import type { SessionAccount } from './accounts.schema.ts'
import { createScopedEntity } from '../../database/scoped-entity.ts'

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
 * @param assertWanted throws, in the transaction that would create an account, if none is wanted any more
 * @throws NOT_FOUND if the application does not exist; Error if the signer does not answer
 */
export async function ensureAccount(
  context: Context,
  holder: AccountHolder,
  assertWanted: (trx: Knex) => Promise<void> = async () => undefined,
): Promise<AccountModel> {
  const known = await findAccount(context.db, holder)
  if (known) return known
  const id = newId()
  const address = await context.chains.ensureWalletAddress(holder.network, getWalletName(id))
  await context.db.transaction(async (trx) => {
    await assertWanted(trx)
    await insertAccount(trx, context, holder, { id, address })
  })
  const created = await findAccount(context.db, holder)
  if (!created) throw new Error(`The account of a person in application ${holder.application} is gone`)
  return created
}

/** Returns the account of a person, or undefined if there is none. */
export async function findAccount(db: Knex, holder: AccountHolder): Promise<AccountModel | undefined> {
  const { application, network, user } = holder
  return AccountModel.query(db).findOne({ application, network, user_id: user })
}

/**
 * Keeps an account from being deleted until the transaction ends. Taken before the rows that are deleted with it.
 * @returns false if it has no person any more
 */
export async function holdAccount(trx: Knex, id: string): Promise<boolean> {
  return (await AccountModel.query(trx).findById(id).whereNotNull('user_id').select('id').forKeyShare()) !== undefined
}

/** Checks whether anybody has an account in the application. */
export async function hasAccounts(db: Knex, application: string): Promise<boolean> {
  const [found] = await AccountModel.query(db).where({ application }).select('id').limit(1)
  return found !== undefined
}

/**
 * Inserts an account, unless the person has one there already. The areas do in the same transaction what they do for a
 * new one.
 */
async function insertAccount(
  trx: Knex,
  context: Context,
  holder: AccountHolder,
  made: { id: string; address: string },
): Promise<void> {
  const { application, network, user } = holder
  const { organization } = await readAnyApplication(trx, application)
  const rows = await trx('accounts')
    .insert({ ...made, organization, application, network, user_id: user })
    .onConflict(['application', 'network', 'user_id'])
    .ignore()
    .returning('id')
  if (rows.length === 0) return
  await recordEvent(trx, { organization, application, subject: 'wallet', type: 'create' })
  await context.accountLife.begin(trx, context, { ...made, organization, application, network, user })
}

/** A row of an account for its organization, with its figures. Amounts of points are decimal text. */
export interface AccountRow {
  id: string
  organization: string
  application: string
  application_name: string
  network: Network
  address: string
  user_id: string
  name: string | null
  /** Verified e-mail address. */
  email: string | null
  /** Verified phone number. */
  phone_number: string | null
  /** RFC 3339 full date. */
  birth_date: string | null
  locale: string | null
  points: string
  points_pending: string
  points_settled: string
  visits: number
  fixed_reward_tier: string | null
  /** The effective tier, as it is kept beside the account. */
  reward_tier: string | null
  customer_id: string | null
  opt_in_apple: boolean
  opt_in_google: boolean
  passport_count: number
  last_activity_at: Date | null
  created_at: Date
  updated_at: Date
}

/**
 * The columns of an account's row. Names, and the verified contacts of its person, are looked up for the rows that are
 * returned only. An address or number that is not verified is not shown: nobody knows yet whose it is.
 */
const accountColumnsSql = `accounts.id, accounts.organization, accounts.application,
  (select p.name from applications p where p.id = accounts.application) as application_name,
  accounts.network, accounts.address, accounts.user_id, accounts.name,
  (select u.email from users u where u.id = accounts.user_id and u.email_verified) as email,
  (select u.phone_number from users u where u.id = accounts.user_id and u.phone_number_verified) as phone_number,
  accounts.birth_date::text as birth_date, accounts.locale, accounts.points::text as points,
  accounts.points_pending::text as points_pending, accounts.points_settled::text as points_settled, accounts.visits,
  accounts.fixed_reward_tier, accounts.reward_tier, accounts.customer_id, accounts.opt_in_apple, accounts.opt_in_google,
  accounts.passport_count, nullif(accounts.last_activity_at, '-infinity') as last_activity_at,
  accounts.created_at, accounts.updated_at`

/** The accounts of an organization that belong to somebody. An account whose person was erased is in no list. */
const ownAccountsSql = 'accounts.organization = ? and accounts.user_id is not null'

/**
 * Reads accounts of an organization, in the order of their ids. An id that is not among them, or is another
 * organization's, is left out.
 */
export async function readOwnAccounts(trx: Knex, organization: string, ids: readonly string[]): Promise<AccountRow[]> {
  const { rows } = await trx.raw<{ rows: AccountRow[] }>(
    `select ${accountColumnsSql} from accounts where ${ownAccountsSql} and accounts.id = any(?::uuid[])
     order by accounts.id`,
    [organization, ids as string[]],
  )
  return rows
}

/** Contacts that may name a person: an e-mail address in small letters, a phone number in E.164 form. */
export interface Contacts {
  email: string | null
  phoneNumber: string | null
}

/**
 * Finds the accounts of an application on a network whose people have proven one of the contacts of somebody.
 * @param isHeld whether none of them may be deleted before the transaction ends
 * @returns rows in the order of their ids
 */
export async function findAccountsByContacts(
  trx: Knex,
  { application, network }: Pick<AccountHolder, 'application' | 'network'>,
  { contacts, isHeld }: { contacts: readonly Contacts[]; isHeld: boolean },
): Promise<AccountRow[]> {
  const emails = contacts.flatMap(({ email }) => email ?? [])
  const phoneNumbers = contacts.flatMap(({ phoneNumber }) => phoneNumber ?? [])
  const { rows } = await trx.raw<{ rows: AccountRow[] }>(
    `select ${accountColumnsSql} from accounts
     where accounts.application = ? and accounts.network = ? and accounts.user_id in (
       select u.id from users u where u.email = any(?::text[]) and u.email_verified
       union all select u.id from users u where u.phone_number = any(?::text[]) and u.phone_number_verified)
     order by accounts.id ${isHeld ? 'for key share of accounts' : ''}`,
    [application, network, emails, phoneNumbers] as Knex.RawBinding[],
  )
  return rows
}

/** Finds the account of an application that has a customer of a point of sale. It is not deleted before the end. */
export async function findAccountByCustomer(
  trx: Knex,
  application: string,
  customer: string,
): Promise<AccountRow | undefined> {
  const { rows } = await trx.raw<{ rows: AccountRow[] }>(
    `select ${accountColumnsSql} from accounts
     where accounts.application = ? and accounts.customer_id = ? and accounts.user_id is not null for key share of accounts`,
    [application, customer],
  )
  return rows[0]
}

/** Lists which of some persons have an account in any application. */
export async function listAccountHolders(trx: Knex, users: readonly string[]): Promise<string[]> {
  return trx('accounts').whereIn('user_id', users).distinct().pluck<string[]>('user_id')
}

/** Reads the accounts of a person in an application, one a network, the oldest first. */
export async function readPersonAccounts(
  db: Knex,
  { application, user }: Pick<AccountHolder, 'application' | 'user'>,
): Promise<AccountRow[]> {
  const { rows } = await db.raw<{ rows: AccountRow[] }>(
    `select ${accountColumnsSql} from accounts where accounts.application = ? and accounts.user_id = ?
     order by accounts.created_at, accounts.id`,
    [application, user],
  )
  return rows
}

/** Creates the source of the list of an organization's accounts, for `listPage` with `accountColumns`. */
export const createAccountSource = (direct: DirectDatabase, organization: string) =>
  createStatementSource<AccountRow>(direct, {
    table: 'accounts',
    selected: accountColumnsSql,
    tenancy: { sql: ownAccountsSql, bindings: [organization] },
    counted: null,
  })

/** Makes a condition of accounts out of one of their people, among those whose contact is verified. */
const ofUsers = (isVerified: string) => (condition: string) =>
  `accounts.user_id in (select u.id from users u where ${isVerified} and ${condition})`

export const accountColumns: Columns = {
  id: { sql: 'accounts.id' },
  createdAt: { sql: 'accounts.created_at' },
  updatedAt: { sql: 'accounts.updated_at' },
  'application.id': { sql: 'accounts.application' },
  network: { sql: 'accounts.network' },
  address: { sql: 'accounts.address' },
  'user.name': { sql: 'accounts.name' },
  'user.email': { sql: 'u.email', isLowerCase: true, within: ofUsers('u.email_verified') },
  'user.phoneNumber': { sql: 'u.phone_number', within: ofUsers('u.phone_number_verified') },
  'loyalty.optimisticBalance': { sql: 'accounts.points' },
  'loyalty.visits': { sql: 'accounts.visits' },
  'dpp.passportCount': { sql: 'accounts.passport_count' },
  'dpp.lastActivityAt': { sql: 'accounts.last_activity_at' },
}

interface SessionAccountRow {
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
 * Returns the account as its person sees it, or null if there is none. A placeholder e-mail address is never verified and
 * so never shown.
 */
export async function findPresentedAccount(db: Knex, id: string): Promise<SessionAccount | null> {
  const row = await db('accounts as a')
    .join('applications as p', 'p.id', 'a.application')
    .join('users as u', 'u.id', 'a.user_id')
    .where('a.id', id)
    .first<SessionAccountRow | undefined>(
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
  return row ? presentSessionAccount(row) : null
}

const presentSessionAccount = (row: SessionAccountRow): SessionAccount => ({
  id: row.id,
  application: { id: row.application, name: row.application_name },
  network: row.network,
  address: row.address,
  user: { name: row.name, email: row.email, phoneNumber: row.phone_number },
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})

/** Accounts, as requests name them. */
export const accountEntity = createScopedEntity('accounts')
