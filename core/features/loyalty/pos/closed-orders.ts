import { findHazards } from '../../../kernel/json/hazards.ts'
import { isObject } from '../../../kernel/json/values.ts'
import type { Issue } from '../../../kernel/problem.ts'

/** The status of an order that is closed and paid. */
const closedStatus = 255
const maxItems = 500

/** An order as a restaurant point-of-sale system reports it. Amounts are decimal text. */
export interface ClosedOrder {
  id: string
  restaurant: string
  isClosed: boolean
  customer: { id: string; email: string | null; phone: string | null } | null
  total: string
  currency: string
  items: { sku?: string; name: string; quantity: number; unitPrice: string }[]
  closedAt: Date | null
  /** What was refunded of the total so far. */
  refunded: string
}

export interface ParsedOrder {
  order: ClosedOrder | null
  issues: Issue[]
}

/**
 * Parses an order. Members that are not known are ignored: they belong to the other system.
 * @returns null with all that is wrong if it cannot be read
 */
export function parseClosedOrder(value: unknown): ParsedOrder {
  const { hazards } = findHazards(value, null)
  if (hazards.length > 0) return { order: null, issues: hazards }
  const reader = new OrderReader(value)
  const order: ClosedOrder = {
    id: reader.readText('id', 200),
    restaurant: reader.readText('restaurantId', 200),
    isClosed: reader.read('status') === closedStatus,
    customer: readCustomer(reader),
    total: reader.readAmount('total'),
    currency: reader.readText('currency', 3).toUpperCase(),
    items: readItems(reader.read('items')),
    closedAt: reader.readTime('closedAt'),
    refunded: reader.read('refundedTotal') === undefined ? '0' : reader.readAmount('refundedTotal'),
  }
  return { order: reader.issues.length === 0 ? order : null, issues: reader.issues }
}

const amountPattern = /^\d{1,12}(?:\.\d{1,4})?$/

/** Returns the decimal text of an amount, or undefined if it is none. */
function formatAmount(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && amountPattern.test(text) ? text : undefined
}

function readCustomer(reader: OrderReader): ClosedOrder['customer'] {
  const value = reader.read('customer')
  if (!isObject(value)) return null
  const { id, email, phone } = value
  if (typeof id !== 'string' || id.length === 0 || id.length > 200) {
    reader.issues.push({ path: 'customer.id', code: 'type', message: 'must be a text of 1 to 200 characters' })
    return null
  }
  return {
    id,
    email: typeof email === 'string' && email.length <= 254 ? email.toLowerCase() : null,
    phone: typeof phone === 'string' && phone.length <= 40 ? phone : null,
  }
}

/** Reads the items. They are shown and count for nothing, so one that cannot be read is left out. */
function readItems(value: unknown): ClosedOrder['items'] {
  if (!Array.isArray(value)) return []
  return value.slice(0, maxItems).flatMap((item: unknown) => {
    if (!isObject(item)) return []
    const { sku, name, quantity, unitPrice } = item
    const price = formatAmount(unitPrice)
    if (typeof name !== 'string' || typeof quantity !== 'number' || price === undefined) return []
    return [
      {
        ...(typeof sku === 'string' && { sku: sku.slice(0, 200) }),
        name: name.slice(0, 500),
        quantity,
        unitPrice: price,
      },
    ]
  })
}

/** Reads the members of an order, and collects what is wrong with them. */
class OrderReader {
  readonly issues: Issue[] = []
  readonly #value: Record<string, unknown>

  constructor(value: unknown) {
    this.#value = isObject(value) ? value : {}
  }

  read(name: string): unknown {
    return this.#value[name] ?? undefined
  }

  readText(path: string, maxLength: number): string {
    const value = this.read(path)
    if (typeof value === 'string' && value.length > 0 && value.length <= maxLength) return value
    this.issues.push({ path, code: 'type', message: `must be a text of 1 to ${maxLength} characters` })
    return ''
  }

  readAmount(path: string): string {
    const amount = formatAmount(this.read(path))
    if (amount === undefined)
      this.issues.push({ path, code: 'type', message: 'must be an amount of at most 4 decimals' })
    return amount ?? '0'
  }

  readTime(path: string): Date | null {
    const value = this.read(path)
    if (value === undefined) return null
    const at = new Date(typeof value === 'string' ? value : Number.NaN)
    if (!Number.isNaN(at.getTime())) return at
    this.issues.push({ path, code: 'format', message: 'must be a date and time' })
    return null
  }
}
