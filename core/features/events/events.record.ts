import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { EventSubject, EventType } from './events.words.ts'

export interface NewEvent {
  organization: string
  application: string
  /** Needed only where the row of the application is gone already. */
  applicationName?: string
  subject: EventSubject
  type: EventType
  /** The passport as everybody may see it now, a draft its `id`; only for the subject dppPassport. */
  passport?: unknown
  /** That the numbers which were scanned are not registered by their maker; only of a scan. */
  unknown?: boolean
}

/** Writes an event in the caller's transaction: never lost, never without its change. */
export async function recordEvent(trx: Knex, event: NewEvent): Promise<void> {
  await recordEvents(trx, [event])
}

/** Writes events in the caller's transaction, in one statement however many. */
export async function recordEvents(trx: Knex, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const column = <T>(read: (event: NewEvent) => T) => events.map(read)
  await trx.raw(
    `insert into events (id, organization, application, application_name, subject, type, passport, unknown)
     select made.id, made.organization, made.application, coalesce(made.name, applications.name, ''),
       made.subject, made.type, made.passport, made.unknown
     from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::jsonb[], ?::boolean[])
       as made (id, organization, application, name, subject, type, passport, unknown)
     left join applications on applications.id = made.application`,
    [
      column(() => newId()), column(({ organization }) => organization), column(({ application }) => application),
      column(({ applicationName }) => applicationName ?? null),
      column(({ subject }) => subject), column(({ type }) => type),
      column(({ passport }) => (passport === undefined ? null : JSON.stringify(passport))),
      column(({ unknown }) => unknown === true ? true : null),
    ] as Knex.RawBinding[])
}
