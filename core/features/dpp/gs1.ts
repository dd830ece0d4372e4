import { problem, type Problem } from '../../kernel/problem.ts'

/** What a GS1 Digital Link says of a trade item. Values are decoded; the GTIN has 14 digits. */
export interface DigitalLink {
  gtin: string
  /** Consumer product variant (AI 22). */
  variant?: string
  /** Batch or lot number (AI 10). */
  batch?: string
  /** Serial number (AI 21). */
  serial?: string
}

/** Key qualifiers of a GTIN in the order that they need. Source: GS1 Digital Link URI Syntax 1.x, section 4.9. */
const qualifiers = [
  { ai: '22', name: 'variant', what: 'A variant' },
  { ai: '10', name: 'batch', what: 'A batch number' },
  { ai: '21', name: 'serial', what: 'A serial number' },
] as const

const weights = [3, 1] as const

/** The check digit of digits that have none yet. Source: GS1 General Specifications, section 7.9.1. */
export function checkDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, at) => total + Number(digit) * (weights[at % 2] ?? 1), 0)
  return String((10 - (sum % 10)) % 10)
}

const gtinShape = /^(?:\d{8}|\d{12,14})$/

/** A GTIN-8, -12, -13 or -14 with the right check digit. Source: GS1 General Specifications, sections 3.3.2, 7.9.1. */
export function isGtin(text: string): boolean {
  return gtinShape.test(text) && checkDigit(text.slice(0, -1)) === text.at(-1)
}

type Product = Record<string, unknown>

/**
 * The GTIN of a product, with 14 digits: its `gtin`, else the digits after `/01/` in its `id`, else that of the next
 * product; null where there is none, or its check digit is wrong.
 * @param products itself, then those that it inherits from
 */
export function gtinOf(...products: readonly Product[]): string | null {
  const found = products.map(gtinDigitsOf).find((digits) => digits !== undefined)
  return found !== undefined && isGtin(found) ? found.padStart(14, '0') : null
}

/** The function `passport_gtin` of the database finds the same. */
function gtinDigitsOf({ gtin, id }: Product): string | undefined {
  const told = typeof gtin === 'number' ? String(gtin) : gtin
  if (typeof told === 'string' && gtinShape.test(told)) return told
  return typeof id === 'string' ? /\/01\/(\d{8}|\d{12,14})(?:[/?#]|$)/.exec(id)?.[1] : undefined
}

/** The 82 characters of GS1, at most 20. Source: GS1 General Specifications, figure 7.11-1, sections 3.4.2, 3.5.2. */
const valueShape = /^[!"%-?A-Z_a-z]{1,20}$/
/** What clients take out of an address before they send it. Source: RFC 3986, section 5.2.4. */
const dots = /^\.{1,2}$/

/** Whether a text can be a variant, a batch or a serial number of a Digital Link. */
export const isDigitalLinkValue = (text: string): boolean => valueShape.test(text)

/** The path of a Digital Link, without a slash at its end; null where a number cannot stand in one. */
export function buildDigitalLink(link: DigitalLink): string | null {
  const parts = qualifiers.flatMap(({ ai, name }) => {
    const value = link[name]
    return value === undefined ? [] : [{ ai, value }]
  })
  if (!parts.every(({ value }) => valueShape.test(value) && !dots.test(value))) return null
  return `/01/${link.gtin}${parts.map(({ ai, value }) => `/${ai}/${encoded(value)}`).join('')}`
}

/** All but letters, digits, `-`, `.` and `_`. Source: GS1 Digital Link URI Syntax 1.x, section 4.2. */
const encoded = (value: string) =>
  value.replace(/[^\w.-]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

/** Where a product resolves: its granularity decides what stands behind the GTIN. @param gtin its own, unless stated */
export function digitalLinkOf(
  publicUrl: string, product: Product, gtin: string | null = gtinOf(product),
): string | null {
  if (gtin === null) return null
  const { idGranularity, batchNumber, itemNumber } = product
  const path = buildDigitalLink({
    gtin,
    ...(idGranularity !== 'model' && typeof batchNumber === 'string' && { batch: batchNumber }),
    ...(idGranularity === 'item' && typeof itemNumber === 'string' && { serial: itemNumber }),
  })
  return path === null ? null : `${publicUrl}${path}`
}

/** One segment with all qualifiers in it; none of them is as long. Source: GS1 Digital Link Compression 1.x. */
const compressed = /^[\w-]{5,}$/

const refusal = (path: string, detail: string): Problem => problem('INVALID_REQUEST', detail, { path })

/**
 * Reads the path of a Digital Link, as it came: percent-encoded. A slash at its end is passed over, a GTIN of 8, 12 or
 * 13 digits is taken too; what is compressed behind the GTIN is refused. Source: GS1 Digital Link URI Syntax 1.x, sections 4.1 to 4.9; GS1-Conformant Resolver 1.2,
 * sections 2.4 and 2.13. @throws INVALID_REQUEST
 */
export function parseDigitalLink(path: string): DigitalLink {
  const [, key, gtin = '', ...rest] = path.replace(/\/$/, '').split('/').map(decoded)
  if (key !== '01') throw refusal('path', 'The path of a product begins with /01/ and its GTIN.')
  if (!gtinShape.test(gtin)) throw refusal('gtin', 'A GTIN has 8, 12, 13 or 14 digits.')
  if (!isGtin(gtin)) throw refusal('gtin', `The check digit of the GTIN ${gtin} is wrong: a digit is mistyped.`)
  const [only = ''] = rest
  if (rest.length === 1 && compressed.test(only)) {
    const written = '/01/<GTIN>/10/<batch>/21/<serial number>'
    throw refusal('path', `The link is compressed, which is not read here. Write it out, as ${written}.`)
  }
  const link: DigitalLink = { gtin: gtin.padStart(14, '0') }
  let next = 0
  for (let at = 0; at < rest.length; at += 2) {
    const place = qualifiers.findIndex(({ ai }) => ai === rest[at])
    const qualifier = qualifiers[place]
    if (!qualifier) throw refusal('path', 'What follows a GTIN is 22 (variant), 10 (batch) or 21 (serial number).')
    if (place < next) throw refusal('path', 'After a GTIN come 22, 10 and 21, in this order and each once.')
    link[qualifier.name] = judged(qualifier, rest[at + 1] ?? '')
    next = place + 1
  }
  return link
}

function judged({ ai, name, what }: (typeof qualifiers)[number], value: string): string {
  if (valueShape.test(value)) return value
  throw refusal(name, `${what} (${ai}) has 1 to 20 letters, digits or signs of the GS1 character set.`)
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw refusal('path', 'The path is not percent-encoded UTF-8.')
  }
}
