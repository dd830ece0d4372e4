import type { Knex } from 'knex'

/** Inserts applications named "Branch 1" and so on in one statement: more than are created one by one in a test. */
export async function insertBranches(
  db: Knex,
  { organization, count }: { organization: string; count: number },
): Promise<void> {
  await db.raw(
    `insert into applications (id, organization, name, slug, default_network)
     select gen_random_uuid(), :organization, 'Branch ' || number, 'branch-' || number || '-' || left(:organization, 8), 'EthereumAnvil'
     from generate_series(1, cast(:count as int)) as number`,
    { organization, count },
  )
}
