import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import type { Issuer } from './credential.ts'
import { signingKey } from './keys.ts'
import type { KeyRow } from './keys.rows.ts'
import { signWith } from './keys.secret.ts'
import { multikeyOf } from './multikey.ts'
import type { Signer } from './proofs.ts'

/** Whose list it is, and what it is issued as. Null in lists that are older than that and that no credential is in. */
export interface SignedList { organization: string; issuer: string | null; key: string | null }

/** Who signs a list. `key` is the identifier of the key. */
export interface ListSigner extends Signer { issuer: Issuer; key: string }

/**
 * Who signs a list: its issuer, which is that of the credentials in it. Under the organization's present domain that is
 * the active key. Else (`did:key`, or a domain that it had before and that goes on serving its last document) it is the
 * key that the list was begun with. Where that one was revoked nothing else can speak for the issuer; the active key
 * signs then under its own name, and verifiers who want list and credential to have one issuer see that they differ.
 */
export async function listSigner(db: Knex, context: Context, list: SignedList): Promise<ListSigner> {
  const active = await signingKey(db, context, list.organization)
  const present: ListSigner = {
    issuer: active.issuer, key: active.id, verificationMethod: active.verificationMethod, sign: active.sign,
  }
  if (list.issuer === null || list.issuer === active.did) return present
  const row = list.key === null ? undefined : await db<KeyRow>('certification_keys').where({ id: list.key }).first()
  if (!row || row.status === 'revoked') return present
  return {
    issuer: { id: list.issuer, name: active.issuer.name },
    key: row.id,
    verificationMethod: `${list.issuer}#${multikeyOf(row.public_key)}`,
    sign: (bytes) => signWith(context, row, bytes),
  }
}
