import type { Knex } from 'knex'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import type { AccountSubject, OrganizationErasure } from '../area.ts'
import { recordEvent } from '../events/index.ts'
import { getWalletName } from './accounts.ts'

/**
 * What an account keeps when its person leaves it: nothing that names or describes the person. Its wallet stays under an
 * identifier that leads to nobody, because entries of the ledger and tokens on a chain belong to it.
 */
export const erasedAccountSql = `user_id = null, name = null, birth_date = null, locale = null, customer_id = null,
  opt_in_apple = false, opt_in_google = false, has_apple_card = false, has_google_card = false, fixed_reward_tier = null,
  reward_tier = null, tier_due_at = null`

/**
 * Erases the person of an account for ever, in the caller's transaction, with what the areas keep for the person there.
 * The key of its wallet must be erased before (`eraseWalletKey`).
 * @throws NOT_FOUND if there is no such account, or if it has no person any more
 */
export async function eraseAccount(trx: Knex, context: Context, organization: string, id: string): Promise<void> {
  const { rows } = await trx.raw<{ rows: AccountSubject[] }>(
    `select id, organization, application, network, address, user_id as "user" from accounts
     where organization = ? and id = ? and user_id is not null for update`,
    [organization, id],
  )
  const [account] = rows
  if (!account) throw createNotFoundProblem()
  await trx.raw(`update accounts set ${erasedAccountSql}, updated_at = now() where id = ?`, [id])
  const { application } = account
  await recordEvent(trx, { organization, application, subject: 'wallet', type: 'delete' })
  await context.accountLife.end(trx, context, account)
}

/**
 * Erases the key of an account's wallet in the signer, once however often it is called. Never call it inside a
 * transaction. @throws SignerUnreachableError if the signer does not answer
 */
export const eraseWalletKey = (
  { chains }: Pick<Context, 'chains'>,
  { id, network }: Pick<AccountSubject, 'id' | 'network'>,
): Promise<void> => chains.eraseWallet(network, getWalletName(id))

/** The most accounts of one transaction, because each may have much at other areas. */
const maxBatchAccounts = 50

/** Erases the persons of the accounts of a deleted organization, as if each account were deleted. */
export const eraseAccounts: OrganizationErasure = async ({ context, organization, limit, runStep }) => {
  const { rows } = await context.db.raw<{ rows: Pick<AccountSubject, 'id' | 'network'>[] }>(
    `select id, network from accounts where organization = ? and user_id is not null order by id limit ?`,
    [organization, Math.min(limit, maxBatchAccounts)],
  )
  for (const account of rows) await eraseWalletKey(context, account)
  return runStep(async (trx) => {
    // Another process may have erased some of them since they were read.
    const { rows: kept } = await trx.raw<{ rows: Pick<AccountSubject, 'id'>[] }>(
      'select id from accounts where organization = ? and id = any(?) and user_id is not null order by id',
      [organization, rows.map(({ id }) => id)],
    )
    for (const { id } of kept) await eraseAccount(trx, context, organization, id)
    // All that were read are done, and others may follow them.
    return rows.length
  })
}
