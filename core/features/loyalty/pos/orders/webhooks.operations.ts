import { declareOperation, type Operation, type SenderInput } from '../../../../kernel/operation.ts'
import { createValidationProblem } from '../../../../kernel/problem.ts'
import { boolean, object, oneOf, optional } from '../../../../kernel/schema.ts'
import type { Context } from '../../../../kernel/work.ts'
import { parseClosedOrder } from '../closed-orders.ts'
import type { Integration } from '../integrations.store.ts'
import { findNamedRestaurant, findSigner, maxSignedBytes } from '../signed-requests.ts'
import { keepTogether } from './keep.together.ts'
import { skipReasons } from './keep.ts'
import { PosOrder } from './webhooks.schema.ts'

const PosNoticeTaken = object(
  {
    received: optional(boolean('It is kept, and counts once.', { examples: [true] })),
    skipped: optional(oneOf(skipReasons, 'Why it does not count.')),
  },
  { title: 'PosNoticeTaken', description: 'What became of a notice.' },
)

/**
 * Keeps the order of a notice. @throws VALIDATION_FAILED for an order that cannot be read as a whole; the sweep, which
 * nobody answers, keeps it without what cannot be read
 */
async function receive(context: Context, integration: Integration, body: PosOrder) {
  const { order, issues } = parseClosedOrder(body)
  if (!order || issues.length > 0) throw createValidationProblem(issues)
  const skipped = await keepTogether(context, { integration, order })
  return skipped === null ? { received: true } : { skipped }
}

/** Finds the signer of a notice whose path does not name the integration: by the restaurant of the order. */
function findSignerByRestaurant(input: SenderInput<string>): Promise<Integration> {
  const restaurant = findNamedRestaurant(input.bytes)
  return findSigner(input, restaurant === null ? null : { restaurant })
}

const common = {
  method: 'POST',
  access: 'public',
  body: PosOrder,
  returns: { 200: PosNoticeTaken },
  problemCodes: ['WEBHOOK_INVALID_SIGNATURE'],
  transport: { maxBodyBytes: maxSignedBytes },
} as const

const tag = 'Points of sale'
const base = '/v1/loyalty/pos-integration'
const description = 'Called by the POS. An order counts once, however often it is reported.'

const orderEnded = declareOperation({
  ...common,
  id: 'report_pos_order_ended_v1',
  path: `${base}/:integrationId/webhooks/order.ended`,
  document: { tag, summary: 'Report a closed order', description },
}).withSignedHandler(
  (input) => findSigner(input, { id: input.params.integrationId }),
  ({ body, context, sender }) => receive(context, sender, body),
)

const orderRefunded = declareOperation({
  ...common,
  id: 'report_pos_order_refunded_v1',
  path: `${base}/:integrationId/webhooks/order.refunded`,
  document: { tag, summary: 'Report a refund', description },
}).withSignedHandler(
  (input) => findSigner(input, { id: input.params.integrationId }),
  ({ body, context, sender }) => receive(context, sender, body),
)

const restaurantOrderEnded = declareOperation({
  ...common,
  id: 'report_restaurant_order_ended_v1',
  path: `${base}/webhooks/order.ended`,
  document: { tag, summary: 'Report a closed order by its restaurant', description },
}).withSignedHandler(findSignerByRestaurant, ({ body, context, sender }) => receive(context, sender, body))

const restaurantOrderRefunded = declareOperation({
  ...common,
  id: 'report_restaurant_order_refunded_v1',
  path: `${base}/webhooks/order.refunded`,
  document: { tag, summary: 'Report a refund by its restaurant', description },
}).withSignedHandler(findSignerByRestaurant, ({ body, context, sender }) => receive(context, sender, body))

export const webhookOperations: Operation[] = [orderEnded, orderRefunded, restaurantOrderEnded, restaurantOrderRefunded]
