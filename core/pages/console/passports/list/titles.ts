import type { Knex } from 'knex'
import { readSheetTitles, type Passport, type SheetTitle } from '../../../../features/dpp/index.ts'
import { isObject } from '../../../../kernel/json/values.ts'

export const passportsPath = '/console/passports'
export const getPassportAddress = (id: string): string => `${passportsPath}/${id}`

/** What people know a passport by: the name of its product or sheet, and what tells it from others of that name. */
export interface PassportTitle {
  name: string
  mark: string | null
}

const findText = (...texts: readonly unknown[]): string | null =>
  texts.find((text): text is string => typeof text === 'string' && text !== '') ?? null

/** The most characters of a value that stands for a passport. */
const maxMarkLength = 60

/** Returns a short value of a passport of a sheet: that of the first field, as a rule its serial number, or any. */
function findMark(fields: Passport['fields'], { firstField }: SheetTitle): string | null {
  const values = fields ?? {}
  const inOrder = [firstField === null ? null : values[firstField], ...Object.values(values)]
  return findText(...inOrder.filter((value) => typeof value === 'string' && value.length <= maxMarkLength))
}

/** Returns the title of a passport. @param sheet null for a passport that describes its product itself */
export function getPassportTitle(
  { id, product, reference, fields }: Passport,
  sheet: SheetTitle | null,
): PassportTitle {
  if (!isObject(product))
    return { name: sheet?.name ?? id, mark: findText(reference) ?? (sheet && findMark(fields, sheet)) }
  const { name, itemNumber, batchNumber, modelNumber } = product
  return { name: findText(name) ?? id, mark: findText(reference, itemNumber, batchNumber, modelNumber) }
}

/** Formats a title on one line. */
export const formatTitle = ({ name, mark }: PassportTitle): string => (mark === null ? name : `${name}, ${mark}`)

/** Reads the titles of passports, in their order. */
export async function readTitles(trx: Knex, passports: readonly Passport[]): Promise<PassportTitle[]> {
  const sheets = passports.flatMap(({ product }) => (typeof product === 'string' ? [product] : []))
  const titles = sheets.length === 0 ? new Map<string, SheetTitle>() : await readSheetTitles(trx, sheets)
  return passports.map((passport) =>
    getPassportTitle(passport, typeof passport.product === 'string' ? (titles.get(passport.product) ?? null) : null),
  )
}
