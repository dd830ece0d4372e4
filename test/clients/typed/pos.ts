import type { Client } from 'tessera-client'
import { assertThat, unwrap, type Stage } from './stage.ts'

/**
 * Calls what the POS of restaurants calls: orders that were closed and refunded, and one that is paid with points.
 * @param account that becomes the customer, and has points
 */
export async function callAsPos(api: Client, stage: Stage, account: string): Promise<void> {
  const { sign, pos } = stage
  const { integrationId, restaurantId, customerId } = pos
  const named = { params: { path: { id: account } }, body: { loyalty: { customerId } } }
  await unwrap(api.PATCH('/v1/accounts/{id}', named))
  const client = stage.createClient({}, pos.baseUrl)
  const customer = { id: customerId }
  const order = { restaurantId, status: 255, customer, total: '10.00', currency: 'EUR' }
  const ended = { ...order, id: 'first' }
  const refunded = { ...ended, refundedTotal: '1.00' }
  const createHeader = (body: object) => ({ 'X-Signature': sign(JSON.stringify(body)) })
  const ofIntegration = (body: object) => ({ path: { integrationId }, header: createHeader(body) })
  const base = '/v1/loyalty/pos-integration'
  const answers = [
    await unwrap(client.POST(`${base}/{integrationId}/webhooks/order.ended`, { params: ofIntegration(ended), body: ended })),
    await unwrap(
      client.POST(`${base}/{integrationId}/webhooks/order.refunded`, { params: ofIntegration(refunded), body: refunded }),
    ),
    await unwrap(client.POST(`${base}/webhooks/order.ended`, { params: { header: createHeader(ended) }, body: ended })),
    await unwrap(
      client.POST(`${base}/webhooks/order.refunded`, { params: { header: createHeader(refunded) }, body: refunded }),
    ),
  ]
  assertThat(
    answers.every(({ received }) => received === true),
    'each notice is taken',
  )
  const burn = { orderId: pos.paidOrder, points: 1 }
  const params = { path: { restaurantId, customerId }, header: createHeader(burn) }
  const left = await unwrap(client.POST(`${base}/burn/{restaurantId}/{customerId}`, { params, body: burn }))
  assertThat(/^\d+$/.test(left.optimisticBalance), 'the balance is answered')
}
