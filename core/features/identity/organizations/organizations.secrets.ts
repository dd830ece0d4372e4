import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { SealedColumn } from '../../../kernel/sealing/reseal.ts'
import { createSealFromSettings } from '../../../kernel/sealing/seal.ts'
import type { Context } from '../../../kernel/work.ts'

/** The secrets of an organization that no answer has: the client secret of its tenant at auth0. */
const secretNames = ['auth0ClientSecret'] as const
export type OrganizationSecretName = (typeof secretNames)[number]

interface SecretRow {
  id: string
  organization: string
}

/** A secret cannot be decrypted for another organization or another row. */
const getSealName = ({ id, organization }: SecretRow) => `organization-secret:${organization}:${id}`

/** The column of the secrets of organizations. */
export const sealedOrganizationSecrets: SealedColumn = { table: 'organization_secrets', column: 'sealed', getSealName }

/** Lists which secrets are kept for an organization. */
export async function listSecretNames(trx: Knex, organization: string): Promise<OrganizationSecretName[]> {
  return trx('organization_secrets').where({ organization }).orderBy('name').pluck<OrganizationSecretName[]>('name')
}

/** Reads a secret of an organization, null if none is kept. */
export async function readSecret(
  trx: Knex,
  { settings }: Pick<Context, 'settings'>,
  organization: string,
  name: OrganizationSecretName,
): Promise<string | null> {
  const kept = await trx('organization_secrets')
    .where({ organization, name })
    .first<(SecretRow & { sealed: Buffer }) | undefined>('id', 'organization', 'sealed')
  return kept ? createSealFromSettings(settings).decrypt(getSealName(kept), kept.sealed).toString() : null
}

/**
 * Keeps a secret encrypted, or forgets it if it is null. The row of the organization is locked.
 * @returns whether anything changed: what is kept already is not encrypted again
 */
export async function storeSecret(
  trx: Knex,
  { settings }: Pick<Context, 'settings'>,
  organization: string,
  name: OrganizationSecretName,
  secret: string | null,
): Promise<boolean> {
  const kept = await trx('organization_secrets')
    .where({ organization, name })
    .first<(SecretRow & { sealed: Buffer }) | undefined>('id', 'organization', 'sealed')
  if (secret === null)
    return kept !== undefined && (await trx('organization_secrets').where({ id: kept.id }).delete()) > 0
  const seal = createSealFromSettings(settings)
  if (kept && seal.decrypt(getSealName(kept), kept.sealed).toString() === secret) return false
  const row = kept ?? { id: newId(), organization }
  const sealed = seal.encrypt(getSealName(row), Buffer.from(secret))
  await trx('organization_secrets')
    .insert({ id: row.id, organization, name, sealed })
    .onConflict('id')
    .merge(['sealed'])
  return true
}
