import type { Knex } from 'knex'

/** Returns the name of the table that has the events of the month of a time. */
export const formatEventMonth = (at: Date) => `events_${at.toISOString().slice(0, 7).replace('-', '_')}`

/** Makes the table of the month of a time, as upkeep does for the months to come. */
export async function makeEventMonth(db: Knex, at: Date): Promise<void> {
  await db.raw('select make_events_month(?::date)', [at.toISOString().slice(0, 10)])
}

/** Drops the table of the month of a time, with its events. */
export async function dropEventMonth(db: Knex, at: Date): Promise<void> {
  await db.schema.dropTable(formatEventMonth(at))
}

/** Counts the events of an organization, in whichever table they are. */
export async function countEvents(db: Knex, organization: string): Promise<number> {
  const [row] = await db('events').where({ organization }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Counts the events in the table of the month of a time. */
export async function countEventsOfMonth(db: Knex, at: Date): Promise<number> {
  const [row] = await db(formatEventMonth(at)).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Counts the events of times that have no month. */
export async function countEventsWithoutMonth(db: Knex): Promise<number> {
  const [row] = await db('events_rest').count<{ count: string }[]>('*')
  return Number(row?.count)
}
