import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { optional, uuid } from '../../../kernel/schema.ts'
import { LoyaltyOrderList, orderList } from './orders.schema.ts'
import { listOrders } from './orders.ts'

const listOperation = declareOperation({
  id: 'list_loyalty_orders_v1',
  method: 'GET',
  path: '/v1/loyalty/orders',
  access: 'loyalty:read',
  scope: { list: 'application.id' },
  query: { walletId: optional(uuid('An account: same as filters[account.id][eq].')) },
  list: orderList,
  returns: { 200: LoyaltyOrderList },
  document: {
    tag: 'Points',
    summary: 'List orders',
    description: 'What changed points, the newest first.',
    mcpName: 'list_loyalty_orders',
  },
}).withReadHandler(({ caller, page, query: { walletId }, work }) => listOrders(work, caller, page, walletId))

export const orderOperations: Operation[] = [listOperation]
