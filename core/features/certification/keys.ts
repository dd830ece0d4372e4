import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import { problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { didOf, verificationMethodOf } from './did.ts'
import type { KeyRow } from './keys.rows.ts'
import { newPair, signWith } from './keys.secret.ts'

/** The key that an organization signs with. The private half stays behind `sign`. */
export interface SigningKey {
  id: string
  did: string
  /** What a signature names as its key. */
  verificationMethod: string
  issuer: { id: string; name: string }
  publicKey: Buffer
  /** Whether the DID document lacks it, so that others cannot verify what it signs. */
  awaitsDocument: boolean
  /** Ed25519 over the bytes as they are, 64 bytes. Source: RFC 8032. */
  sign(bytes: Uint8Array): Buffer
}

/** Makes the organization's first key where it has none. Idempotent; any number of callers. */
export async function ensureCertificationKey(context: Context, organization: string): Promise<void> {
  await insertFirst(context.db, context, organization)
}

async function insertFirst(trx: Knex, context: Pick<Context, 'settings'>, organization: string): Promise<void> {
  const [known] = await trx('certification_keys').where({ organization, status: 'active' }).select('id')
  if (known === undefined) await insertKey(trx, context, organization, 'active')
}

/** A new key; none where another transaction made an active one meanwhile. @returns its id */
export async function insertKey(
  trx: Knex,
  context: Pick<Context, 'settings'>,
  organization: string,
  status: 'active' | 'pending',
): Promise<string> {
  const id = newId()
  const { publicKey, sealed } = newPair(context, { id, organization })
  await trx.raw(
    `insert into certification_keys (id, organization, public_key, sealed, status) values (?, ?, ?, ?, ?)
     on conflict (organization) where status = 'active' do nothing`,
    [id, organization, publicKey, sealed, status],
  )
  return id
}

interface SigningRow extends Pick<KeyRow, 'id' | 'organization' | 'public_key' | 'sealed'> {
  name: string
  domain: string | null
  awaits_document: boolean
}

/**
 * The active key, made where there is none. Its row is locked `for share` till the end of the transaction, so that it
 * is neither rotated away nor revoked while something is signed with it.
 */
export async function signingKey(trx: Knex, context: Context, organization: string): Promise<SigningKey> {
  const row = await activeKey(trx, context, organization)
  const { id, public_key: publicKey, name, domain, awaits_document: awaitsDocument } = row
  const did = didOf(domain, publicKey)
  return {
    id,
    did,
    publicKey,
    awaitsDocument,
    verificationMethod: verificationMethodOf(domain, publicKey),
    issuer: { id: did, name },
    sign: (bytes) => signWith(context, row, bytes),
  }
}

/**
 * The active key, for what others are to verify from now on. @throws DPP_KEY_ROTATION_PENDING while the DID document
 * does not have it, as nobody could verify what it signs
 */
export async function issuingKey(trx: Knex, context: Context, organization: string): Promise<SigningKey> {
  const key = await signingKey(trx, context, organization)
  if (!key.awaitsDocument) return key
  throw problem('DPP_KEY_ROTATION_PENDING', `The document of ${key.did} does not have the new key yet: publish it and have it checked.`)
}

/** How often the active key is looked for while others rotate it away. */
const attempts = 10

/** The row of the active key, held in share. Who waited for a rotation looks again: what it found is not active now. */
export async function activeKey(
  trx: Knex,
  context: Pick<Context, 'settings'>,
  organization: string,
): Promise<SigningRow> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const {
      rows: [row],
    } = await trx.raw<{ rows: SigningRow[] }>(
      `select k.id, k.organization, k.public_key, k.sealed, k.awaits_document, o.name, d.domain
       from certification_keys k join organizations o on o.id = k.organization
         left join did_web_domains d on d.organization = k.organization and d.state = 'active'
       where k.organization = ? and k.status = 'active' for share of k`,
      [organization],
    )
    if (row) return row
    await insertFirst(trx, context, organization)
  }
  throw new Error(`organization ${organization} has no active certification key`)
}
