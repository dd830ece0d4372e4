import { OutboundError, type Outbound } from '../../../kernel/ports/outbound.ts'
import { isObject } from '../../../kernel/json/values.ts'
import type { Issue } from '../../../kernel/problem.ts'
import { parseClosedOrder, type ClosedOrder } from './closed-orders.ts'

/** Where a restaurant point-of-sale system answers, and the key that it asks for. */
export interface PosAddress {
  baseUrl: string
  apiKey: string
}

/** Thrown when the system refuses the key, or does not know what was asked for. */
export class PosRefusalError extends Error {
  override name = 'PosRefusalError'
}

/** Thrown when the system does not answer, or answers what cannot be read. */
export class PosAwayError extends Error {
  override name = 'PosAwayError'
}

/** A page of closed orders, and the number of the next page. */
export interface ClosedOrderPage {
  orders: ClosedOrder[]
  /** What could not be read of the page: a whole order, or items of one that is in `orders`. */
  unreadable: UnreadableOrder[]
  nextPage: number | null
}

export interface UnreadableOrder {
  /** Its identifier, as far as it can be read. */
  id: string | null
  isLeftOut: boolean
  /** What is wrong, without values: it goes into the log. */
  issues: Pick<Issue, 'path' | 'code'>[]
}

const maxAnswerBytes = 4 * 1024 * 1024
const timeoutMs = 5_000
/** The most that is said of one order that cannot be read. */
const maxIssues = 5

/** Reads JSON of the system. @throws PosRefusalError; PosAwayError */
async function get(outbound: Outbound, { baseUrl, apiKey }: PosAddress, path: string): Promise<unknown> {
  try {
    const { body } = await outbound.get(`${baseUrl.replace(/\/+$/, '')}${path}`, {
      mediaTypes: ['application/json'],
      maxBytes: maxAnswerBytes,
      timeoutMs,
      // The key goes to no other origin.
      sameOrigin: true,
      headers: { authorization: `Bearer ${apiKey}` },
    })
    return JSON.parse(body.toString()) as unknown
  } catch (cause) {
    const refusals: readonly (number | null)[] = [400, 401, 403, 404, 410]
    if (cause instanceof OutboundError && refusals.includes(cause.status))
      throw new PosRefusalError(`the point-of-sale system answered ${cause.status}`, { cause })
    if (cause instanceof OutboundError || cause instanceof SyntaxError)
      throw new PosAwayError('the point-of-sale system gave no answer that can be read', { cause })
    throw cause
  }
}

/** Checks that the system knows a restaurant. @throws PosRefusalError if the key may not see it or there is none; PosAwayError */
export async function confirmRestaurant(outbound: Outbound, pos: PosAddress, restaurant: string): Promise<void> {
  const found = await get(outbound, pos, `/restaurants/${encodeURIComponent(restaurant)}`)
  if (!isObject(found) || found['id'] !== restaurant)
    throw new PosRefusalError('the point-of-sale system answered another restaurant')
}

/** Reads an order. @throws PosRefusalError if there is none; PosAwayError */
export async function readPosOrder(
  outbound: Outbound,
  pos: PosAddress,
  order: string,
): Promise<Record<string, unknown>> {
  const found = await get(outbound, pos, `/orders/${encodeURIComponent(order)}`)
  if (!isObject(found) || found['id'] !== order)
    throw new PosAwayError('the point-of-sale system answered another order')
  return found
}

/**
 * Reads a page of the orders of a restaurant that were closed or refunded since a time, the oldest first.
 * @throws PosRefusalError; PosAwayError
 */
export async function readClosedOrders(
  outbound: Outbound,
  pos: PosAddress,
  { restaurant, since, page }: { restaurant: string; since: Date; page: number },
): Promise<ClosedOrderPage> {
  const query = new URLSearchParams({ since: since.toISOString(), page: String(page) })
  const found = await get(outbound, pos, `/restaurants/${encodeURIComponent(restaurant)}/closed-orders?${query}`)
  if (!isObject(found) || !Array.isArray(found['data']))
    throw new PosAwayError('the point-of-sale system answered no list of orders')
  const { data, nextPage } = found as { data: unknown[]; nextPage: unknown }
  const parsed = data.map((item: unknown) => ({ item, ...parseClosedOrder(item) }))
  return {
    orders: parsed.flatMap(({ order: readable }) => readable ?? []),
    unreadable: parsed.flatMap(({ item, order: readable, issues }) =>
      issues.length > 0
        ? {
            id: readId(item),
            isLeftOut: readable === null,
            issues: issues.slice(0, maxIssues).map(({ path, code }) => ({ path, code })),
          }
        : [],
    ),
    nextPage: typeof nextPage === 'number' && nextPage > page ? nextPage : null,
  }
}

function readId(item: unknown): string | null {
  const id = isObject(item) ? item['id'] : null
  return typeof id === 'string' ? id.slice(0, 200) : null
}
