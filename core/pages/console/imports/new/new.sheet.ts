import { readOwnSheet, listSheetChoices, type FieldDefinition, type Sheet } from '../../../../features/dpp/index.ts'
import type { FileField, MapperRow } from '../../../../features/imports/index.ts'
import { listFieldNames } from '../../frame/field-labels.ts'
import type { ConsolePage } from '../../frame/frame.ts'

/** A sheet by which the rows of a file become passports. */
export type ImportSheet = Pick<Sheet, 'id' | 'name' | 'application' | 'passportsFields'>

/** The member of a passport that names its sheet. */
const sheetPath = 'product'

/** Returns where a mapper writes the value of a field of a sheet. */
export const getFieldPath = ({ name }: Pick<FieldDefinition, 'name'>): string => `fields.${name}`

/** Cells are texts, so some types need a transform. Other types are texts, or are written as the API takes them. */
const transformsByType: Partial<Record<FieldDefinition['type'], string>> = { number: 'number', boolean: 'boolean' }

const simplify = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/**
 * Creates the rows of a mapper that makes passports of a sheet: each column goes to the field whose key or label it has,
 * whatever the case and the signs between its letters. Other columns go nowhere.
 */
export function createSheetRows({ id, passportsFields }: ImportSheet, columns: readonly FileField[]): MapperRow[] {
  const open = new Set(passportsFields)
  const rows: MapperRow[] = [{ destination: sheetPath, kind: 'constant', value: id }]
  for (const column of columns) {
    const field = [...open].find((one) => listFieldNames(one).some((word) => simplify(word) === simplify(column.name)))
    if (!field) continue
    open.delete(field)
    const transform = transformsByType[field.type]
    rows.push({
      destination: getFieldPath(field),
      kind: 'field',
      source: column.id,
      ...(transform !== undefined && { transforms: [transform] }),
    })
  }
  return rows
}

export const isSheetRow = ({ kind, destination }: Pick<MapperRow, 'kind' | 'destination'>): boolean =>
  kind === 'constant' && destination === sheetPath

/** Lists the sheets that may have further passports. */
export async function listUsableSheets({ work, member }: ConsolePage) {
  const sheets = await listSheetChoices(work.trx, member.organization)
  return sheets.filter(({ status }) => status !== 'ARCHIVED')
}

/** Reads a sheet of the member's organization; null for an id of another one, or none. */
export async function findImportSheet(page: ConsolePage, id: string): Promise<ImportSheet | null> {
  const isOwn = (await listUsableSheets(page)).some((sheet) => sheet.id === id)
  return isOwn ? await readOwnSheet(page.work, id) : null
}

/** Finds the sheet by which the rows of a mapper make passports; null if they make them without one. */
export async function findSheetOfRows(
  page: ConsolePage,
  rows: readonly MapperRow[] | null | undefined,
): Promise<ImportSheet | null> {
  const id = rows?.find(isSheetRow)?.value
  return typeof id === 'string' ? findImportSheet(page, id) : null
}
