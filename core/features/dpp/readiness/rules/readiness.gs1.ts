import type { Finding } from '../answers.types.ts'
import { isObject } from '../../fields/index.ts'
import { exampleGtin, type Granularity, isGtin } from '../../content/index.ts'
import { createFinding } from '../readiness.table.ts'

type Product = Record<string, unknown>

/** The numbers in a GS1 Digital Link. `level`: the finest granularity that the link names. */
interface LinkedNumbers {
  digits: string
  batch: string | null
  serial: string | null
  level: Granularity
}

/**
 * The pattern of a GTIN in an address. Fewer than 7 digits after `/01/` are not taken for a GTIN, because addresses of
 * other kinds have such parts too.
 */
const gtinPart = /\/01\/(\d{7,})(?=[/?#]|$)/
const maxAddressLength = 2_000

/** Checks whether a product has a GTIN, valid or not, in its `gtin` or in its identifier. */
export const hasGtin = ({ gtin, id }: Product): boolean => gtin !== undefined || parseLinkedNumbers(id) !== null

function parseLinkedNumbers(id: unknown): LinkedNumbers | null {
  if (typeof id !== 'string' || id.length > maxAddressLength) return null
  const found = gtinPart.exec(id)
  if (!found) return null
  const [path = ''] = id.slice(found.index + found[0].length).split(/[?#]/)
  const parts = path.split('/').slice(1)
  const value = (key: string) => {
    const at = parts.findIndex((part, index) => index % 2 === 0 && part === key)
    return at === -1 ? null : decodePart(parts[at + 1] ?? '')
  }
  const [batch, serial] = [value('10'), value('21')]
  const level = serial !== null ? 'item' : batch !== null ? 'batch' : 'model'
  return { digits: found[1] ?? '', batch, serial, level }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * Validates the GTIN of a product, its Global Location Numbers, and whether its numbers match its identifier if that is
 * a GS1 Digital Link.
 * Source: GS1 General Specifications, section 7.9; GS1 Digital Link Standard: URI Syntax.
 */
export function validateGs1(product: Product): Finding[] {
  const named = parseLinkedNumbers(product['id'])
  const numbers = named ? validateNumbers(product, named) : []
  return [...validateGtins(product, named?.digits ?? null), ...numbers, ...validateGlns(product)]
}

function validateGtins({ gtin, id }: Product, digits: string | null): Finding[] {
  const [valid = exampleGtin] = [gtin, digits].filter((one) => typeof one === 'string' && isGtin(one))
  const own = gtin === undefined ? [] : validateGtin(gtin, 'product.gtin', valid)
  const linked =
    digits === null ? [] : validateGtin(digits, 'product.id', String(id).replace(gtinPart, `/01/${String(valid)}`))
  const found = [...own, ...linked]
  const differ = typeof gtin === 'string' && digits !== null && gtin.padStart(14, '0') !== digits.padStart(14, '0')
  if (found.length > 0 || !differ) return found
  return [
    createFinding('gtin_mismatch', 'product.gtin', 'is another GTIN than the one in product.id', { example: digits }),
  ]
}

/** @param example the value of the member with a right GTIN */
function validateGtin(gtin: unknown, at: string, example: unknown): Finding[] {
  if (typeof gtin !== 'string' || !/^(\d{8}|\d{12,14})$/.test(gtin)) {
    return [createFinding('gtin_length', at, 'has no GTIN of 8, 12, 13 or 14 digits', { example })]
  }
  const what = 'has a GTIN whose last digit does not follow from the others'
  return isGtin(gtin) ? [] : [createFinding('gtin_check_digit', at, what, { example })]
}

const levels: readonly Granularity[] = ['model', 'batch', 'item']

function validateNumbers(product: Product, numbers: LinkedNumbers): Finding[] {
  const { batch, serial, level } = numbers
  const { idGranularity, batchNumber, itemNumber } = product
  const findings: Finding[] = []
  const compare = (name: string, own: unknown, linked: string | null) => {
    if (typeof own !== 'string' || linked === null || own === linked) return
    findings.push(
      createFinding('identifier_number_mismatch', `product.${name}`, 'is another number than the one in product.id', {
        example: linked,
      }),
    )
  }
  compare('batchNumber', batchNumber, batch)
  compare('itemNumber', itemNumber, serial)
  const wanted = levels.indexOf(idGranularity as Granularity)
  const there = levels.indexOf(level)
  if (wanted !== -1 && there > wanted) {
    findings.push(
      createFinding('identifier_too_fine', 'product.id', `names one ${level} of what is a ${idGranularity}`, {
        example: createLinkOf(product, numbers),
      }),
    )
  }
  if (there < wanted) {
    findings.push(
      createFinding('identifier_too_coarse', 'product.id', `names the ${level} that the product is of`, {
        example: createLinkOf(product, numbers),
      }),
    )
  }
  return findings
}

/** Creates the identifier of a product with the numbers that its granularity has, from the identifier that it has. */
function createLinkOf(
  { id, idGranularity, batchNumber, itemNumber }: Product,
  { batch, serial }: LinkedNumbers,
): string {
  const [start = ''] = gtinPart.exec(String(id)) ?? []
  const base = String(id).slice(0, String(id).indexOf(start) + start.length)
  const formatPart = (key: string, linked: string | null, own: unknown, example: string) =>
    `/${key}/${encodeURIComponent(linked ?? (typeof own === 'string' ? own : example))}`
  const needsBatch = idGranularity === 'batch' || (idGranularity === 'item' && batch !== null)
  return [
    base,
    needsBatch ? formatPart('10', batch, batchNumber, 'LOT-7') : '',
    idGranularity === 'item' ? formatPart('21', serial, itemNumber, 'S-1') : '',
  ].join('')
}

/**
 * The pattern of a Global Location Number in an address. Facilities and parties have such numbers, with 13 digits and
 * the check digit of a GTIN-13.
 */
const glnPart = /\/41[47]\/(\d{13})(?=[/?#]|$)/

function validateGlns({ producedAtFacility, relatedParty }: Product): Finding[] {
  const parties = Array.isArray(relatedParty) ? relatedParty.slice(0, 200) : []
  const places = [
    { at: 'product.producedAtFacility.id', holder: producedAtFacility },
    ...parties.map((role: unknown, index) => ({
      at: `product.relatedParty[${index}].party.id`,
      holder: isObject(role) ? role['party'] : null,
    })),
  ]
  return places.flatMap(({ at, holder }) => {
    const id = isObject(holder) ? holder['id'] : null
    const digits = typeof id === 'string' && id.length <= maxAddressLength ? glnPart.exec(id)?.[1] : undefined
    if (digits === undefined || isGtin(digits)) return []
    return [createFinding('gln_check_digit', at, 'has a GLN whose last digit does not follow from the others')]
  })
}
