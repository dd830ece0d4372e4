import { multikeyOf } from './multikey.ts'

/**
 * The identifier that an organization signs under: its domain where one is configured, else the key itself. A
 * credential keeps the identifier it was signed under. One under `did:key` verifies for ever and alone; one under
 * `did:web` verifies as long as the domain serves a document with its key. So after a change of the domain the old one
 * has to go on serving its last document for what was signed under it.
 * Source: did:key and did:web method specifications.
 */
export const didOf = (domain: string | null, publicKey: Uint8Array): string =>
  domain === null ? `did:key:${multikeyOf(publicKey)}` : `did:web:${domain}`

/** Name of a key inside its document, the same under either method and for ever. */
export const kidOf = multikeyOf

/** What a signature names: `did:key:z…#z…`, `did:web:domain#z…`. */
export const verificationMethodOf = (domain: string | null, publicKey: Uint8Array): string =>
  `${didOf(domain, publicKey)}#${kidOf(publicKey)}`

const contexts = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1']

/** The document of a domain. Source: W3C Decentralized Identifiers, section 5. */
export interface DidDocument {
  '@context': string[]
  id: string
  verificationMethod: { id: string; type: 'Multikey'; controller: string; publicKeyMultibase: string }[]
  assertionMethod: string[]
}

/** What an organization has to publish: each of these keys, as one that may make assertions. */
export function didDocumentOf(domain: string, publicKeys: readonly Uint8Array[]): DidDocument {
  const id = `did:web:${domain}`
  const methods = publicKeys.map((key) => ({
    id: verificationMethodOf(domain, key),
    type: 'Multikey' as const,
    controller: id,
    publicKeyMultibase: multikeyOf(key),
  }))
  return { '@context': contexts, id, verificationMethod: methods, assertionMethod: methods.map((method) => method.id) }
}
