import type { Knex } from 'knex'

/** Lets buyers of an organization sign in by phone, for which there is no route yet. */
export async function enablePhoneSignIn(db: Knex, organization: string): Promise<void> {
  await db.raw(
    `update organizations set settings = jsonb_set(settings, '{authConfig,phone-otp,enabled}', 'true') where id = ?`,
    [organization],
  )
}
