import type { Knex } from 'knex'
import { isObject } from '../fields/index.ts'
import { PassportRow, presentPassport } from '../passports/index.ts'

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
 * Reads a picture that stands in the product of a passport as base64; null for a draft, for a passport that does not
 * exist and where there is no picture.
 * @param path the members that lead to it from the product, as `productLabel.0`
 */
export async function readEmbeddedPicture(db: Knex, id: string, path: string): Promise<EmbeddedPicture | null> {
  const row = await PassportRow.query(db).modify('shown').findById(id)
  if (!row || row.status === 'draft') return null
  const image = path.split('.').reduce<unknown>(getOwnMember, presentPassport(row, 'public').product)
  return isObject(image) ? decodePicture(image['imageData']) : null
}

const getOwnMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
