import type { Knex } from 'knex'

/** Makes all scans 31 seconds old: nobody waits for the 30 in which the same reader is not counted again. */
export async function ageScans(db: Knex): Promise<void> {
  await db('passport_scans').update({ at: db.raw(`now() - interval '31 s'`) })
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
