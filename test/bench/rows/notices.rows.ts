import { randomUUID } from 'node:crypto'
import { createTemporaryFolder, removeFolder } from '../../support/folders.ts'
import { startPlatform } from '../../support/own-platform.ts'
import { startPos } from '../../support/pos/pos.ts'
import { bindRestaurant, webhookSecret } from '../../support/pos/restaurants.ts'
import { sign } from '../../support/pos/signing.ts'
import type { BenchOptions } from '../bench-setup.ts'
import { atMost, createAbsoluteFigure, createInformativeFigure, type Figure } from '../figures.ts'
import { runLoad, type HttpRequest } from '../load.ts'

/** Connections on which a POS sends its notices: one after the other, and as many at a time as it has workers. */
const connections = { single: 1, many: 8 }
const row = 'notices'

/**
 * Measures how long a restaurant's POS waits for the answer to a notice of an order, each of another order, while the
 * worker works them off.
 */
export async function measureNotices(options: BenchOptions): Promise<Figure[]> {
  const scratch = createTemporaryFolder()
  const pos = await startPos()
  const platform = await startPlatform({ env: { OUTBOUND_ALLOW: pos.host } })
  try {
    const { application, apiKey: key } = platform
    const { restaurantId, urls } = await bindRestaurant(pos, platform.api, { application, key })
    const send = async (places: number, count: number, seconds: number) => {
      const requests = Array.from({ length: count }, () => createNotice(urls.orderEnded, restaurantId))
      const found = await runLoad(platform.api, { requests, connections: places, seconds }, scratch)
      // Beyond that, notices would come again, which cost less.
      if (found.count > count) throw new Error(`${found.count} notices were sent of ${count} orders`)
      return found
    }
    // The first seconds of a process are slow, as in every row.
    await send(connections.many, 10_000, 3)
    const [count, seconds] = options.quick ? [10_000, 3] : [40_000, 10]
    const one = await send(connections.single, count, seconds)
    const many = await send(connections.many, count, seconds)
    const what = 'notices of a POS, each of a new order, while they are worked off'
    const inform = (about: string, unit: string, ours: number) =>
      createInformativeFigure({ row, what: `${what}, ${about}`, unit, ours })
    return [
      createAbsoluteFigure({
        row,
        what: `${what}, one after the other: p99`,
        unit: 'ms',
        ours: one.p99,
        target: atMost(50),
      }),
      inform('one after the other: p50', 'ms', one.p50),
      inform('one after the other', 'requests/s', one.perSecond),
      inform(`${connections.many} at a time: p99`, 'ms', many.p99),
      inform(`${connections.many} at a time: p50`, 'ms', many.p50),
      inform(`${connections.many} at a time`, 'requests/s', many.perSecond),
    ]
  } finally {
    await platform.stop()
    await pos.stop()
    await removeFolder(scratch)
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
