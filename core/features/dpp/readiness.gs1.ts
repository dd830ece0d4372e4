import type { Finding } from './open.types.ts'
import { isObject } from './fields.judges.ts'
import { isGtin } from './gs1.ts'
import type { Granularity } from './product.schema.ts'
import { finding } from './readiness.table.ts'

type Product = Record<string, unknown>

/** What a GS1 Digital Link names. `level`: the smallest thing that it does. */
interface Named { digits: string; batch: string | null; serial: string | null; level: Granularity }

/** Digits after `/01/` that are too few for any GTIN are none: addresses of other kinds have such parts too. */
const gtinPart = /\/01\/(\d{7,})(?=[/?#]|$)/
const longestAddress = 2_000

/** Whether a product has a GTIN, right or wrong, in a place of its own or in its identifier. */
export const namesGtin = ({ gtin, id }: Product): boolean => gtin !== undefined || namedBy(id) !== null

function namedBy(id: unknown): Named | null {
  if (typeof id !== 'string' || id.length > longestAddress) return null
  const found = gtinPart.exec(id)
  if (!found) return null
  const [path = ''] = id.slice(found.index + found[0].length).split(/[?#]/)
  const parts = path.split('/').slice(1)
  const value = (key: string) => {
    const at = parts.findIndex((part, index) => index % 2 === 0 && part === key)
    return at === -1 ? null : decoded(parts[at + 1] ?? '')
  }
  const [batch, serial] = [value('10'), value('21')]
  const level = serial !== null ? 'item' : batch !== null ? 'batch' : 'model'
  return { digits: found[1] ?? '', batch, serial, level }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * What is wrong with the GTIN of a product, and where its identifier, a GS1 Digital Link, and its numbers contradict
 * each other. Source: GS1 General Specifications, section 7.9; GS1 Digital Link Standard: URI Syntax.
 */
export function judgeGs1(product: Product): Finding[] {
  const named = namedBy(product['id'])
  const numbers = named ? judgeNumbers(product, named) : []
  return [...judgeGtins(product, named?.digits ?? null), ...numbers, ...judgeGlns(product)]
}

function judgeGtins({ gtin }: Product, digits: string | null): Finding[] {
  const own = gtin === undefined ? [] : judgeGtin(gtin, 'product.gtin')
  const linked = digits === null ? [] : judgeGtin(digits, 'product.id')
  const found = [...own, ...linked]
  const differ = typeof gtin === 'string' && digits !== null && gtin.padStart(14, '0') !== digits.padStart(14, '0')
  if (found.length > 0 || !differ) return found
  return [finding('gtin_mismatch', 'product.gtin', 'is another GTIN than the one in product.id')]
}

function judgeGtin(gtin: unknown, at: string): Finding[] {
  if (typeof gtin !== 'string' || !/^(\d{8}|\d{12,14})$/.test(gtin)) {
    return [finding('gtin_length', at, 'has no GTIN of 8, 12, 13 or 14 digits')]
  }
  const what = 'has a GTIN whose last digit does not follow from the others'
  return isGtin(gtin) ? [] : [finding('gtin_check_digit', at, what)]
}

const levels: readonly Granularity[] = ['model', 'batch', 'item']

function judgeNumbers(product: Product, { batch, serial, level }: Named): Finding[] {
  const { idGranularity, batchNumber, itemNumber } = product
  const found: Finding[] = []
  const compare = (name: string, own: unknown, linked: string | null) => {
    if (typeof own !== 'string' || linked === null || own === linked) return
    found.push(finding('identifier_number_mismatch', `product.${name}`, 'is another number than the one in product.id'))
  }
  compare('batchNumber', batchNumber, batch)
  compare('itemNumber', itemNumber, serial)
  const wanted = levels.indexOf(idGranularity as Granularity)
  const there = levels.indexOf(level)
  if (wanted !== -1 && there > wanted) {
    found.push(finding('identifier_too_fine', 'product.id', `names one ${level} of what is a ${idGranularity}`))
  }
  if (there < wanted) {
    found.push(finding('identifier_too_coarse', 'product.id', `names the ${level} that the product is of`))
  }
  return found
}

/** Global Location Numbers of facilities and parties have 13 digits and the check digit of a GTIN-13. */
const glnPart = /\/41[47]\/(\d{13})(?=[/?#]|$)/

function judgeGlns({ producedAtFacility, relatedParty }: Product): Finding[] {
  const parties = Array.isArray(relatedParty) ? relatedParty.slice(0, 200) : []
  const places = [
    { at: 'product.producedAtFacility.id', holder: producedAtFacility },
    ...parties.map((role: unknown, index) =>
      ({ at: `product.relatedParty[${index}].party.id`, holder: isObject(role) ? role['party'] : null })),
  ]
  return places.flatMap(({ at, holder }) => {
    const id = isObject(holder) ? holder['id'] : null
    const digits = typeof id === 'string' && id.length <= longestAddress ? glnPart.exec(id)?.[1] : undefined
    if (digits === undefined || isGtin(digits)) return []
    return [finding('gln_check_digit', at, 'has a GLN whose last digit does not follow from the others')]
  })
}
