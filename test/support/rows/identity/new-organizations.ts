import type { Knex } from 'knex'

/** Inserts an organization without members. With more `jobWeight` it gets more turns in the queue. */
export async function insertOrganization(
  db: Knex,
  { id, jobWeight = 1 }: { id: string; jobWeight?: number },
): Promise<void> {
  await db('organizations').insert({
    id,
    name: id,
    slug: id,
    customer_type: 'company',
    settings: {},
    job_weight: jobWeight,
  })
}
