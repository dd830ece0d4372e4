import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { createProblem, createValidationProblem } from '../../../../kernel/problem.ts'
import { object, string, type Static } from '../../../../kernel/schema.ts'
import { UnavailableError } from '../../../../kernel/unavailable.ts'
import type { Context, Work } from '../../../../kernel/work.ts'
import { findApplication } from '../../../applications/index.ts'
import { PointsAmount, parsePoints, pointsText } from '../../amounts/index.ts'
import { burnPoints } from '../../posting/index.ts'
import { parseClosedOrder } from '../closed-orders.ts'
import { findRestaurant, type BoundRestaurant, type Integration } from '../integrations.store.ts'
import { PosAwayError, PosRefusalError, readPosOrder } from '../pos.client.ts'
import { openPosAddress } from '../settings.ts'
import { findSigner, maxSignedBytes } from '../signed-requests.ts'
import { createTarget, findCustomerAccount, lockCustomer, nameCustomer, type Customer } from './customers.ts'

const identifier = (description: string) => string(description, { minLength: 1, maxLength: 200 })

const PosBurn = object(
  { orderId: identifier('The order that is paid with points.'), points: PointsAmount },
  { title: 'PosBurn', description: 'Points that an order takes.' },
)

const PosBurnResult = object(
  { optimisticBalance: pointsText('What the account has left.') },
  { title: 'PosBurnResult', description: 'The points were taken.' },
)

/** What the POS wants to burn. */
type BurnRequest = Static<typeof PosBurn> & { restaurantId: string; customerId: string }

/** A burn that the order in the POS confirms. */
interface ConfirmedBurn {
  restaurant: BoundRestaurant
  customer: { id: string; email: string | null }
  orderId: string
  amount: bigint
}

const createForeignProblem = () =>
  createProblem('AUTH_INSUFFICIENT_PERMISSIONS', 'The order is not one of this customer at this restaurant.')

/**
 * Reads the order from the POS and checks that it confirms the burn. Outside any transaction.
 * @throws AUTH_INSUFFICIENT_PERMISSIONS for an order that is not this customer's at this restaurant
 * @throws VALIDATION_FAILED for another number of points than the order has
 * @throws UnavailableError if the POS does not answer
 */
async function confirmBurn(
  context: Context,
  integration: Integration,
  { restaurantId, customerId, orderId, points }: BurnRequest,
): Promise<ConfirmedBurn> {
  const amount = parsePoints(points, 'points')
  const restaurant = await findRestaurant(context.db, integration.id, restaurantId)
  const pos = openPosAddress(context, integration)
  if (!restaurant || !pos) throw createForeignProblem()
  const found = await readPosOrder(context.outbound, pos, orderId).catch((error: unknown) => {
    if (error instanceof PosRefusalError) throw createForeignProblem()
    if (error instanceof PosAwayError)
      throw new UnavailableError('The point-of-sale system does not answer now. Nothing was burned.', { cause: error })
    throw error
  })
  const { customer = null } = parseClosedOrder(found).order ?? {}
  if (found['restaurantId'] !== restaurantId || customer?.id !== customerId) throw createForeignProblem()
  if (String(found['points']) !== String(amount))
    throw createValidationProblem([{ path: 'points', code: 'other_amount', message: 'is not what the order says' }])
  return { restaurant, customer, orderId, amount }
}

async function burn({ trx, context }: Work, { id, organization }: Integration, confirmed: ConfirmedBurn) {
  const { restaurant, customer, orderId, amount } = confirmed
  const application = await findApplication(trx, restaurant.application)
  if (!application) throw createForeignProblem()
  const who: Customer = {
    organization,
    application: application.id,
    network: application.defaultNetwork,
    customer: customer.id,
    email: customer.email,
    phoneNumber: null,
  }
  await lockCustomer(trx, who)
  const account = await findCustomerAccount(trx, who)
  if (!account)
    throw createProblem('LOYALTY_INSUFFICIENT_BALANCE', 'The customer has no account.', { extra: { available: '0' } })
  const key = `pos ${id} ${orderId}`
  const { optimisticBalance } = await burnPoints(trx, context, { target: createTarget(account), key, amount })
  await nameCustomer(trx, context, account, who)
  return { optimisticBalance: String(optimisticBalance) }
}

const burnOperation = declareOperation({
  id: 'burn_pos_points_v1',
  method: 'POST',
  path: '/v1/loyalty/pos-integration/burn/:restaurantId/:customerId',
  params: { restaurantId: identifier('The restaurant.'), customerId: identifier('Its customer.') },
  access: 'public',
  body: PosBurn,
  returns: { 200: PosBurnResult },
  problemCodes: [
    'WEBHOOK_INVALID_SIGNATURE',
    'AUTH_INSUFFICIENT_PERMISSIONS',
    'LOYALTY_INSUFFICIENT_BALANCE',
    'LOYALTY_REFERENCE_REUSED',
    'QUOTA_EXCEEDED',
  ],
  transport: { maxBodyBytes: maxSignedBytes },
  document: {
    tag: 'Points of sale',
    summary: 'Pay an order with points',
    description: 'Called by the POS. The order is read from the POS; the same order burns once.',
  },
}).withSignedHandler(
  (input) => findSigner(input, { restaurant: input.params.restaurantId }),
  async ({ body, context, finish, params, sender }) => {
    const confirmed = await confirmBurn(context, sender, { ...params, ...body })
    return finish((work) => burn(work, sender, confirmed))
  },
)

export const burnOperations: Operation[] = [burnOperation]
