import { listPage } from '../../../database/list/index.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { mapPageResult } from '../../../kernel/page.ts'
import { optional, uuid } from '../../../kernel/schema.ts'
import { createOrderSource, orderColumns, type OrderModel } from '../posting/index.ts'
import { LoyaltyOrderList, orderList, type LoyaltyOrder } from './orders.schema.ts'

const listOrders = declareOperation({
  id: 'list_loyalty_orders_v1',
  method: 'GET',
  path: '/v1/loyalty/orders',
  access: 'loyalty:read',
  query: { walletId: optional(uuid('An account: same as filters[account.id][eq].')) },
  list: orderList,
  returns: { 200: LoyaltyOrderList },
  document: {
    tag: 'Points',
    summary: 'List orders',
    description: 'What changed points, the newest first.',
    mcpName: 'list_loyalty_orders',
  },
}).withReadHandler(async ({ caller: { organization }, page, query: { walletId }, work }) => {
  const source = createOrderSource(work.trx, { organization, account: walletId ?? null })
  return mapPageResult(await listPage(source, page, orderColumns), presentOrder)
})

function presentOrder({
  id,
  account,
  kind,
  signed,
  total,
  currency,
  shownReference,
  status,
  items,
  rule,
  transactionHash,
  createdAt,
  updatedAt,
}: OrderModel): LoyaltyOrder {
  return {
    id,
    account,
    kind,
    points: signed,
    ...(total !== null && { amount: total }),
    ...(currency !== null && { currency }),
    reference: shownReference,
    status,
    items,
    ...(rule && { rule }),
    transactionHash,
    createdAt,
    updatedAt,
  }
}

export const orderOperations: Operation[] = [listOrders]
