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
