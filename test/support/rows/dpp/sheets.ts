import type { Knex } from 'knex'

/** What another process makes of a sheet. */
export interface SheetChange {
  passportsFields: readonly object[]
  version: number
  schemaVersion: number
  network: string
}

/** Changes a sheet as another process does, of which the one that answers requests does not hear. */
export async function changeSheetElsewhere(
  db: Knex,
  id: string,
  { passportsFields, version, schemaVersion, network }: SheetChange,
): Promise<void> {
  await db('sheets')
    .where({ id })
    .update({ passports_fields: JSON.stringify(passportsFields), version, schema_version: schemaVersion, network })
}
