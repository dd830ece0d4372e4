import type { Knex } from 'knex'
import type { Work } from '../../../kernel/work.ts'
import {
  type CertificationKey,
  createDid,
  createKeyId,
  ensureCertificationKey,
  findActiveDomainName,
  type KeyRow,
  readCertificationKeys,
  readRegistrations,
  type RegistrationRow,
} from '../keys/index.ts'
import { toMultikey } from '../formats/index.ts'
import { readCertificationKey } from './keys.rotate.ts'

/** Returns keys of one organization as the API shows them. */
async function presentKeys(db: Knex, organization: string, keys: readonly KeyRow[]): Promise<CertificationKey[]> {
  const domain = await findActiveDomainName(db, organization)
  const registrations = await readRegistrations(
    db,
    keys.map(({ id }) => id),
  )
  return keys.map((key) => presentCertificationKey(key, domain, registrations.get(key.id) ?? []))
}

/**
 * Lists the organization's keys as the API shows them, the newest first, and creates the first key for an organization
 * that has none.
 */
export async function listShownKeys({ context, trx }: Work, organization: string): Promise<CertificationKey[]> {
  await ensureCertificationKey(context, organization)
  return presentKeys(trx, organization, await readCertificationKeys(trx, organization))
}

/** Checks whether a key of the organization waits for a network or a DID document, before it signs. */
export async function isKeyWaiting(db: Knex, organization: string): Promise<boolean> {
  return (await readCertificationKeys(db, organization)).some(({ status }) => status === 'pending')
}

/**
 * Reads a key of the organization as the API shows it.
 * @throws DPP_CERTIFICATION_KEY_NOT_FOUND
 */
export async function readShownKey({ trx }: Work, organization: string, id: string): Promise<CertificationKey> {
  return presentKey(trx, await readCertificationKey(trx, organization, id))
}

export async function presentKey(db: Knex, key: KeyRow): Promise<CertificationKey> {
  const [presented] = await presentKeys(db, key.organization, [key])
  if (!presented) throw new Error('a key was not presented')
  return presented
}

function presentCertificationKey(
  key: KeyRow,
  domain: string | null,
  registrations: readonly RegistrationRow[],
): CertificationKey {
  const { id, status, public_key: publicKey } = key
  const networks = registrations.map((row) => ({
    network: row.network,
    status: getRegistrationStatus(row),
    transactionHash: row.revocation_hash ?? row.transaction_hash,
  }))
  return {
    id,
    kid: createKeyId(publicKey),
    type: 'Ed25519',
    publicKeyMultibase: toMultikey(publicKey),
    publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
    did: createDid(domain, publicKey),
    status,
    onChainStatus: networks.some((network) => network.status === 'registered') ? 'registered' : 'pending',
    networks,
    createdAt: key.created_at.toISOString(),
    rotatedAt: key.rotated_at?.toISOString() ?? null,
    revokedAt: key.revoked_at?.toISOString() ?? null,
  }
}

const getRegistrationStatus = ({ status, revocation }: RegistrationRow) =>
  revocation === 'final' ? ('revoked' as const) : status
