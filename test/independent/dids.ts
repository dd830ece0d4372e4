import { base58btc } from 'multiformats/bases/base58'

interface Jwk {
  kty: string
  crv: string
  x: string
}

export interface DidDocument {
  '@context': string[]
  id: string
  verificationMethod: {
    id: string
    type: string
    controller: string
    publicKeyMultibase?: string
    publicKeyJwk?: Jwk
  }[]
  assertionMethod: string[]
}

/** The document that a `did:key` is, or that a domain served when it was saved. @throws Error for another */
export function readDocument(did: string, saved: ReadonlyMap<string, DidDocument>): DidDocument {
  if (!did.startsWith('did:key:')) {
    const document = saved.get(did)
    if (!document) throw new Error(`the document of ${did} is not at hand`)
    return document
  }
  const key = did.slice('did:key:'.length)
  const id = `${did}#${key}`
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    verificationMethod: [{ id, type: 'Multikey', controller: did, publicKeyMultibase: key }],
    assertionMethod: [id],
  }
}

/** An Ed25519 key of a document that may make assertions, as a JWK. @throws Error where there is none */
export function readPublicKey(document: DidDocument, method: unknown): Jwk {
  const found = document.verificationMethod.find(({ id }) => id === method && document.assertionMethod.includes(id))
  if (found?.type === 'JsonWebKey' && found.publicKeyJwk) return found.publicKeyJwk
  const bytes =
    found?.publicKeyMultibase === undefined ? undefined : base58btc.decode(found.publicKeyMultibase as `z${string}`)
  if (bytes?.length !== 34 || bytes[0] !== 0xed || bytes[1] !== 0x01) throw new Error('no Ed25519 key of that name')
  return { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes.subarray(2)).toString('base64url') }
}
