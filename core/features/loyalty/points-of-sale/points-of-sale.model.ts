import type { QueryBuilder } from 'objection'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import type { pointOfSaleStates } from './points-of-sale.machine.ts'
import { createScopedEntity } from '../../../database/scoped-entity.ts'

/** A place where customers of an application pay. */
export class PointOfSaleModel extends Model {
  declare organization: string
  declare application: string
  declare name: string
  declare externalId: string | null
  declare address: string | null
  /** Name of the IANA time zone database. */
  declare timeZone: string
  declare status: (typeof pointOfSaleStates)[number]

  static override tableName = 'points_of_sale'
  static override modifiers = {
    ofOrganization(query: QueryBuilder<PointOfSaleModel>, organization: string) {
      void query.where('points_of_sale.organization', organization)
    },
  }
}

export const pointOfSaleColumns = {
  id: { sql: 'points_of_sale.id' },
  createdAt: { sql: 'points_of_sale.created_at' },
  updatedAt: { sql: 'points_of_sale.updated_at' },
  'application.id': { sql: 'points_of_sale.application' },
  status: { sql: 'points_of_sale.status' },
  name: { sql: 'points_of_sale.name' },
} satisfies Columns

/** Points of sale, as requests name them. */
export const pointOfSaleEntity = createScopedEntity('points_of_sale')
