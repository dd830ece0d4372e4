import { gzipSync } from 'node:zlib'
import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import type { CredentialType } from './accept.ts'
import { presentUntp, untpVersions, type Credential } from './credential.ts'
import { signJwt } from './jose.ts'
import { signingKey } from './keys.ts'
import { withProof } from './proofs.ts'
import { listAddress } from './status-lists.ts'

interface ListRow { id: string; organization: string; purpose: string; bits: Buffer; updated_at: Date }

/**
 * A status list as a credential, in the form asked for, signed with the organization's present key. What it is dated
 * with is when it last changed, so that its bytes are the same until it or the key does. Null where there is none.
 * Source: W3C Bitstring Status List 1.0, section 3.
 */
export async function readStatusList(
  db: Knex, context: Context, id: string, type: CredentialType,
): Promise<Buffer | null> {
  const list = await db('status_lists').where({ id })
    .first<ListRow | undefined>('id', 'organization', 'purpose', 'bits', 'updated_at')
  if (!list) return null
  const key = await signingKey(db, context, list.organization)
  const credential = listCredential(list, listAddress(context, id), key.issuer)
  return Buffer.from(type === 'application/vc+jwt'
    ? signJwt(credential, key)
    : JSON.stringify(await withProof(credential, key, list.updated_at)))
}

function listCredential({ purpose, bits, updated_at }: ListRow, id: string, issuer: { id: string; name: string }): Credential {
  const [core] = untpVersions[presentUntp].contexts
  return {
    '@context': [core],
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    id,
    issuer,
    validFrom: updated_at.toISOString(),
    credentialSubject: {
      id: `${id}#list`, type: 'BitstringStatusList', statusPurpose: purpose,
      // Multibase, base64url without padding.
      encodedList: `u${gzipSync(bits).toString('base64url')}`,
    },
  }
}
