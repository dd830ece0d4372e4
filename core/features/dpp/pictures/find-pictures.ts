import type { Knex } from 'knex'
import { chooseText } from '../../../kernel/text/localized.ts'
import { isObject } from '../fields/index.ts'
import type { PassportRow } from '../passports/index.ts'
import { readSheetsById, type SheetRow } from '../sheets/index.ts'

/** A picture of a product at an https address of its brand. */
export interface ProductPicture {
  address: string
  title: string | null
}

/** The most pictures of one passport that pages show. Further ones stand among its values or documents as links. */
export const maxShownPictures = 12

/** Returns whether a value is an https address. */
export const isHttpsUrl = (value: unknown): value is string =>
  typeof value === 'string' && /^https:\/\/[^\s]+$/i.test(value)

/** Finds the pictures of a product: its own one first, then those among its documents. */
export function findPictures(product: Readonly<Record<string, unknown>>): ProductPicture[] {
  const documents = Array.isArray(product['relatedDocument']) ? (product['relatedDocument'] as unknown[]) : []
  const pictures = documents.filter((each) => isObject(each) && String(each['mediaType']).startsWith('image/'))
  return [product['productImage'], ...pictures].flatMap((link) => {
    const address = isObject(link) ? link['linkURL'] : null
    if (!isObject(link) || !isHttpsUrl(address)) return []
    return [{ address, title: typeof link['linkName'] === 'string' ? link['linkName'] : null }]
  })
}

/** The members of a sheet that have pictures. */
export type PictureSheet = Pick<SheetRow, 'productFields' | 'passportsFields' | 'fields'>

/**
 * Finds the pictures of a passport of a sheet: the fields of type `image` that have an https address.
 * @param languages the languages in which labels are wanted, the reader's own first
 */
export function findFieldPictures(
  sheet: PictureSheet,
  fields: PassportRow['fields'],
  languages: readonly string[] = [],
): ProductPicture[] {
  const parts = [
    { definitions: sheet.productFields, values: sheet.fields },
    { definitions: sheet.passportsFields, values: fields },
  ]
  return parts.flatMap(({ definitions, values }) =>
    definitions.flatMap(({ name, type, label = name }) => {
      const value = type === 'image' && Object.hasOwn(values, name) ? values[name] : null
      return isHttpsUrl(value) ? [{ address: value, title: chooseText(label, languages).text }] : []
    }),
  )
}

/** Finds the pictures of a passport that pages show. @param sheet its sheet, in the sheet flow */
export const findShownPictures = (
  { product, fields }: Pick<PassportRow, 'product' | 'fields'>,
  sheet: PictureSheet | undefined,
): ProductPicture[] =>
  (sheet ? findFieldPictures(sheet, fields) : findPictures(product ?? {})).slice(0, maxShownPictures)

/** Lists the addresses of the pictures that pages show of these passports, each once. */
export async function listPictureAddresses(
  db: Knex,
  passports: readonly Pick<PassportRow, 'sheet' | 'product' | 'fields'>[],
): Promise<string[]> {
  const sheetIds = new Set(passports.flatMap(({ sheet }) => (sheet === null ? [] : [sheet])))
  const sheets = sheetIds.size > 0 ? await readSheetsById(db, [...sheetIds]) : new Map<string, SheetRow>()
  const addresses = passports.flatMap((row) =>
    findShownPictures(row, row.sheet === null ? undefined : sheets.get(row.sheet)).map(({ address }) => address),
  )
  return [...new Set(addresses)]
}
