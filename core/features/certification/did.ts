import { hash } from 'node:crypto'
import { issuerKeysAddress } from './issuer-keys/address.ts'
import { keyOfMultikey, multikeyOf } from './multikey.ts'

/**
 * The identifier that an organization signs under: its domain where one is configured, else the key itself. A
 * credential keeps the identifier it was signed under. One under `did:key` verifies for ever and alone; one under
 * `did:web` verifies as long as the domain serves a document with its key. So after a change of the domain the old one
 * has to go on serving its last document for what was signed under it.
 * Source: did:key and did:web method specifications.
 */
export const didOf = (domain: string | null, publicKey: Uint8Array): string =>
  domain === null ? `did:key:${multikeyOf(publicKey)}` : `did:web:${domain}`

/** Name of a key inside its document as proofs use it, the same under either method and for ever. */
export const kidOf = multikeyOf

/** What a signature names: `did:key:z…#z…`, `did:web:domain#z…`. */
export const verificationMethodOf = (domain: string | null, publicKey: Uint8Array): string =>
  `${didOf(domain, publicKey)}#${kidOf(publicKey)}`

/**
 * What a token names. Readers of JOSE take a key of a domain as a JsonWebKey, which its document has under the thumbprint;
 * a `did:key` is both. @param method what a proof names. Source: W3C VC-JOSE-COSE, section 4.3; RFC 7638.
 */
export function tokenMethodOf(method: string): string {
  const [did = '', kid = ''] = method.split('#')
  const publicKey = did.startsWith('did:web:') ? keyOfMultikey(kid) : null
  return publicKey === null ? method : `${did}#${thumbprintOf(publicKey)}`
}

/** A key as JOSE has it, its members in the order of a thumbprint. Source: RFC 8037, section 2. */
export const jwkOf = (publicKey: Uint8Array) => ({ crv: 'Ed25519', kty: 'OKP', x: Buffer.from(publicKey).toString('base64url') }) as const

/** Source: RFC 7638, section 3, with the members of RFC 8037. */
export const thumbprintOf = (publicKey: Uint8Array): string => hash('sha256', JSON.stringify(jwkOf(publicKey)), 'base64url')

const contexts = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1', 'https://w3id.org/security/jwk/v1']

/** A key as a document describes it. */
export interface DidMethod {
  id: string
  type: 'Multikey' | 'JsonWebKey'
  controller: string
  publicKeyMultibase?: string
  publicKeyJwk?: { crv: 'Ed25519'; kty: 'OKP'; x: string }
}

/** The document of a domain. Source: W3C Decentralized Identifiers, section 5. */
export interface DidDocument {
  '@context': string[]
  id: string
  verificationMethod: DidMethod[]
  assertionMethod: string[]
  service: { id: string; type: string; serviceEndpoint: string }[]
}

/** A key of a domain twice: as proofs name it, and as tokens do. */
export function methodsOf(domain: string, publicKey: Uint8Array): [DidMethod, DidMethod] {
  const id = verificationMethodOf(domain, publicKey)
  const controller = `did:web:${domain}`
  return [
    { id, type: 'Multikey', controller, publicKeyMultibase: multikeyOf(publicKey) },
    { id: tokenMethodOf(id), type: 'JsonWebKey', controller, publicKeyJwk: jwkOf(publicKey) },
  ]
}

/** What an organization has to publish: each of these keys, as one that may make assertions, and where their history is. */
export function didDocumentOf(domain: string, publicKeys: readonly Uint8Array[], baseUrl: string): DidDocument {
  const methods = publicKeys.flatMap((key) => methodsOf(domain, key))
  return {
    '@context': contexts, id: `did:web:${domain}`, verificationMethod: methods, assertionMethod: methods.map((method) => method.id),
    service: [{ id: `did:web:${domain}#keys`, type: 'IssuerKeys', serviceEndpoint: issuerKeysAddress(baseUrl, `did:web:${domain}`) }],
  }
}
