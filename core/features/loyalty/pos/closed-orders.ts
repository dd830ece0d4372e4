import { findHazards } from '../../../kernel/json/hazards.ts'
import { isObject } from '../../../kernel/json/values.ts'
import type { Issue } from '../../../kernel/problem.ts'

/** The status of an order that is closed and paid. */
const closedStatus = 255
/** The most items of an order. */
export const maxItems = 500

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
  /** Null if it cannot be read. Items that cannot be read are left out: they are shown and count for nothing. */
  order: ClosedOrder | null
  /** All that is wrong, also with items that were left out. */
  issues: Issue[]
}

/** Parses an order. Members that are not known are ignored: they belong to the other system. */
export function parseClosedOrder(value: unknown): ParsedOrder {
  const { hazards } = findHazards(value, null)
  if (hazards.length > 0) return { order: null, issues: hazards }
  const { items, issues: itemIssues } = readItems(isObject(value) ? value['items'] : undefined)
  const reader = new OrderReader(value)
  const order: ClosedOrder = {
    id: reader.readText('id', 200),
    restaurant: reader.readText('restaurantId', 200),
    isClosed: reader.read('status') === closedStatus,
    customer: readCustomer(reader),
    total: reader.readAmount('total'),
    currency: reader.readText('currency', 3).toUpperCase(),
    items,
    closedAt: reader.readTime('closedAt'),
    refunded: reader.read('refundedTotal') === undefined ? '0' : reader.readAmount('refundedTotal'),
  }
  return { order: reader.issues.length === 0 ? order : null, issues: [...reader.issues, ...itemIssues] }
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
  if (!isText(id, 200)) {
    reader.issues.push({ path: 'customer.id', code: 'type', message: 'must be a text of 1 to 200 characters' })
    return null
  }
  return {
    id,
    email: typeof email === 'string' && email.length <= 254 ? email.toLowerCase() : null,
    phone: typeof phone === 'string' && phone.length <= 40 ? phone : null,
  }
}

type Item = ClosedOrder['items'][number]

/** Reads the items, and says what is wrong with those that it leaves out. */
function readItems(value: unknown): { items: Item[]; issues: Issue[] } {
  if (value === undefined || value === null) return { items: [], issues: [] }
  if (!Array.isArray(value)) return { items: [], issues: [{ path: 'items', code: 'type', message: 'must be a list' }] }
  const read = value.slice(0, maxItems).map(readItem)
  const issues = read.flatMap((item, at) =>
    'issue' in item ? { ...item.issue, path: `items[${at}]${item.issue.path}` } : [],
  )
  if (value.length > maxItems)
    issues.push({ path: 'items', code: 'max_items', message: `must have at most ${maxItems} items` })
  return { items: read.flatMap((item) => ('issue' in item ? [] : item)), issues }
}

/** Reads an item, or says what is wrong with it, with a path within it. */
function readItem(item: unknown): Item | { issue: Issue } {
  const refuse = (path: string, message: string) => ({ issue: { path, code: 'type', message } })
  if (!isObject(item)) return refuse('', 'must be an object')
  const { sku = null, name, quantity, unitPrice } = item
  const price = formatAmount(unitPrice)
  if (!isText(name, 500)) return refuse('.name', 'must be a text of 1 to 500 characters')
  if (typeof quantity !== 'number') return refuse('.quantity', 'must be a number')
  if (price === undefined) return refuse('.unitPrice', 'must be an amount of at most 4 decimals')
  if (sku !== null && !isText(sku, 200)) return refuse('.sku', 'must be a text of 1 to 200 characters')
  return { ...(sku !== null && { sku }), name, quantity, unitPrice: price }
}

const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= maxLength

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
    if (isText(value, maxLength)) return value
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
