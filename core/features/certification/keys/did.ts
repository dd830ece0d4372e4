import { hash } from 'node:crypto'
import { getIssuerKeysAddress } from './address.ts'
import { parseEd25519Multikey, toMultikey } from '../formats/index.ts'

/**
 * Returns the identifier that an organization signs under: its domain if one is active, else the key itself. A
 * credential keeps the identifier that it was signed under. A `did:key` can be verified for ever without a host; a
 * `did:web` only while the domain serves a document with the key. After a change of the domain, the old domain must
 * therefore go on serving its last document.
 * Source: did:key and did:web method specifications.
 */
export const createDid = (domain: string | null, publicKey: Uint8Array): string =>
  domain === null ? `did:key:${toMultikey(publicKey)}` : `did:web:${domain}`

/** Returns the id of a key as proofs name it; it never changes and is the same under did:key and did:web. */
export const createKeyId = toMultikey

/** Returns the verification method that a proof names: `did:key:z…#z…` or `did:web:domain#z…`. */
export const createVerificationMethodId = (domain: string | null, publicKey: Uint8Array): string =>
  `${createDid(domain, publicKey)}#${createKeyId(publicKey)}`

/**
 * Returns the verification method that a token names. For a domain it is the JsonWebKey under its thumbprint, because
 * JOSE libraries expect that form; a `did:key` is the same in both.
 * @param method the verification method of a proof
 * Source: W3C VC-JOSE-COSE, section 4.3; RFC 7638.
 */
export function toJoseMethodId(method: string): string {
  const [did = '', kid = ''] = method.split('#')
  const publicKey = did.startsWith('did:web:') ? parseEd25519Multikey(kid) : null
  return publicKey === null ? method : `${did}#${createJwkThumbprint(publicKey)}`
}

/** Returns a key as a JWK, with its members in the order of a thumbprint. Source: RFC 8037, section 2. */
export const toJwk = (publicKey: Uint8Array) =>
  ({ crv: 'Ed25519', kty: 'OKP', x: Buffer.from(publicKey).toString('base64url') }) as const

/** Computes the thumbprint of a key. Source: RFC 7638, section 3, with the members of RFC 8037. */
export const createJwkThumbprint = (publicKey: Uint8Array): string =>
  hash('sha256', JSON.stringify(toJwk(publicKey)), 'base64url')

const didContexts = [
  'https://www.w3.org/ns/did/v1',
  'https://w3id.org/security/multikey/v1',
  'https://w3id.org/security/jwk/v1',
]

/** A key in a DID document. */
export interface DidVerificationMethod {
  id: string
  type: 'Multikey' | 'JsonWebKey'
  controller: string
  publicKeyMultibase?: string
  publicKeyJwk?: { crv: 'Ed25519'; kty: 'OKP'; x: string }
}

/** The DID document of a domain. Source: W3C Decentralized Identifiers, section 5. */
export interface DidDocument {
  '@context': string[]
  id: string
  verificationMethod: DidVerificationMethod[]
  assertionMethod: string[]
  service: { id: string; type: string; serviceEndpoint: string }[]
}

/** Creates both entries of a key in a domain's document: one as proofs name it, one as tokens do. */
export function createVerificationMethods(
  domain: string,
  publicKey: Uint8Array,
): [DidVerificationMethod, DidVerificationMethod] {
  const id = createVerificationMethodId(domain, publicKey)
  const controller = `did:web:${domain}`
  return [
    { id, type: 'Multikey', controller, publicKeyMultibase: toMultikey(publicKey) },
    { id: toJoseMethodId(id), type: 'JsonWebKey', controller, publicKeyJwk: toJwk(publicKey) },
  ]
}

/**
 * Creates the document that an organization has to publish: its keys for assertions, and the address of their history.
 */
export function createDidDocument(domain: string, publicKeys: readonly Uint8Array[], baseUrl: string): DidDocument {
  const methods = publicKeys.flatMap((key) => createVerificationMethods(domain, key))
  return {
    '@context': didContexts,
    id: `did:web:${domain}`,
    verificationMethod: methods,
    assertionMethod: methods.map((method) => method.id),
    service: [
      {
        id: `did:web:${domain}#keys`,
        type: 'IssuerKeys',
        serviceEndpoint: getIssuerKeysAddress(baseUrl, `did:web:${domain}`),
      },
    ],
  }
}
