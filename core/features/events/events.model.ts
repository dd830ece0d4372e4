import type { QueryBuilder } from 'objection'
import type { Columns } from '../../database/list/index.ts'
import { Model } from '../../database/model.ts'
import type { EventSubject, EventType } from '../../kernel/words.ts'

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

/**
 * Columns that events can be filtered and sorted by. In an event of a passport with a sheet, `product` is an id: the
 * members of `product` are then null, and a filter on them matches nothing.
 */
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

/**
 * The same columns for callers who may not read passports: every passport column is null, so that no filter on a
 * passport finds an event.
 */
export const columnsWithoutPassports: Columns = Object.fromEntries(
  Object.entries(eventColumns).map(([name, column]) => [
    name,
    name === 'passport.id' ? { sql: 'null::uuid' } : name.startsWith('passport.') ? { sql: 'null::text' } : column,
  ]),
)
