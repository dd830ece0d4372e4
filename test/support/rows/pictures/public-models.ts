import type { Knex } from 'knex'
import type { PassportOwner } from '../dpp/new-passports.ts'

/** Inserts this many published models, without events: so many would take hours through the API. */
export async function insertPublicModels(
  db: Knex,
  { organization, application }: PassportOwner,
  count: number,
): Promise<void> {
  for (let from = 1; from <= count; from += 2_000)
    await db.raw(
      `insert into passports (id, organization, application, network, status, product, data)
       select gen_random_uuid(), ?, ?, 'EthereumAnvil', 'published',
         jsonb_build_object('idGranularity', 'model', 'name', 'Bag', 'modelNumber', 'bulk-' || n), '{}'
       from generate_series(?::int, ?::int) n`,
      [organization, application, from, Math.min(count, from + 1_999)],
    )
  await db.raw('vacuum analyze passports')
}
