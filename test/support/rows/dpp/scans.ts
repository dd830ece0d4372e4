import type { Knex } from 'knex'

/** Makes all scans so old: nobody waits for the seconds in which the same reader leaves no event, or is not counted again. */
export async function ageScans(db: Knex, seconds = 31): Promise<void> {
  await db('passport_scans').update({ at: db.raw('now() - make_interval(secs => ?)', [seconds]) })
}

/** Counts the scans that are remembered. */
export async function countScans(db: Knex): Promise<number> {
  const [row] = await db('passport_scans').count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Reads all that is remembered of scans as one text, in which a test looks for what must not be there. */
export async function readScanText(db: Knex): Promise<string> {
  const { rows } = await db.raw<{ rows: [{ text: string }] }>(
    `select string_agg(passport_scans::text, ' ') as text from passport_scans`,
  )
  return rows[0].text
}
