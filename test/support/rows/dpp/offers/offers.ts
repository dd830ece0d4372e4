import type { Knex } from 'knex'

/** Makes the offers of a passport older, so that they have expired. */
export async function ageOffers(db: Knex, passport: string, days: number): Promise<void> {
  await db.raw(
    `update passport_offers set expires_at = expires_at - make_interval(days => :days),
       created_at = created_at - make_interval(days => :days) where passport = :passport`,
    { passport, days },
  )
}

/** Reads all that is stored of the offers of a passport, as one text. */
export async function readOfferText(db: Knex, passport: string): Promise<string> {
  const { rows } = await db.raw<{ rows: { text: string | null }[] }>(
    `select string_agg(o::text, ' ') as text from passport_offers o where passport = ?`,
    [passport],
  )
  return rows[0]?.text ?? ''
}
