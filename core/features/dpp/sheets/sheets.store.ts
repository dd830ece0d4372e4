import type { Knex } from 'knex'
import { SheetRow } from './sheets.model.ts'

type SheetMembers = Pick<
  SheetRow,
  'name' | 'network' | 'status' | 'productFields' | 'passportsFields' | 'certifiedPaths' | 'fields'
>

/** Inserts a sheet with the first version of its definitions. */
export async function insertSheet(
  trx: Knex,
  sheet: SheetMembers & Pick<SheetRow, 'id' | 'organization' | 'application'>,
): Promise<void> {
  await SheetRow.query(trx).insert(sheet)
}

/** Changes a sheet. Whoever has read the sheet before sees by its version that it has changed. */
export async function changeSheet(
  trx: Knex,
  { id, version }: Pick<SheetRow, 'id' | 'version'>,
  change: SheetMembers & Pick<SheetRow, 'schemaVersion'>,
): Promise<void> {
  await SheetRow.query(trx)
    .findById(id)
    .patch({ ...change, version: version + 1, updatedAt: new Date().toISOString() })
}

/**
 * Stores the present definitions of a sheet as a version, before others replace them.
 * @returns the number of the next version
 */
export async function insertSheetVersion(
  trx: Knex,
  { id, schemaVersion, productFields, passportsFields }: SheetRow,
): Promise<number> {
  await trx.raw(
    `insert into sheet_versions (sheet, version, product_fields, passports_fields) values (?, ?, ?::jsonb, ?::jsonb)`,
    [id, schemaVersion, JSON.stringify(productFields), JSON.stringify(passportsFields)],
  )
  return schemaVersion + 1
}

/** Deletes the row of a sheet. */
export async function deleteSheetRow(trx: Knex, id: string): Promise<void> {
  await SheetRow.query(trx).deleteById(id)
}

/** Counts the sheets of an application. */
export const countSheets = (trx: Knex, application: string): Promise<number> =>
  SheetRow.query(trx).where({ application }).resultSize()
