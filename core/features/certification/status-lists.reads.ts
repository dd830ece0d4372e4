import { gzipSync } from 'node:zlib'
import { v5 } from 'uuid'
import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import type { CredentialType } from './accept.ts'
import { presentUntp, untpVersions, type Credential, type Issuer } from './credential.ts'
import { signJwt } from './jose.ts'
import { withProof } from './proofs.ts'
import { listSigner, type ListSigner, type SignedList } from './status-lists.signer.ts'
import { listAddress } from './status-lists.ts'

interface ListRow extends SignedList { id: string; purpose: string; version: number; updated_at: Date }

/** Lists that a process remembers signed, each of at most 25 kB; past it, the one not asked for the longest goes. */
const remembered = 400
const signed = new Map<string, Buffer>()

/**
 * A status list as a credential, in the form asked for, issued as the credentials in it are. What it is dated with is
 * when it last changed, so that its bytes are the same until it or its key does, in every process: each version is
 * signed once in each. Nothing is remembered of which version is the present one; so a bit that was set is seen by the
 * next reader, and HTTP caches may keep the list but have to ask whether it is still that one (`no-cache`, ETag).
 * Null where there is none. Source: W3C Bitstring Status List 1.0, section 3.
 */
export async function readStatusList(
  db: Knex, context: Context, id: string, type: CredentialType,
): Promise<Buffer | null> {
  const list = await db('status_lists').where({ id })
    .first<ListRow | undefined>('id', 'organization', 'purpose', 'version', 'updated_at', 'issuer', 'key')
  if (!list) return null
  const signer = await listSigner(db, context, list)
  // Both of the embedded forms are the same bytes.
  const form = type === 'application/vc+jwt' ? 'jwt' : 'ld'
  const mark = (version: number) => [id, version, form, signer.key, JSON.stringify(signer.issuer)].join(' ')
  const known = recall(mark(list.version))
  if (known) return known
  const present = await db('status_lists').where({ id })
    .first<ListRow & { bits: Buffer } | undefined>('id', 'purpose', 'version', 'updated_at', 'bits')
  if (!present) return null
  return remember(mark(present.version), await sign(present, listAddress(context, id), signer, form))
}

function recall(mark: string): Buffer | undefined {
  const known = signed.get(mark)
  return known && remember(mark, known)
}

function remember(mark: string, bytes: Buffer): Buffer {
  signed.delete(mark)
  signed.set(mark, bytes)
  const [oldest] = signed.keys()
  if (signed.size > remembered && oldest !== undefined) signed.delete(oldest)
  return bytes
}

/** For how long a reader may go by a list that it has. Source: W3C Bitstring Status List 1.0, section 2.2, its default. */
const listMilliseconds = 300_000

type Bits = Pick<ListRow, 'purpose' | 'updated_at'> & { bits: Buffer }

async function sign(list: Bits, address: string, signer: ListSigner, form: 'jwt' | 'ld'): Promise<Buffer> {
  const credential = listCredential(list, address, signer.issuer)
  return Buffer.from(form === 'jwt'
    ? signJwt(credential, signer)
    : JSON.stringify(await embedded(credential, signer, list.updated_at)))
}

/** The list with its proof, and one after it in a chain where a second key signs. */
async function embedded(credential: Credential, signer: ListSigner, created: Date): Promise<Credential> {
  if (signer.second === null) return withProof(credential, signer, created)
  const [first, second] = ['first', 'second'].map((name) => `urn:uuid:${proofId(credential, name)}`)
  const { proof } = await withProof(credential, signer, created, undefined, { id: first })
  const chained = await withProof({ ...credential, proof: [proof] }, signer.second, created, undefined, { id: second, previousProof: first })
  return { ...credential, proof: [proof, chained['proof']] }
}

/** A name that is the same in every process, as the bytes have to be. Source: RFC 9562, section 5.5. */
const proofId = ({ id }: Credential, name: string) => v5(`${String(id)} ${name}`, v5.URL)

function listCredential({ purpose, bits, updated_at }: Bits, id: string, issuer: Issuer): Credential {
  const [core] = untpVersions[presentUntp].contexts
  return {
    '@context': [core],
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    id,
    issuer: issuer.id,
    validFrom: updated_at.toISOString(),
    credentialSubject: {
      id: `${id}#list`, type: 'BitstringStatusList', statusPurpose: purpose, ttl: listMilliseconds,
      // Multibase, base64url without padding.
      encodedList: `u${gzipSync(bits).toString('base64url')}`,
    },
  }
}
