import type { Knex } from 'knex'

/** Whose passports they are. */
export interface PassportOwner {
  organization: string
  application: string
}

/**
 * Inserts drafts of these products, without events: thousands would take minutes through the API.
 * @returns their ids, in the order of the products
 */
export async function insertProductPassports(
  db: Knex,
  { organization, application }: PassportOwner,
  products: readonly object[],
): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `insert into passports (id, organization, application, network, product, data)
     select gen_random_uuid(), ?, ?, 'EthereumAnvil', product::jsonb, '{}' from unnest(?::text[]) with ordinality as p (product, at)
     order by at returning id`,
    [organization, application, products.map((product) => JSON.stringify(product))],
  )
  return rows.map(({ id }) => id)
}

/** Inserts drafts of a sheet with these ids, which the API would choose itself. */
export async function insertSheetDrafts(
  db: Knex,
  { organization, application, sheet }: PassportOwner & { sheet: string },
  ids: readonly string[],
): Promise<void> {
  await db('passports').insert(ids.map((id) => ({ id, organization, application, sheet, network: 'EthereumAnvil' })))
}

/** Inserts this many passports of a sheet, the drafts first, with the references `row-1`, `row-2` and so on. */
export async function insertSheetPassports(
  db: Knex,
  { organization, application, sheet }: PassportOwner & { sheet: string },
  { drafts, published }: { drafts: number; published: number },
): Promise<void> {
  await db.raw(
    `insert into passports (id, organization, application, sheet, network, status, reference)
     select gen_random_uuid(), ?, ?, ?, 'EthereumAnvil',
       case when n <= ? then 'draft' else 'published' end, 'row-' || n
     from generate_series(1, ?::int) n`,
    [organization, application, sheet, drafts, drafts + published],
  )
}

/** Inserts this many published items of a model, without events and credentials. */
export async function insertPublishedItems(
  db: Knex,
  { organization, application }: PassportOwner,
  { modelNumber, count }: { modelNumber: string; count: number },
): Promise<void> {
  await db.raw(
    `insert into passports (id, organization, application, network, status, product, data)
     select id, :organization, :application, 'EthereumAnvil', 'published',
       jsonb_build_object('idGranularity', 'item', 'name', 'Item', 'modelNumber', :modelNumber::text, 'itemNumber', id::text),
       '{}' from (select gen_random_uuid() as id from generate_series(1, :count::int)) as made`,
    { organization, application, modelNumber, count },
  )
}
