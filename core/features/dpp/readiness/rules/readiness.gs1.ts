import type { Finding } from '../answers.types.ts'
import { isObject } from '../../fields/index.ts'
import { type Granularity, isGtin } from '../../content/index.ts'
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

function validateGtins({ gtin }: Product, digits: string | null): Finding[] {
  const own = gtin === undefined ? [] : validateGtin(gtin, 'product.gtin')
  const linked = digits === null ? [] : validateGtin(digits, 'product.id')
  const found = [...own, ...linked]
  const differ = typeof gtin === 'string' && digits !== null && gtin.padStart(14, '0') !== digits.padStart(14, '0')
  if (found.length > 0 || !differ) return found
  return [createFinding('gtin_mismatch', 'product.gtin', 'is another GTIN than the one in product.id')]
}

function validateGtin(gtin: unknown, at: string): Finding[] {
  if (typeof gtin !== 'string' || !/^(\d{8}|\d{12,14})$/.test(gtin)) {
    return [createFinding('gtin_length', at, 'has no GTIN of 8, 12, 13 or 14 digits')]
  }
  const what = 'has a GTIN whose last digit does not follow from the others'
  return isGtin(gtin) ? [] : [createFinding('gtin_check_digit', at, what)]
}

const levels: readonly Granularity[] = ['model', 'batch', 'item']

function validateNumbers(product: Product, { batch, serial, level }: LinkedNumbers): Finding[] {
  const { idGranularity, batchNumber, itemNumber } = product
  const findings: Finding[] = []
  const compare = (name: string, own: unknown, linked: string | null) => {
    if (typeof own !== 'string' || linked === null || own === linked) return
    findings.push(
      createFinding('identifier_number_mismatch', `product.${name}`, 'is another number than the one in product.id'),
    )
  }
  compare('batchNumber', batchNumber, batch)
  compare('itemNumber', itemNumber, serial)
  const wanted = levels.indexOf(idGranularity as Granularity)
  const there = levels.indexOf(level)
  if (wanted !== -1 && there > wanted) {
    findings.push(
      createFinding('identifier_too_fine', 'product.id', `names one ${level} of what is a ${idGranularity}`),
    )
  }
  if (there < wanted) {
    findings.push(createFinding('identifier_too_coarse', 'product.id', `names the ${level} that the product is of`))
  }
  return findings
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
