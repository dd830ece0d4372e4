import type { Knex } from 'knex'

/** The number of passports as three records have it, which agree at every moment. */
export interface RecordedPassports {
  passports: number
  /** Events that a passport was created. */
  events: number
  /** What the numbers that lists show come to. */
  counted: number
}

/** Counts the passports of all organizations in one statement: as rows, as events and as lists count them. */
export async function countRecordedPassports(db: Knex): Promise<RecordedPassports> {
  const { rows } = await db.raw<{ rows: [RecordedPassports] }>(
    `select (select count(*)::int from passports) as passports,
      (select count(*)::int from events where type = 'create' and subject = 'dppPassport') as events,
      (select sum(delta)::int from passport_counts where dimension = 'all') as counted`,
  )
  return rows[0]
}
