import type { Knex } from 'knex'
import type { StoredSettings } from '../../../../core/features/identity/index.ts'

/** Replaces the settings of an organization, also by methods that no installation offers yet. @returns the settings before */
export async function replaceOrganizationSettings(
  db: Knex,
  organization: string,
  settings: StoredSettings,
): Promise<StoredSettings> {
  const row = await db('organizations')
    .where({ id: organization })
    .first<{ settings: StoredSettings } | undefined>('settings')
  if (!row) throw new Error(`There is no organization ${organization}`)
  await db('organizations')
    .where({ id: organization })
    .update({ settings: JSON.stringify(settings) })
  return row.settings
}

/** Lets buyers of an organization sign in by phone. */
export async function enablePhoneSignIn(db: Knex, organization: string): Promise<void> {
  await db.raw(
    `update organizations set settings = jsonb_set(settings, '{authConfig,phone-otp,enabled}', 'true') where id = ?`,
    [organization],
  )
}

/** A secret of an organization as it is stored. */
export interface SealedSecret {
  id: string
  organization: string
  sealed: Buffer
}

/** Reads the secrets of all organizations, which no answer has. */
export const listSealedSecrets = (db: Knex): Promise<SealedSecret[]> =>
  db('organization_secrets').orderBy('id').select<SealedSecret[]>('id', 'organization', 'sealed')

/** Replaces a secret by one that was encrypted otherwise. */
export async function replaceSealedSecret(
  db: Knex,
  { id, sealed }: Pick<SealedSecret, 'id' | 'sealed'>,
): Promise<void> {
  await db('organization_secrets').where({ id }).update({ sealed })
}
