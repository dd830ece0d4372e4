import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import type { DomainRow } from '../rotation/index.ts'
import type { Issuer } from '../contexts/index.ts'
import { type KeyRow, readSigningKey, signWithKey } from '../keys/index.ts'
import { toMultikey } from '../formats/index.ts'
import type { CredentialSigner } from '../suites/index.ts'

/**
 * The organization of a list, with the DID and the key that it is issued under. Both are null in lists without
 * credentials from before these were stored.
 */
export interface SignedList {
  organization: string
  issuer: string | null
  key: string | null
}

/**
 * The signer of a list. `key` identifies the signing keys in the cache of signed lists. `second` signs after the first
 * signer if the issuer of the list has no valid key left.
 */
export interface ListSigner extends CredentialSigner {
  issuer: Issuer
  key: string
  second: CredentialSigner | null
}

/**
 * Finds the signer of a list. The issuer of a list is always that of the credentials in it, because verifiers accept no
 * other issuer for their revocation. The list is signed with the newest valid key of that issuer:
 * - the active key for the current domain, or another published key while the document lacks the active one;
 * - a key of the last published document for a former domain;
 * - the key itself for did:key.
 * If all these keys are revoked, the newest one still signs, because nothing else can speak for the identifier; the
 * active key of the organization then signs after it in a proof chain.
 * Source: W3C Bitstring Status List 1.0, section 3.2; W3C Data Integrity 1.0, section 2.1.2, proof chains
 */
export async function readListSigner(db: Knex, context: Context, list: SignedList): Promise<ListSigner> {
  const active = await readSigningKey(db, context, list.organization)
  const present = { verificationMethod: active.verificationMethod, sign: active.sign }
  if (list.issuer === null || list.issuer === active.did) {
    const row = active.awaitsDocument ? await findPublishedKey(db, list.organization) : undefined
    if (!row) return { ...present, issuer: active.issuer, key: active.id, second: null }
    return {
      issuer: active.issuer,
      key: row.id,
      verificationMethod: `${active.did}#${toMultikey(row.public_key)}`,
      sign: (bytes) => signWithKey(context, row, bytes),
      second: null,
    }
  }
  const row = await findSigningKey(db, list, list.issuer)
  if (!row) throw new Error(`no key of ${list.issuer} is left to sign its status list`)
  return {
    issuer: { id: list.issuer, name: active.issuer.name },
    key: row.status === 'revoked' ? `${row.id} ${active.id} ${active.did}` : row.id,
    verificationMethod: `${list.issuer}#${toMultikey(row.public_key)}`,
    sign: (bytes) => signWithKey(context, row, bytes),
    second: row.status === 'revoked' ? present : null,
  }
}

/** Finds the newest valid key that the last check found in the document of the current domain. */
const findPublishedKey = (db: Knex, organization: string): Promise<KeyRow | undefined> =>
  db<KeyRow>('certification_keys as k')
    .join('did_web_domains as d', 'd.organization', 'k.organization')
    .where({ 'k.organization': organization, 'd.state': 'active' })
    .whereNot('k.status', 'revoked')
    .whereRaw('k.id = any(d.published)')
    .orderBy('k.created_at', 'desc')
    .first<KeyRow | undefined>('k.*')

/** Finds the newest key of a former identifier, a valid key before a revoked one. */
async function findSigningKey(db: Knex, { organization, key }: SignedList, did: string): Promise<KeyRow | undefined> {
  const domain = did.startsWith('did:web:') ? did.slice('did:web:'.length) : null
  const former =
    domain === null ? undefined : await db<DomainRow>('did_web_domains').where({ organization, domain }).first()
  const known = [...(former?.published ?? []), ...(key === null ? [] : [key])]
  return db<KeyRow>('certification_keys')
    .where({ organization })
    .whereIn('id', domain === null && key !== null ? [key] : known)
    .orderByRaw(`status = 'revoked', created_at desc`)
    .first()
}
