import type { Knex } from 'knex'

/** Gives several organizations the same name, which nothing prevents. */
export async function renameOrganizations(db: Knex, organizations: readonly string[], name: string): Promise<void> {
  await db('organizations').whereIn('id', organizations).update({ name })
}

/** Finds the id of the organization with a slug. */
export async function findOrganizationBySlug(db: Knex, slug: string): Promise<string | undefined> {
  const row = await db('organizations').where({ slug }).first<{ id: string } | undefined>('id')
  return row?.id
}
