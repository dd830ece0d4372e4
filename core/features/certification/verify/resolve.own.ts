import type { Knex } from 'knex'
import { createJwkThumbprint, createKeyId, type KeyStatus } from '../keys/index.ts'

/** A key of an organization of this installation, with the members that a verification needs. */
export interface OwnKey {
  id: string
  organization: string
  publicKey: Buffer
  status: KeyStatus
  rotatedAt: Date | null
  compromisedAt: Date | null
}

interface Row {
  id: string
  organization: string
  public_key: Buffer
  status: KeyStatus
  rotated_at: Date | null
  compromised_at: Date | null
}
const columns = ['id', 'organization', 'public_key', 'status', 'rotated_at', 'compromised_at'].map(
  (name) => `certification_keys.${name}`,
)

const toOwnKey = (row: Row | undefined): OwnKey | null =>
  row === undefined
    ? null
    : {
        id: row.id,
        organization: row.organization,
        publicKey: row.public_key,
        status: row.status,
        rotatedAt: row.rotated_at,
        compromisedAt: row.compromised_at,
      }

/** Finds the key of this installation with this public key, or null. */
export async function findOwnKey(db: Knex, publicKey: Uint8Array): Promise<OwnKey | null> {
  const row = await db('certification_keys')
    .where({ public_key: Buffer.from(publicKey) })
    .first<Row | undefined>(columns)
  return toOwnKey(row)
}

/**
 * Finds a key of the organization that has this domain active; the key may be revoked. Only keys count that a check
 * found in the domain's document, and revoked keys: anyone may set any domain, so every other key must be fetched from
 * the domain.
 */
export async function findOwnKeyOfDomain(db: Knex, domain: string, kid: string): Promise<OwnKey | null> {
  const rows = await db('certification_keys')
    .join('did_web_domains', 'did_web_domains.organization', 'certification_keys.organization')
    .where({ 'did_web_domains.domain': domain, 'did_web_domains.state': 'active' })
    .whereRaw(`(certification_keys.id = any(did_web_domains.published) or certification_keys.status = 'revoked')`)
    .select<Row[]>(columns)
  return toOwnKey(
    rows.find(({ public_key }) => createKeyId(public_key) === kid || createJwkThumbprint(public_key) === kid),
  )
}
