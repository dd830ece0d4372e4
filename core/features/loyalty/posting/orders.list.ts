import type { Knex } from 'knex'
import { raw } from 'objection'
import { createModelSource, type Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import type { EarningRule, OrderItem, OrderKind } from './orders.store.ts'
import type { orderStates } from './orders.machine.ts'

/** An order in a list. Points and amounts are decimal text. */
export class OrderModel extends Model {
  declare account: string
  declare kind: OrderKind
  declare signed: string
  /** Net total of the order of a shop; null for other kinds. */
  declare total: string | null
  declare currency: string | null
  declare shownReference: string | null
  declare status: (typeof orderStates)[number]
  declare items: OrderItem[]
  declare rule: EarningRule | null
  declare transactionHash: string | null

  static override tableName = 'loyalty_orders'
}

/** The columns by which lists of orders are filtered and sorted. */
export const orderColumns = {
  id: { sql: 'loyalty_orders.id' },
  createdAt: { sql: 'loyalty_orders.created_at' },
  updatedAt: { sql: 'loyalty_orders.updated_at' },
  'application.id': { sql: 'loyalty_orders.application' },
  'account.id': { sql: 'loyalty_orders.account' },
  kind: { sql: 'loyalty_orders.kind' },
  reference: { sql: 'loyalty_orders.reference' },
  status: { sql: 'loyalty_orders.status' },
} satisfies Columns

/**
 * Creates the source of an organization's orders, for `listPage` with `orderColumns`.
 * @param query.account the orders of this account only; null for those of all
 */
export function createOrderSource(
  db: Knex,
  { organization, account }: { organization: string; account: string | null },
) {
  const query = OrderModel.query(db)
    .where('loyalty_orders.organization', organization)
    .select(
      'loyalty_orders.id',
      'loyalty_orders.account',
      'loyalty_orders.kind',
      raw('loyalty_orders.points::text').as('signed'),
      raw('trim_scale(loyalty_orders.amount)::text').as('total'),
      'loyalty_orders.currency',
      raw('coalesce(loyalty_orders.reference, loyalty_orders.external_id)').as('shown_reference'),
      'loyalty_orders.status',
      'loyalty_orders.items',
      'loyalty_orders.rule',
      'loyalty_orders.transaction_hash',
      'loyalty_orders.created_at',
      'loyalty_orders.updated_at',
    )
  if (account !== null) void query.where('loyalty_orders.account', account)
  return createModelSource(query)
}
