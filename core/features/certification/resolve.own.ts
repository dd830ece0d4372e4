import type { Knex } from 'knex'
import type { KeyStatus } from './keys.rows.ts'
import { kidOf, thumbprintOf } from './did.ts'

/** A key of an organization here, as a verifier needs it. */
export interface OwnKey {
  id: string
  organization: string
  publicKey: Buffer
  status: KeyStatus
  rotatedAt: Date | null
  compromisedAt: Date | null
}

interface Row { id: string; organization: string; public_key: Buffer; status: KeyStatus; rotated_at: Date | null; compromised_at: Date | null }
const columns = ['id', 'organization', 'public_key', 'status', 'rotated_at', 'compromised_at'].map((name) => `certification_keys.${name}`)

const ownOf = (row: Row | undefined): OwnKey | null => row === undefined ? null : {
  id: row.id, organization: row.organization, publicKey: row.public_key, status: row.status, rotatedAt: row.rotated_at, compromisedAt: row.compromised_at,
}

/** The key of this installation with this public half, or null. */
export async function ownKey(db: Knex, publicKey: Uint8Array): Promise<OwnKey | null> {
  const row = await db('certification_keys').where({ public_key: Buffer.from(publicKey) }).first<Row | undefined>(columns)
  return ownOf(row)
}

/**
 * A key, also a revoked one, of the organization whose domain this is. Only what its domain was seen to publish,
 * and what it revoked: anyone may name any domain as its own, and what has not been seen has to be asked for.
 */
export async function ownKeyOfDomain(db: Knex, domain: string, kid: string): Promise<OwnKey | null> {
  const rows = await db('certification_keys')
    .join('did_web_domains', 'did_web_domains.organization', 'certification_keys.organization')
    .where({ 'did_web_domains.domain': domain, 'did_web_domains.state': 'active' })
    .whereRaw(`(certification_keys.id = any(did_web_domains.published) or certification_keys.status = 'revoked')`)
    .select<Row[]>(columns)
  return ownOf(rows.find(({ public_key }) => kidOf(public_key) === kid || thumbprintOf(public_key) === kid))
}
