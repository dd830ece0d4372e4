import type { Knex } from 'knex'

/** Makes the certificate of an application look as if it had ended. */
export async function expireCertificate(db: Knex, application: string): Promise<void> {
  await db.raw(
    `update wallet_credentials set facts = facts || '{"expiresAt": "2020-01-01T00:00:00.000Z"}'
     where application = ? and channel = 'apple-wallet'`,
    [application],
  )
}

/** Counts the accounts whose phones were not told yet that their cards have changed. */
export async function countCardUpdates(db: Knex): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>('select count(*)::int as count from card_updates')
  return rows[0].count
}

/** Makes every update due that a worker has taken or put off. */
export async function makeCardUpdatesDue(db: Knex): Promise<void> {
  await db.raw('update card_updates set due_at = now()')
}
