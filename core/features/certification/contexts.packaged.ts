import { baseContext } from './contexts.terms.ts'

type Terms = Record<string, unknown>

const security = 'https://w3id.org/security#'

/** Aliases that each of these contexts begins with, and which nothing may redefine. */
const common = { '@protected': true, id: '@id', type: '@type' }

/** What W3C's examples are written with: terms that nothing else maps are below it. Source: the address itself. */
const examples = { '@vocab': 'https://www.w3.org/ns/credentials/examples#' }

/** Parts of the base context that have an address of their own: the same terms, which may stand beside it. */
const parts: Record<string, { names: readonly string[]; more: Terms }> = {
  'https://w3id.org/security/data-integrity/v2': {
    names: ['DataIntegrityProof'],
    more: { proof: { '@id': `${security}proof`, '@type': '@id', '@container': '@graph' } },
  },
  'https://www.w3.org/ns/credentials/status/v1': {
    names: ['BitstringStatusListCredential', 'BitstringStatusList', 'BitstringStatusListEntry'], more: {},
  },
}

/** A kind of verification method, with its public and its secret half. */
const method = (name: string, halves: readonly string[], type: string) => {
  const dated = (term: string) => ({ '@id': `${security}${term}`, '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' })
  const members = Object.fromEntries(halves.map((half) => [half, { '@id': `${security}${half}`, '@type': type }]))
  const controller = { '@id': `${security}controller`, '@type': '@id' }
  const terms = { ...common, controller, revoked: dated('revoked'), expires: dated('expiration'), ...members }
  return { ...common, [name]: { '@id': `${security}${name}`, '@context': terms } }
}

const written: Record<string, Terms> = {
  'https://www.w3.org/ns/credentials/examples/v2': examples,
  'https://w3id.org/security/multikey/v1': method('Multikey', ['publicKeyMultibase', 'secretKeyMultibase'], `${security}multibase`),
  'https://w3id.org/security/jwk/v1': method('JsonWebKey', ['publicKeyJwk', 'secretKeyJwk'], '@json'),
}

/**
 * A context of W3C that has to be known without asking for it; undefined for any other.
 * Source: W3C Verifiable Credentials Data Model 2.0, appendix B.1; Data Integrity 1.0, section 2.4; Bitstring Status
 * List 1.0, section 5.2
 */
export async function packaged(url: string): Promise<object | undefined> {
  const { contexts } = await import('@digitalbazaar/credentials-context')
  const own = Object.hasOwn(written, url) ? written[url] : undefined
  if (own) return { '@context': own }
  const part = Object.hasOwn(parts, url) ? parts[url] : undefined
  if (!part) return contexts.get(url)
  const { '@context': all } = contexts.get(baseContext) as { '@context': Terms }
  return { '@context': { ...common, ...part.more, ...Object.fromEntries(part.names.map((name) => [name, all[name]])) } }
}
