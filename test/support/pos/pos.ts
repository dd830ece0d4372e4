import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An order as the stand-in has it. Status 255: closed. */
export interface StandInOrder {
  id: string
  restaurantId: string
  status: number
  customer?: { id: string; email?: string; phone?: string }
  total: string
  currency: string
  items: { name: string; quantity: number; unitPrice: string }[]
  closedAt: string
  refundedTotal?: string
  /** Points that the order asks to be paid with. */
  points?: number
  /** When it was closed or refunded last. */
  changedAt: string
}

export interface StandIn {
  address: string
  /** `<host>:<port>`, for OUTBOUND_ALLOW. */
  host: string
  apiKey: string
  restaurants: Set<string>
  orders: Map<string, StandInOrder>
  /** Paths of the requests with the right key, of those that came while it was away, and the number with a wrong key. */
  requests: string[]
  refused: string[]
  refusals: number
  /** The status with which it answers everything while it is away; null while it is there. */
  awayStatus: number | null
  /** Adds an order, closed now. */
  close(order: Partial<StandInOrder> & Pick<StandInOrder, 'id' | 'restaurantId'>): StandInOrder
  refund(id: string, refundedTotal: string): StandInOrder
  stop(): Promise<void>
}

const pageSize = 2

/** Starts a point-of-sale system of restaurants: it demands its key, and refuses what it does not know. */
export async function startPos(apiKey = 'key-of-the-stand-in'): Promise<StandIn> {
  const restaurants = new Set<string>()
  const orders = new Map<string, StandInOrder>()
  const server = createServer((request, response) => answer(standIn, request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const standIn: StandIn = {
    address: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    apiKey,
    restaurants,
    orders,
    requests: [],
    refused: [],
    refusals: 0,
    awayStatus: null,
    close(order) {
      const closedAt = order.closedAt ?? new Date().toISOString()
      const made = {
        status: 255,
        total: '10.00',
        currency: 'EUR',
        items: [{ name: 'Pizza', quantity: 1, unitPrice: '10.00' }],
        ...order,
        closedAt,
        changedAt: closedAt,
      }
      orders.set(order.id, made)
      return made
    },
    refund(id, refundedTotal) {
      const refunded = { ...orders.get(id)!, refundedTotal, changedAt: new Date().toISOString() }
      orders.set(id, refunded)
      return refunded
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return standIn
}

function answer(pos: StandIn, request: IncomingMessage, response: ServerResponse): void {
  const send = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const { pathname, searchParams } = new URL(request.url ?? '/', pos.address)
  if (request.headers.authorization !== `Bearer ${pos.apiKey}`) {
    pos.refusals++
    return void send(401, {})
  }
  if (pos.awayStatus !== null) {
    pos.refused.push(pathname)
    return void send(pos.awayStatus, {})
  }
  pos.requests.push(pathname)
  const [kind, id = '', list] = pathname.split('/').slice(1).map(decodeURIComponent)
  if (request.method !== 'GET') return void send(405, {})
  if (kind === 'orders' && list === undefined) {
    const order = pos.orders.get(id)
    return void send(order ? 200 : 404, order ?? {})
  }
  if (kind !== 'restaurants' || !pos.restaurants.has(id)) return void send(404, {})
  if (list === undefined) return void send(200, { id })
  const [since, page] = [Date.parse(searchParams.get('since') ?? ''), Number(searchParams.get('page'))]
  if (list !== 'closed-orders' || Number.isNaN(since) || !Number.isInteger(page) || page < 1) return void send(400, {})
  const found = [...pos.orders.values()]
    .filter((order) => order.restaurantId === id && Date.parse(order.changedAt) >= since)
    .sort((one, other) => one.changedAt.localeCompare(other.changedAt))
  const data = found.slice((page - 1) * pageSize, page * pageSize)
  send(200, { data, nextPage: found.length > page * pageSize ? page + 1 : null })
}
