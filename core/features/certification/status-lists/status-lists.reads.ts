import { gzipSync } from 'node:zlib'
import { v5 } from 'uuid'
import type { Knex } from 'knex'
import { createRecentCache } from '../../../kernel/process/recent-cache.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import type { CredentialMediaType } from '../formats/index.ts'
import { type Credential, currentUntpVersion, type Issuer, untpVersions } from '../contexts/index.ts'
import { addProof, signJwt } from '../suites/index.ts'
import { readListSigner, type ListSigner, type SignedList } from './status-lists.signer.ts'
import { getStatusListAddress } from './status-lists.ts'

interface ListRow extends SignedList {
  id: string
  purpose: string
  version: number
  updated_at: Date
}

/** Maximum number of signed lists that a process caches, each of at most 25 kB. */
const maxSignedLists = 400
const signedLists = createRecentCache<Buffer>(maxSignedLists)

/**
 * Returns a status list as a credential in the requested form, issued by the issuer of the credentials in it; null if
 * there is none. The credential is dated with the last change of the list. So its bytes are the same in every process
 * until the list or its key changes, and each process signs each version once. The current version is never cached, so
 * the next reader sees a new bit at once; HTTP caches may keep the list but must revalidate it (`no-cache`, ETag).
 * Source: W3C Bitstring Status List 1.0, section 3.
 */
export async function findStatusList(
  db: Knex,
  context: Context,
  id: string,
  type: CredentialMediaType,
): Promise<Buffer | null> {
  const list = await db('status_lists')
    .where({ id })
    .first<ListRow | undefined>('id', 'organization', 'purpose', 'version', 'updated_at', 'issuer', 'key')
  if (!list) return null
  const signer = await readListSigner(db, context, list)
  // The two embedded forms have the same bytes.
  const form = type === 'application/vc+jwt' ? 'jwt' : 'ld'
  const createCacheKey = (version: number) => [id, version, form, signer.key, JSON.stringify(signer.issuer)].join(' ')
  const known = signedLists.get(createCacheKey(list.version))
  if (known) return known
  const latest = await db('status_lists')
    .where({ id })
    .first<(ListRow & { bits: Buffer }) | undefined>('id', 'purpose', 'version', 'updated_at', 'bits')
  if (!latest) return null
  const signed = await signList(latest, getStatusListAddress(context, id), signer, form)
  signedLists.set(createCacheKey(latest.version), signed)
  return signed
}

/** A status list as its organization sees it: where it is, what it says, and who issues it. */
export interface ListedStatusList {
  id: string
  address: string
  purpose: string
  /** The DID; null for a list from before issuers were stored. */
  issuer: string | null
  updatedAt: string
}

/** Lists the newest status lists of an organization, at most `limit`. */
export async function listStatusLists(
  { trx, context }: Work,
  organization: string,
  limit: number,
): Promise<ListedStatusList[]> {
  const rows = await trx('status_lists')
    .where({ organization })
    .orderBy([{ column: 'created_at', order: 'desc' }, 'purpose'])
    .limit(limit)
    .select<Pick<ListRow, 'id' | 'purpose' | 'issuer' | 'updated_at'>[]>('id', 'purpose', 'issuer', 'updated_at')
  return rows.map(({ id, purpose, issuer, updated_at: updatedAt }) => ({
    id,
    address: getStatusListAddress(context, id),
    purpose,
    issuer,
    updatedAt: updatedAt.toISOString(),
  }))
}

/**
 * How long a reader may use a list without reading it again. Source: W3C Bitstring Status List 1.0, section 2.2, its
 * default.
 */
const listTtlMs = 300_000

type ListBits = Pick<ListRow, 'purpose' | 'updated_at'> & { bits: Buffer }

async function signList(list: ListBits, address: string, signer: ListSigner, form: 'jwt' | 'ld'): Promise<Buffer> {
  const credential = createListCredential(list, address, signer.issuer)
  return Buffer.from(
    form === 'jwt'
      ? signJwt(credential, signer)
      : JSON.stringify(await addListProofs(credential, signer, list.updated_at)),
  )
}

/** Adds the signer's proof to a list and, if there is a second signer, a second proof chained to the first. */
async function addListProofs(credential: Credential, signer: ListSigner, created: Date): Promise<Credential> {
  if (signer.second === null) return addProof(credential, signer, created)
  const [first, second] = ['first', 'second'].map((name) => `urn:uuid:${createProofId(credential, name)}`)
  const { proof } = await addProof(credential, signer, created, undefined, { id: first })
  const chained = await addProof({ ...credential, proof: [proof] }, signer.second, created, undefined, {
    id: second,
    previousProof: first,
  })
  return { ...credential, proof: [proof, chained['proof']] }
}

/**
 * Creates the id of a proof. It must be the same in every process, as all bytes of the list. Source: RFC 9562, section
 * 5.5.
 */
const createProofId = ({ id }: Credential, name: string) => v5(`${String(id)} ${name}`, v5.URL)

function createListCredential({ purpose, bits, updated_at }: ListBits, id: string, issuer: Issuer): Credential {
  const [core] = untpVersions[currentUntpVersion].contexts
  return {
    '@context': [core],
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    id,
    issuer: issuer.id,
    validFrom: updated_at.toISOString(),
    credentialSubject: {
      id: `${id}#list`,
      type: 'BitstringStatusList',
      statusPurpose: purpose,
      ttl: listTtlMs,
      // Multibase: base64url without padding.
      encodedList: `u${gzipSync(bits).toString('base64url')}`,
    },
  }
}
