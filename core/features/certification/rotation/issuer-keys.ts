import type { Knex } from 'knex'
import { networks } from '../../../chains/networks.ts'
import { createDid, createKeyId, type KeyRow, readCertificationKeys, toJwk } from '../keys/index.ts'
import { parseEd25519Multikey, toMultikey } from '../formats/index.ts'
import type { IssuerKey } from './issuer-keys.schema.ts'
import type { ReceiptRow } from './receipts.ts'

/** Checks whether a key is shown to the public. A pending key is not: it has signed nothing yet. */
const isPublic = ({ status }: KeyRow) => status !== 'pending'

/**
 * Finds every key of the organizations behind a DID. A domain leads to each organization that has ever proven it, and
 * not to one that only set it. Returns null if the DID belongs to nobody here.
 */
export async function findIssuerKeys(db: Knex, did: string): Promise<IssuerKey[] | null> {
  const organizations = await findOrganizationsOfDid(db, did)
  if (organizations.length === 0) return null
  const issuerKeys: IssuerKey[] = []
  for (const organization of organizations) issuerKeys.push(...(await readKeysOfOrganization(db, organization)))
  return issuerKeys
}

async function findOrganizationsOfDid(db: Knex, did: string): Promise<string[]> {
  if (did.startsWith('did:web:')) {
    return db('did_web_domains')
      .where({ domain: did.slice('did:web:'.length) })
      .whereNotNull('proven_at')
      .orderByRaw(`state = 'active' desc, organization`)
      .pluck<string[]>('organization')
  }
  const publicKey = did.startsWith('did:key:') ? parseEd25519Multikey(did.slice('did:key:'.length)) : null
  if (publicKey === null) return []
  return db('certification_keys')
    .where({ public_key: Buffer.from(publicKey) })
    .whereNot({ status: 'pending' })
    .pluck<string[]>('organization')
}

async function readKeysOfOrganization(db: Knex, organization: string): Promise<IssuerKey[]> {
  const keys = (await readCertificationKeys(db, organization)).filter(isPublic)
  const domains = await db('did_web_domains')
    .where({ organization })
    .whereNotNull('proven_at')
    .orderBy('domain')
    .pluck<string[]>('domain')
  const receipts = await db<ReceiptRow>('certification_key_receipts')
    .whereIn(
      'key',
      keys.map(({ id }) => id),
    )
    .where({ status: 'final' })
    .orderBy(['created_at', 'id'])
  const byKey = Map.groupBy(receipts, ({ key }) => key)
  return keys.map((key) => presentIssuerKey(key, domains, byKey.get(key.id) ?? []))
}

function presentIssuerKey(key: KeyRow, domains: readonly string[], receipts: readonly ReceiptRow[]): IssuerKey {
  const { public_key: publicKey, status } = key
  const validUntil = key.rotated_at ?? key.revoked_at
  return {
    kid: createKeyId(publicKey),
    dids: [createDid(null, publicKey), ...domains.map((domain) => createDid(domain, publicKey))],
    type: 'Ed25519',
    publicKeyMultibase: toMultikey(publicKey),
    publicKeyJwk: toJwk(publicKey),
    status,
    validFrom: key.created_at.toISOString(),
    validUntil: validUntil?.toISOString() ?? null,
    revokedAt: key.revoked_at?.toISOString() ?? null,
    compromisedAt: key.compromised_at?.toISOString() ?? null,
    receipts: receipts.map((one) => ({
      network: one.network,
      caip2: networks[one.network].caip2,
      act: one.act,
      compromisedAt: one.compromised_at?.toISOString() ?? null,
      contract: one.contract,
      transactionHash: one.transaction_hash,
      blockNumber: one.block_number === null ? null : Number(one.block_number),
      at: one.at?.toISOString() ?? null,
    })),
  }
}
