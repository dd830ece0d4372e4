import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import { createProblem } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { createDid, createVerificationMethodId } from './did.ts'
import type { KeyRow } from './keys.rows.ts'
import { insertKeyRow } from './keys.store.ts'
import { createSealedKeyPair, signWithKey } from './keys.secret.ts'

/** The key that an organization signs with. Only `sign` can use the private key. */
export interface SigningKey {
  id: string
  did: string
  /** The name of the key in a signature. */
  verificationMethod: string
  issuer: { id: string; name: string }
  publicKey: Buffer
  /** True if the DID document lacks the key, so that others cannot verify its signatures. */
  awaitsDocument: boolean
  /** Signs these bytes, unhashed, with Ed25519; returns 64 bytes. Source: RFC 8032. */
  sign(bytes: Uint8Array): Buffer
}

/**
 * Creates the organization's first key if it has none. Idempotent; any number of callers may run this at the same time.
 */
export async function ensureCertificationKey(context: Context, organization: string): Promise<void> {
  await insertFirstKey(context.db, context, organization)
}

async function insertFirstKey(trx: Knex, context: Pick<Context, 'settings'>, organization: string): Promise<void> {
  const [known] = await trx('certification_keys').where({ organization, status: 'active' }).select('id')
  if (known === undefined) await insertKey(trx, context, organization, 'active')
}

/**
 * Inserts a new key, unless it is to be active and another transaction has just inserted an active one.
 * @returns the id of the key
 */
export async function insertKey(
  trx: Knex,
  context: Pick<Context, 'settings'>,
  organization: string,
  status: 'active' | 'pending',
): Promise<string> {
  const id = newId()
  const { publicKey, sealed } = createSealedKeyPair(context, { id, organization })
  await insertKeyRow(trx, { id, organization, public_key: publicKey, sealed, status })
  return id
}

interface SigningKeyRow extends Pick<KeyRow, 'id' | 'organization' | 'public_key' | 'sealed'> {
  name: string
  domain: string | null
  awaits_document: boolean
}

/**
 * Reads the active key, or creates it if there is none. Locks its row `for share` until the end of the transaction, so
 * that the key is neither rotated nor revoked while it signs.
 */
export async function readSigningKey(trx: Knex, context: Context, organization: string): Promise<SigningKey> {
  const row = await readActiveKey(trx, context, organization)
  const { id, public_key: publicKey, name, domain, awaits_document: awaitsDocument } = row
  const did = createDid(domain, publicKey)
  return {
    id,
    did,
    publicKey,
    awaitsDocument,
    verificationMethod: createVerificationMethodId(domain, publicKey),
    issuer: { id: did, name },
    sign: (bytes) => signWithKey(context, row, bytes),
  }
}

/**
 * Reads the active key for signatures that others will verify.
 * @throws DPP_KEY_ROTATION_PENDING while the DID document lacks the key, because nobody could verify its signatures
 */
export async function readIssuingKey(trx: Knex, context: Context, organization: string): Promise<SigningKey> {
  const key = await readSigningKey(trx, context, organization)
  if (!key.awaitsDocument) return key
  throw createProblem(
    'DPP_KEY_ROTATION_PENDING',
    `The document of ${key.did} does not have the new key yet: publish it and have it checked.`,
  )
}

/** Maximum number of reads of the active key while other transactions replace it. */
const maxAttempts = 10

/**
 * Reads and share-locks the row of the active key. Reads again if the row is no longer active after a wait for a
 * rotation.
 */
export async function readActiveKey(
  trx: Knex,
  context: Pick<Context, 'settings'>,
  organization: string,
): Promise<SigningKeyRow> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const {
      rows: [row],
    } = await trx.raw<{ rows: SigningKeyRow[] }>(
      `select k.id, k.organization, k.public_key, k.sealed, k.awaits_document, o.name, d.domain
       from certification_keys k join organizations o on o.id = k.organization
         left join did_web_domains d on d.organization = k.organization and d.state = 'active'
       where k.organization = ? and k.status = 'active' for share of k`,
      [organization],
    )
    if (row) return row
    await insertFirstKey(trx, context, organization)
  }
  throw new Error(`organization ${organization} has no active certification key`)
}
