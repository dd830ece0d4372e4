import type { Knex } from 'knex'
import type { OrganizationSettings } from '../../../../core/features/identity/index.ts'

/** Replaces the settings of an organization, for which there is no route yet. @returns the settings before */
export async function replaceOrganizationSettings(
  db: Knex,
  organization: string,
  settings: OrganizationSettings,
): Promise<OrganizationSettings> {
  const row = await db('organizations')
    .where({ id: organization })
    .first<{ settings: OrganizationSettings } | undefined>('settings')
  if (!row) throw new Error(`There is no organization ${organization}`)
  await db('organizations')
    .where({ id: organization })
    .update({ settings: JSON.stringify(settings) })
  return row.settings
}
