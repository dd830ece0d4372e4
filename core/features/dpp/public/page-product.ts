import type { Knex } from 'knex'
import { isObject, type FieldType } from '../fields/index.ts'
import { readPublicPassport } from '../passports/index.ts'
import { isHttpsUrl } from '../pictures/index.ts'
import { getMember, type LabelledValue } from './page-values.ts'

type Product = Readonly<Record<string, unknown>>

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

/** The kinds of pictures that pages show, each with its first bytes. Source: MIME Sniffing Standard, section 6.1. */
const signatures: readonly [type: string, pattern: RegExp][] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
]

/** A picture that a product has within it. */
export interface EmbeddedPicture {
  bytes: Buffer
  type: string
}

/** Decodes the base64 of a picture. @returns null if its first bytes are those of no kind that pages show */
export function decodePicture(imageData: unknown): EmbeddedPicture | null {
  if (typeof imageData !== 'string') return null
  const bytes = Buffer.from(imageData, 'base64')
  const start = bytes.subarray(0, 12).toString('hex')
  const type = signatures.find(([, pattern]) => pattern.test(start))?.[0]
  return type === undefined ? null : { bytes, type }
}

/**
 * Reads a picture that stands in the product of a passport as base64; null where there is none.
 * @param path the members that lead to it from the product, as `productLabel.0`
 * @throws NOT_FOUND, also for a draft
 */
export async function readEmbeddedPicture(db: Knex, id: string, path: string): Promise<EmbeddedPicture | null> {
  const { product } = await readPublicPassport(db, id)
  const image = path.split('.').reduce<unknown>(getMember, product)
  return decodePicture(getMember(image, 'imageData'))
}
