import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import type { DomainRow } from './did-web/domain-rows.ts'
import type { Issuer } from './credential.ts'
import { signingKey } from './keys.ts'
import type { KeyRow } from './keys.rows.ts'
import { signWith } from './keys.secret.ts'
import { multikeyOf } from './multikey.ts'
import type { Signer } from './proofs.ts'

/** Whose list it is, and what it is issued as. Null in lists that are older than that and that no credential is in. */
export interface SignedList { organization: string; issuer: string | null; key: string | null }

/** Who signs a list. `key` is the identifier of the key; `second` signs after it, for a list whose issuer has no valid key left. */
export interface ListSigner extends Signer { issuer: Issuer; key: string; second: Signer | null }

/**
 * Who signs a list. Its issuer is that of the credentials in it, for ever: verifiers trust no other one to revoke them.
 * It is signed with the newest valid key of that identifier: under the present domain the active one, or another that the
 * document has while it lacks that one; under a former one what its document had last; under did:key the key itself.
 * Where all of them are revoked, the newest still signs, as nothing else speaks for the identifier, and the active key of
 * the organization signs in a chain after it.
 * Source: W3C Bitstring Status List 1.0, section 3.2; W3C Data Integrity 1.0, section 2.1.2, proof chains
 */
export async function listSigner(db: Knex, context: Context, list: SignedList): Promise<ListSigner> {
  const active = await signingKey(db, context, list.organization)
  const present = { verificationMethod: active.verificationMethod, sign: active.sign }
  if (list.issuer === null || list.issuer === active.did) {
    const row = active.awaitsDocument ? await publishedRow(db, list.organization) : undefined
    if (!row) return { ...present, issuer: active.issuer, key: active.id, second: null }
    return {
      issuer: active.issuer, key: row.id, verificationMethod: `${active.did}#${multikeyOf(row.public_key)}`,
      sign: (bytes) => signWith(context, row, bytes), second: null,
    }
  }
  const row = await signingRow(db, list, list.issuer)
  if (!row) throw new Error(`no key of ${list.issuer} is left to sign its status list`)
  return {
    issuer: { id: list.issuer, name: active.issuer.name },
    key: row.status === 'revoked' ? `${row.id} ${active.id} ${active.did}` : row.id,
    verificationMethod: `${list.issuer}#${multikeyOf(row.public_key)}`,
    sign: (bytes) => signWith(context, row, bytes),
    second: row.status === 'revoked' ? present : null,
  }
}

/** The newest valid key that the document of the present domain was seen to have. */
const publishedRow = (db: Knex, organization: string): Promise<KeyRow | undefined> =>
  db<KeyRow>('certification_keys as k').join('did_web_domains as d', 'd.organization', 'k.organization')
    .where({ 'k.organization': organization, 'd.state': 'active' }).whereNot('k.status', 'revoked').whereRaw('k.id = any(d.published)')
    .orderBy('k.created_at', 'desc').first<KeyRow | undefined>('k.*')

/** The newest key of a former identifier: a valid one before a revoked one. */
async function signingRow(db: Knex, { organization, key }: SignedList, did: string): Promise<KeyRow | undefined> {
  const domain = did.startsWith('did:web:') ? did.slice('did:web:'.length) : null
  const former = domain === null ? undefined : await db<DomainRow>('did_web_domains').where({ organization, domain }).first()
  const known = [...(former?.published ?? []), ...(key === null ? [] : [key])]
  return db<KeyRow>('certification_keys').where({ organization }).whereIn('id', domain === null && key !== null ? [key] : known)
    .orderByRaw(`status = 'revoked', created_at desc`).first()
}
