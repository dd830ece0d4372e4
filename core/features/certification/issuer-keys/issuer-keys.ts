import type { Knex } from 'knex'
import { networks } from '../../../chains/networks.ts'
import { didOf, jwkOf, kidOf } from '../did.ts'
import { keyOfMultikey, multikeyOf } from '../multikey.ts'
import { keysOf, type KeyRow } from '../keys.rows.ts'
import type { IssuerKey } from './issuer-keys.schema.ts'
import type { ReceiptRow } from './receipts.ts'

/** Keys that are shown to nobody: they sign nothing yet. */
const isShown = ({ status }: KeyRow) => status !== 'pending'

/**
 * Every key of the organizations behind a DID. A domain leads to those that have proven it, and to nobody who only
 * named it; one that changed hands leads to all of them. Null for a DID of nobody here.
 */
export async function readIssuerKeys(db: Knex, did: string): Promise<IssuerKey[] | null> {
  const organizations = await organizationsOf(db, did)
  if (organizations.length === 0) return null
  const found: IssuerKey[] = []
  for (const organization of organizations) found.push(...await keysOfOrganization(db, organization))
  return found
}

async function organizationsOf(db: Knex, did: string): Promise<string[]> {
  if (did.startsWith('did:web:')) {
    return db('did_web_domains').where({ domain: did.slice('did:web:'.length) }).whereNotNull('proven_at')
      .orderByRaw(`state = 'active' desc, organization`).pluck<string[]>('organization')
  }
  const publicKey = did.startsWith('did:key:') ? keyOfMultikey(did.slice('did:key:'.length)) : null
  if (publicKey === null) return []
  return db('certification_keys').where({ public_key: Buffer.from(publicKey) }).whereNot({ status: 'pending' })
    .pluck<string[]>('organization')
}

async function keysOfOrganization(db: Knex, organization: string): Promise<IssuerKey[]> {
  const keys = (await keysOf(db, organization)).filter(isShown)
  const domains = await db('did_web_domains').where({ organization }).whereNotNull('proven_at').orderBy('domain').pluck<string[]>('domain')
  const receipts = await db<ReceiptRow>('certification_key_receipts').whereIn('key', keys.map(({ id }) => id))
    .where({ status: 'final' }).orderBy(['created_at', 'id'])
  const byKey = Map.groupBy(receipts, ({ key }) => key)
  return keys.map((key) => presented(key, domains, byKey.get(key.id) ?? []))
}

function presented(key: KeyRow, domains: readonly string[], receipts: readonly ReceiptRow[]): IssuerKey {
  const { public_key: publicKey, status } = key
  const until = key.rotated_at ?? key.revoked_at
  return {
    kid: kidOf(publicKey),
    dids: [didOf(null, publicKey), ...domains.map((domain) => didOf(domain, publicKey))],
    type: 'Ed25519', publicKeyMultibase: multikeyOf(publicKey), publicKeyJwk: jwkOf(publicKey), status,
    validFrom: key.created_at.toISOString(), validUntil: until?.toISOString() ?? null,
    revokedAt: key.revoked_at?.toISOString() ?? null, compromisedAt: key.compromised_at?.toISOString() ?? null,
    receipts: receipts.map((one) => ({
      network: one.network, caip2: networks[one.network].caip2, act: one.act, compromisedAt: one.compromised_at?.toISOString() ?? null, contract: one.contract,
      transactionHash: one.transaction_hash, blockNumber: one.block_number === null ? null : Number(one.block_number),
      at: one.at?.toISOString() ?? null,
    })),
  }
}
