import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { EventSubject, EventType } from '../../kernel/words.ts'

export interface NewEvent {
  organization: string
  application: string
  /** Name of the application; only needed if the application's row is already deleted. */
  applicationName?: string
  subject: EventSubject
  type: EventType
  /** The passport as the public may see it now; of a draft only its `id`. Only for the subject dppPassport. */
  passport?: unknown
  /** True if the scanned numbers are not registered by their maker; only for scans. */
  unknown?: boolean
}

/** Writes an event in the caller's transaction, so that the event is stored if and only if its change is. */
export async function recordEvent(trx: Knex, event: NewEvent): Promise<void> {
  await recordEvents(trx, [event])
}

/** Writes any number of events in the caller's transaction with one statement. */
export async function recordEvents(trx: Knex, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const mapEvents = <T>(getValue: (event: NewEvent) => T) => events.map(getValue)
  await trx.raw(
    `insert into events (id, organization, application, application_name, subject, type, passport, unknown)
     select made.id, made.organization, made.application, coalesce(made.name, applications.name, ''),
       made.subject, made.type, made.passport, made.unknown
     from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::jsonb[], ?::boolean[])
       as made (id, organization, application, name, subject, type, passport, unknown)
     left join applications on applications.id = made.application`,
    [
      mapEvents(() => newId()),
      mapEvents(({ organization }) => organization),
      mapEvents(({ application }) => application),
      mapEvents(({ applicationName }) => applicationName ?? null),
      mapEvents(({ subject }) => subject),
      mapEvents(({ type }) => type),
      mapEvents(({ passport }) => (passport === undefined ? null : JSON.stringify(passport))),
      mapEvents(({ unknown }) => (unknown === true ? true : null)),
    ] as Knex.RawBinding[],
  )
}
