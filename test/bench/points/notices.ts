import { randomUUID } from 'node:crypto'
import { startPlatform } from '../../support/own-platform.ts'
import { startPos } from '../../support/pos/pos.ts'
import { bindRestaurant, webhookSecret } from '../../support/pos/restaurants.ts'
import { sign } from '../../support/pos/signing.ts'
import type { BenchOptions } from '../bench-setup.ts'
import { atMost, createAbsoluteFigure, createInformativeFigure, type Figure } from '../figures.ts'
import { runLoad, type HttpRequest } from '../load.ts'

/** Connections on which a POS sends its notices. */
const connections = 8
const row = 'credits'

/**
 * Measures how long a restaurant's POS waits for the answer to a notice of an order, each of another order, while the
 * worker works them off.
 */
export async function measureNotices(options: BenchOptions, scratch: string): Promise<Figure[]> {
  const pos = await startPos()
  const platform = await startPlatform({ env: { OUTBOUND_ALLOW: pos.host } })
  try {
    const { application, apiKey: key } = platform
    const { restaurantId, urls } = await bindRestaurant(pos, platform.api, { application, key })
    const count = options.quick ? 5_000 : 40_000
    const requests = Array.from({ length: count }, () => createNotice(urls.orderEnded, restaurantId))
    const found = await runLoad(platform.api, { requests, connections, seconds: options.quick ? 3 : 10 }, scratch)
    // Beyond that, notices would come again, which cost less.
    if (found.count > count) throw new Error(`${found.count} notices were sent of ${count} orders`)
    const what = `notices of a POS on ${connections} connections, each of a new order, while they are worked off`
    return [
      createAbsoluteFigure({ row, what: `${what}: p99`, unit: 'ms', ours: found.p99, target: atMost(50) }),
      createInformativeFigure({ row, what: 'the same, p50', unit: 'ms', ours: found.p50 }),
      createInformativeFigure({ row, what: 'the same', unit: 'requests/s', ours: found.perSecond }),
    ]
  } finally {
    await platform.stop()
    await pos.stop()
  }
}

function createNotice(url: string, restaurantId: string): HttpRequest {
  const body = JSON.stringify({
    id: randomUUID(),
    restaurantId,
    status: 255,
    customer: { id: `C-${randomUUID()}` },
    total: '42.50',
    currency: 'EUR',
    items: [{ sku: 'PIZZA-01', name: 'Pizza', quantity: 2, unitPrice: '21.25' }],
    closedAt: new Date().toISOString(),
  })
  const headers = { 'Content-Type': 'application/json', 'X-Signature': sign(body, webhookSecret) }
  return { method: 'POST', path: new URL(url).pathname, headers, body }
}
