import type { Knex } from 'knex'
import {
  burnPoints,
  grantPoints,
  reversePoints,
  type PointsGrant,
  type PointsReversal,
  type PointsTarget,
} from '../../../../core/features/loyalty/index.ts'
import type { Shop } from '../../../support/world.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { getOperator } from '../../identity/people.ts'
import type { ShownAccount } from '../accounts/accounts.maker.ts'

/** The place of the points of an account, as its features know it. */
export async function readTarget(shop: Shop, account: string): Promise<PointsTarget> {
  const { address } = getBody<ShownAccount>(await shop.api.get(`/v1/accounts/${account}`))
  const { organization, application } = shop
  return { organization, application, network: 'EthereumAnvil', account, address }
}

/** The points of an account as the API shows them: what it can spend, and what it cannot spend yet. */
export async function readShownPoints(shop: Shop, account: string): Promise<unknown[]> {
  const { loyalty } = getBody<ShownAccount>(await shop.api.get(`/v1/accounts/${account}`))
  return [loyalty['optimisticBalance'], loyalty['pending']]
}

async function runInTransaction<T>(
  action: (trx: Knex, context: Awaited<ReturnType<typeof getOperator>>) => Promise<T>,
) {
  const context = await getOperator()
  return context.db.transaction((trx) => action(trx, context))
}

/** Gives points as a feature does, in a transaction. */
export const grant = (...grants: PointsGrant[]) => runInTransaction((trx, context) => grantPoints(trx, context, grants))

/** Takes points as a feature does, in a transaction. */
export const take = (burn: Parameters<typeof burnPoints>[2]) =>
  runInTransaction((trx, context) => burnPoints(trx, context, burn))

/** Takes back orders as a feature does, in a transaction. */
export const reverse = (...reversals: PointsReversal[]) =>
  runInTransaction((trx, context) => reversePoints(trx, context, reversals))
