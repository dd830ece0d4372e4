import { createProblem, type ProblemError } from '../../../kernel/problem.ts'
import { computeCheckDigit } from '../../../kernel/text/check-digit.ts'

/** The numbers in a GS1 Digital Link of a trade item. Values are decoded; the GTIN has 14 digits. */
export interface DigitalLink {
  gtin: string
  /** Consumer product variant (AI 22). */
  variant?: string
  /** Batch or lot number (AI 10). */
  batch?: string
  /** Serial number (AI 21). */
  serial?: string
}

/** The key qualifiers of a GTIN, in their required order. Source: GS1 Digital Link URI Syntax 1.x, section 4.9. */
const qualifiers = [
  { ai: '22', name: 'variant', what: 'A variant' },
  { ai: '10', name: 'batch', what: 'A batch number' },
  { ai: '21', name: 'serial', what: 'A serial number' },
] as const

const gtinPattern = /^(?:\d{8}|\d{12,14})$/

/**
 * Checks whether a text is a GTIN-8, -12, -13 or -14 with a correct check digit. Source: GS1 General Specifications,
 * sections 3.3.2, 7.9.1.
 */
export function isGtin(text: string): boolean {
  return gtinPattern.test(text) && computeCheckDigit(text.slice(0, -1)) === text.at(-1)
}

type Product = Record<string, unknown>

/**
 * Finds the GTIN of a product, with 14 digits: its `gtin`, otherwise the digits after `/01/` in its `id`, otherwise the
 * GTIN of the next product. Null if there is none, or if its check digit is wrong.
 * @param products the product, then those that it inherits from
 */
export function findGtin(...products: readonly Product[]): string | null {
  const found = products.map(findGtinDigits).find((digits) => digits !== undefined)
  return found !== undefined && isGtin(found) ? found.padStart(14, '0') : null
}

/** Finds the digits of a GTIN in the same way as the database function `passport_gtin`. */
function findGtinDigits({ gtin, id }: Product): string | undefined {
  const gtinText = typeof gtin === 'number' ? String(gtin) : gtin
  if (typeof gtinText === 'string' && gtinPattern.test(gtinText)) return gtinText
  return typeof id === 'string' ? /\/01\/(\d{8}|\d{12,14})(?:[/?#]|$)/.exec(id)?.[1] : undefined
}

/**
 * The pattern of a value: 1 to 20 of the 82 characters of GS1. Source: GS1 General Specifications, figure 7.11-1,
 * sections 3.4.2, 3.5.2.
 */
const valuePattern = /^[!"%-?A-Z_a-z]{1,20}$/
/** The pattern of segments that clients remove from an address before they send it. Source: RFC 3986, section 5.2.4. */
const dotSegmentPattern = /^\.{1,2}$/

/** Checks whether a text can be a variant, a batch number or a serial number in a Digital Link. */
export const isDigitalLinkValue = (text: string): boolean => valuePattern.test(text)

/** Formats the path of a Digital Link, without a slash at its end; null if a number cannot stand in a link. */
export function formatDigitalLinkPath(link: DigitalLink): string | null {
  const parts = qualifiers.flatMap(({ ai, name }) => {
    const value = link[name]
    return value === undefined ? [] : [{ ai, value }]
  })
  if (!parts.every(({ value }) => valuePattern.test(value) && !dotSegmentPattern.test(value))) return null
  return `/01/${link.gtin}${parts.map(({ ai, value }) => `/${ai}/${encodeValue(value)}`).join('')}`
}

/**
 * Encodes all characters but letters, digits, `-`, `.` and `_`. Source: GS1 Digital Link URI Syntax 1.x, section 4.2.
 */
const encodeValue = (value: string) =>
  value.replace(/[^\w.-]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

/**
 * Creates the Digital Link of a product; its granularity decides what follows the GTIN. Null if there is no GTIN, or if
 * a number cannot stand in a link.
 * @param gtin the product's own GTIN by default
 */
export function createDigitalLink(
  publicUrl: string,
  product: Product,
  gtin: string | null = findGtin(product),
): string | null {
  if (gtin === null) return null
  const { idGranularity, batchNumber, itemNumber } = product
  const path = formatDigitalLinkPath({
    gtin,
    ...(idGranularity !== 'model' && typeof batchNumber === 'string' && { batch: batchNumber }),
    ...(idGranularity === 'item' && typeof itemNumber === 'string' && { serial: itemNumber }),
  })
  return path === null ? null : `${publicUrl}${path}`
}

/**
 * The pattern of a segment into which all qualifiers are compressed; no key of a qualifier is as long. Source: GS1
 * Digital Link Compression 1.x.
 */
const compressedPattern = /^[\w-]{5,}$/

const createInvalidLinkProblem = (path: string, detail: string): ProblemError =>
  createProblem('INVALID_REQUEST', detail, { path })

/**
 * Parses the percent-encoded path of a Digital Link. A slash at its end is ignored, and a GTIN of 8, 12 or 13 digits is
 * accepted too. A compressed link is refused.
 * Source: GS1 Digital Link URI Syntax 1.x, sections 4.1 to 4.9; GS1-Conformant Resolver 1.2, sections 2.4 and 2.13.
 * @throws INVALID_REQUEST
 */
export function parseDigitalLink(path: string): DigitalLink {
  const [, key, gtin = '', ...rest] = path.replace(/\/$/, '').split('/').map(decodeSegment)
  if (key !== '01') throw createInvalidLinkProblem('path', 'The path of a product begins with /01/ and its GTIN.')
  if (!gtinPattern.test(gtin)) throw createInvalidLinkProblem('gtin', 'A GTIN has 8, 12, 13 or 14 digits.')
  if (!isGtin(gtin))
    throw createInvalidLinkProblem('gtin', `The check digit of the GTIN ${gtin} is wrong: a digit is mistyped.`)
  const [only = ''] = rest
  if (rest.length === 1 && compressedPattern.test(only)) {
    const written = '/01/<GTIN>/10/<batch>/21/<serial number>'
    throw createInvalidLinkProblem(
      'path',
      `The link is compressed, which is not read here. Write it out, as ${written}.`,
    )
  }
  const link: DigitalLink = { gtin: gtin.padStart(14, '0') }
  let next = 0
  for (let at = 0; at < rest.length; at += 2) {
    const place = qualifiers.findIndex(({ ai }) => ai === rest[at])
    const qualifier = qualifiers[place]
    if (!qualifier)
      throw createInvalidLinkProblem('path', 'What follows a GTIN is 22 (variant), 10 (batch) or 21 (serial number).')
    if (place < next)
      throw createInvalidLinkProblem('path', 'After a GTIN come 22, 10 and 21, in this order and each once.')
    link[qualifier.name] = parseQualifierValue(qualifier, rest[at + 1] ?? '')
    next = place + 1
  }
  return link
}

function parseQualifierValue({ ai, name, what }: (typeof qualifiers)[number], value: string): string {
  if (valuePattern.test(value)) return value
  throw createInvalidLinkProblem(name, `${what} (${ai}) has 1 to 20 letters, digits or signs of the GS1 character set.`)
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw createInvalidLinkProblem('path', 'The path is not percent-encoded UTF-8.')
  }
}
