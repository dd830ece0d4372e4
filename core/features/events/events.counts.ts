import type { Knex } from 'knex'
import type { EventSubject, EventType } from '../../kernel/words.ts'

/** Counts the events of one type by organization, from one instant, inclusive, to another, exclusive. */
export async function countEvents(
  db: Knex,
  { subject, type, from, to }: { subject: EventSubject; type: EventType; from: Date; to: Date },
): Promise<{ organization: string; units: number }[]> {
  const { rows } = await db.raw<{ rows: { organization: string; units: number }[] }>(
    `select organization, count(*) as units from events
     where subject = ? and type = ? and created_at >= ? and created_at < ? group by organization`,
    [subject, type, from, to],
  )
  return rows
}
