import { isObject, type FieldType } from '../fields/index.ts'
import type { LabelledValue } from './page-values.ts'

/** A picture of a product, an https address. */
export interface ProductPicture {
  address: string
  title: string | null
}

type Product = Readonly<Record<string, unknown>>

const isHttpsUrl = (value: unknown): value is string => typeof value === 'string' && /^https:\/\/[^\s]+$/i.test(value)

/** The members of UNTP that hold several lines, and those that hold an address. Every date ends with `Date`. */
const multilineMembers = new Set(['description', 'definition', 'periodInformation'])
const addressMembers = new Set(['linkURL', 'organisationWebsite'])

/**
 * Labels all members of a product with their names in UNTP, for which a page has words. Nothing is left out but nulls
 * and `type`, which says what kind of object the value is. Source: UNTP Digital Product Passport 0.7.0, Product.
 */
export const labelProductValues = (product: Product): LabelledValue[] =>
  labelProductMembers(product).map((one) => ({ ...one, parts: ['product'] as const }))

const labelProductMembers = (value: Product): LabelledValue[] =>
  Object.entries(value)
    .filter(([name, member]) => member !== null && !(name === 'type' && Array.isArray(member)))
    .map(([name, member]) => labelProductMember(name, member))

function labelProductMember(name: string, value: unknown): LabelledValue {
  const labelled = { name, label: name, type: getMemberType(name, value), value }
  if (isObject(value)) return { ...labelled, members: labelProductMembers(value) }
  if (!Array.isArray(value) || !value.some((item) => typeof item === 'object' && item !== null)) return labelled
  return { ...labelled, members: value.map((item, at) => labelProductMember(String(at), item)) }
}

function getMemberType(name: string, value: unknown): FieldType {
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return 'number'
  if (Array.isArray(value)) return 'array'
  if (isObject(value)) return 'object'
  if (name.endsWith('Date')) return 'date'
  if (multilineMembers.has(name)) return 'text'
  return addressMembers.has(name) || isHttpsUrl(value) ? 'url' : 'string'
}

/** Finds the pictures of a product: its own one first, then those among its documents. */
export function findPictures(product: Product): ProductPicture[] {
  const documents = Array.isArray(product['relatedDocument']) ? (product['relatedDocument'] as unknown[]) : []
  const pictures = documents.filter((each) => isObject(each) && String(each['mediaType']).startsWith('image/'))
  return [product['productImage'], ...pictures].flatMap((link) => {
    const address = isObject(link) ? link['linkURL'] : null
    if (!isObject(link) || !isHttpsUrl(address)) return []
    return [{ address, title: typeof link['linkName'] === 'string' ? link['linkName'] : null }]
  })
}
