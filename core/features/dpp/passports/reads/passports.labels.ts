import type { Knex } from 'knex'
import type { PassportStatus } from '../passports.schema.ts'

/** What people know a passport by. `productName` is null for a passport of a sheet. */
export interface PassportLabel {
  id: string
  sheet: string | null
  productName: string | null
  reference: string | null
  /** The number of the item, batch or model. */
  number: string | null
}

/** Reads what people know these passports by, in the order of `ids`. A passport that is gone is left out. */
export async function readPassportLabels(trx: Knex, ids: readonly string[]): Promise<PassportLabel[]> {
  const { rows } = await trx.raw<{ rows: PassportLabel[] }>(
    `select p.id, p.sheet, p.product ->> 'name' as "productName", p.reference,
       coalesce(p.product ->> 'itemNumber', p.product ->> 'batchNumber', p.product ->> 'modelNumber') as number
     from unnest(?::uuid[]) with ordinality as wanted (id, place) join passports p on p.id = wanted.id
     order by wanted.place`,
    [ids as string[]],
  )
  return rows
}

/** Reads the statuses of these passports, by id. */
export async function readPassportStatuses(trx: Knex, ids: readonly string[]): Promise<Map<string, PassportStatus>> {
  const { rows } = await trx.raw<{ rows: { id: string; status: PassportStatus }[] }>(
    'select id, status from passports where id = any(?::uuid[])',
    [ids as string[]],
  )
  return new Map(rows.map(({ id, status }) => [id, status]))
}
