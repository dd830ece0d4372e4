import type { QueryBuilder } from 'objection'
import type { Columns } from '../../database/list.ts'
import { Model } from '../../database/model.ts'
import type { EventSubject, EventType } from './events.words.ts'

export class EventModel extends Model {
  declare organization: string
  declare application: string
  declare applicationName: string
  declare subject: EventSubject
  declare type: EventType
  declare passport: Record<string, unknown> | null
  declare unknown: boolean | null

  static override tableName = 'events'
  static override jsonAttributes = ['passport']
  static override modifiers = {
    ofOrganization(query: QueryBuilder<EventModel>, organization: string) {
      void query.where('events.organization', organization)
    },
  }
}

/** In the sheet flow `product` is an id: a member of it is then null, and a filter on it matches nothing. */
export const eventColumns: Columns = {
  id: { sql: 'events.id' },
  createdAt: { sql: 'events.created_at' },
  updatedAt: { sql: 'events.created_at' },
  subject: { sql: 'events.subject' },
  type: { sql: 'events.type' },
  'application.id': { sql: 'events.application' },
  'passport.id': { sql: 'events.passport_id' },
  'passport.product.idGranularity': { sql: "(events.passport->'product'->>'idGranularity')" },
  'passport.product.name': { sql: "(events.passport->'product'->>'name')" },
  'passport.product.itemNumber': { sql: "(events.passport->'product'->>'itemNumber')" },
}

/** The same for readers who may not read passports: to them every event is without one, so a filter finds none by it. */
export const columnsWithoutPassports: Columns = Object.fromEntries(
  Object.entries(eventColumns).map(([name, column]) =>
    [name, name === 'passport.id' ? { sql: 'null::uuid' } : name.startsWith('passport.') ? { sql: 'null::text' } : column]),
)
