import type { Knex } from 'knex'

/** Makes the decided requests of a passport older. */
export async function ageRequests(db: Knex, passport: string, days: number): Promise<void> {
  await db.raw(
    'update claim_requests set decided_at = decided_at - make_interval(days => :days) where passport = :passport',
    { passport, days },
  )
}

/** Reads all that is stored of the requests for a passport, as one text. */
export async function readRequestText(db: Knex, passport: string): Promise<string> {
  const { rows } = await db.raw<{ rows: { text: string | null }[] }>(
    `select string_agg(r::text, ' ') as text from claim_requests r where passport = ?`,
    [passport],
  )
  return rows[0]?.text ?? ''
}
