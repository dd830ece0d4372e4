import type { Knex } from 'knex'
import { didOf, kidOf } from './did.ts'
import type { CertificationKey } from './keys.schema.ts'
import { domainOf, registrationsOf, type KeyRow, type RegistrationRow } from './keys.rows.ts'
import { multikeyOf } from './multikey.ts'

/** Keys of one organization as the API shows them. */
export async function presentKeys(
  db: Knex,
  organization: string,
  keys: readonly KeyRow[],
): Promise<CertificationKey[]> {
  const domain = await domainOf(db, organization)
  const registrations = await registrationsOf(
    db,
    keys.map(({ id }) => id),
  )
  return keys.map((key) => shown(key, domain, registrations.get(key.id) ?? []))
}

export async function presentKey(db: Knex, key: KeyRow): Promise<CertificationKey> {
  const [presented] = await presentKeys(db, key.organization, [key])
  if (!presented) throw new Error('a key was not presented')
  return presented
}

function shown(key: KeyRow, domain: string | null, registrations: readonly RegistrationRow[]): CertificationKey {
  const { id, status, public_key: publicKey } = key
  const networks = registrations.map((row) => ({
    network: row.network,
    status: stateOf(row),
    transactionHash: row.revocation_hash ?? row.transaction_hash,
  }))
  return {
    id,
    kid: kidOf(publicKey),
    type: 'Ed25519',
    publicKeyMultibase: multikeyOf(publicKey),
    publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
    did: didOf(domain, publicKey),
    status,
    onChainStatus: networks.some((network) => network.status === 'registered') ? 'registered' : 'pending',
    networks,
    createdAt: key.created_at.toISOString(),
    rotatedAt: key.rotated_at?.toISOString() ?? null,
    revokedAt: key.revoked_at?.toISOString() ?? null,
  }
}

const stateOf = ({ status, revocation }: RegistrationRow) => (revocation === 'final' ? ('revoked' as const) : status)
