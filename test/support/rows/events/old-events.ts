import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** Events to write: changes of an application. */
export interface OldEvents {
  organization: string
  application: string
  count: number
  createdAt: Date
}

/** Inserts events of any age, also of a time for which there is no month. */
export async function insertOldEvents(
  db: Knex,
  { organization, application, count, createdAt }: OldEvents,
): Promise<void> {
  await db('events').insert(
    Array.from({ length: count }, () => ({
      id: v7(),
      organization,
      application,
      application_name: 'A',
      subject: 'application',
      type: 'update',
      created_at: createdAt,
    })),
  )
}

/** Inserts tallies of any age, one each of what was counted. */
export async function insertOldTallies(
  db: Knex,
  { organization, application, count, createdAt }: OldEvents,
): Promise<void> {
  await db('event_tallies').insert(
    Array.from({ length: count }, () => ({
      organization,
      application,
      code: 'certified',
      number: 1,
      created_at: createdAt,
    })),
  )
}

/** Lists the tables of the months of events and the one of the rest, by their names. */
export async function listEventMonths(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1`,
  )
  return rows.map(({ name }) => name)
}
