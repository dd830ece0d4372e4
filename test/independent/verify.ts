import { gunzipSync } from 'node:zlib'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { createVerifyCryptosuite } from '@digitalbazaar/eddsa-jcs-2022-cryptosuite'
import { verifyCredential } from '@digitalbazaar/vc'
import { compactVerify, importJWK } from 'jose'
import { readDocument, readPublicKey, type DidDocument } from './dids.ts'
import { decodeStrictly, parseStrictly } from './strict.ts'

/** What a verifier has at hand beside the credential; it asks nobody. */
export interface SavedDocuments {
  /** Documents of domains, by their identifier. */
  dids: ReadonlyMap<string, DidDocument>
  /** Status lists in the embedded form, by their address. */
  lists: ReadonlyMap<string, Uint8Array>
}

export type Credential = Record<string, unknown>

/** A credential with an embedded proof, verified by the library. @throws Error where it does not verify */
export async function verifyEmbedded(bytes: Uint8Array, saved: SavedDocuments): Promise<Credential> {
  const credential = parseStrictly(bytes)
  const result = await verifyCredential({
    credential,
    suite: new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() }),
    documentLoader: async (documentUrl) => ({ contextUrl: null, documentUrl, document: loaded(documentUrl, saved) }),
    checkStatus: async () => ({ verified: await isUnset(credential, saved) }),
  })
  if (!result.verified) throw result.error ?? new Error('it does not verify')
  return parseStrictly(bytes)
}

/** A document of an identifier, or the key of one; nothing else is ever asked for, as JCS needs no context. */
function loaded(url: string, { dids }: SavedDocuments): object {
  const [did = '', fragment] = url.split('#')
  const document = readDocument(did, dids)
  if (fragment === undefined) return document
  const method = document.verificationMethod.find(({ id }) => id === url)
  if (!method) throw new Error(`${did} has no key ${fragment}`)
  return { '@context': 'https://w3id.org/security/multikey/v1', ...method }
}

/** A credential as a compact JWS, verified by the library. @throws Error where it does not verify */
export async function verifyToken(token: string, saved: SavedDocuments): Promise<Credential> {
  const parts = token.split('.').map(decodeStrictly)
  const header = parseStrictly(parts[0] ?? Buffer.alloc(0))
  const credential = parseStrictly(parts[1] ?? Buffer.alloc(0))
  const issuer = issuerOf(credential)
  if (header['typ'] !== 'vc+jwt' || header['cty'] !== 'vc') throw new Error('another type')
  const key = await importJWK(readPublicKey(readDocument(issuer, saved.dids), header['kid']), 'EdDSA')
  const { payload } = await compactVerify(token, key, { algorithms: ['EdDSA'] })
  if (Buffer.compare(payload, parts[1] ?? Buffer.alloc(0)) !== 0) throw new Error('another payload')
  if (!(await isUnset(credential, saved))) throw new Error('revoked or suspended')
  return credential
}

function issuerOf({ issuer }: Credential): string {
  const id = typeof issuer === 'object' && issuer !== null ? (issuer as { id?: unknown }).id : issuer
  if (typeof id !== 'string') throw new Error('no issuer')
  return id
}

interface Entry {
  statusPurpose: string
  statusListIndex: string | number
  statusListCredential: string
}

/** Whether each status of a credential is unset, in lists that verify themselves. Both spellings of an index count. */
async function isUnset({ credentialStatus = [] }: Credential, saved: SavedDocuments): Promise<boolean> {
  for (const { statusPurpose, statusListIndex, statusListCredential } of [credentialStatus].flat() as Entry[]) {
    const bytes = saved.lists.get(statusListCredential)
    if (!bytes) throw new Error(`the list ${statusListCredential} is not at hand`)
    const list = await verifyEmbedded(bytes, { ...saved, lists: new Map() })
    const subject = list['credentialSubject'] as { statusPurpose: string; encodedList: string }
    const bits = gunzipSync(decodeStrictly(subject.encodedList.slice(1)))
    const index = Number(statusListIndex)
    if (list['id'] !== statusListCredential || subject.statusPurpose !== statusPurpose || bits.length < 16_384)
      return false
    if (!Number.isInteger(index) || index < 0 || index >= bits.length * 8) return false
    if ((bits[index >> 3] ?? 0xff) & (0x80 >> (index & 7))) return false
  }
  return true
}
