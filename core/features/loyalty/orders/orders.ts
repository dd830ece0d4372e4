import { listPage } from '../../../database/list/index.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { mapPageResult, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import type { Work } from '../../../kernel/work.ts'
import { createOrderSource, orderColumns, type OrderModel } from '../posting/index.ts'
import type { LoyaltyOrder } from './orders.schema.ts'

/** Lists what changed points in the caller's organization. @param account only of this account */
export async function listOrders(
  { trx }: Work,
  { organization }: OrganizationCaller,
  page: PageRequest,
  account?: string,
): Promise<PageResult<LoyaltyOrder>> {
  const source = createOrderSource(trx, { organization, account: account ?? null })
  return mapPageResult(await listPage(source, page, orderColumns), presentOrder)
}

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
