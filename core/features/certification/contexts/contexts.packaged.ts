import { baseContext } from './contexts.terms.ts'

type Terms = Record<string, unknown>

const securityVocabulary = 'https://w3id.org/security#'

/** Aliases that each of these contexts begins with and that no other context may redefine. */
const commonTerms = { '@protected': true, id: '@id', type: '@type' }

/**
 * The context of W3C's examples, which maps every otherwise unmapped term to an address below this one. Source: the
 * address itself.
 */
const examplesContext = { '@vocab': 'https://www.w3.org/ns/credentials/examples#' }

/**
 * Parts of the base context that have their own addresses. They have the same terms, so a document may use them
 * together with it.
 */
const partialContexts: Record<string, { names: readonly string[]; additionalTerms: Terms }> = {
  'https://w3id.org/security/data-integrity/v2': {
    names: ['DataIntegrityProof'],
    additionalTerms: { proof: { '@id': `${securityVocabulary}proof`, '@type': '@id', '@container': '@graph' } },
  },
  'https://www.w3.org/ns/credentials/status/v1': {
    names: ['BitstringStatusListCredential', 'BitstringStatusList', 'BitstringStatusListEntry'],
    additionalTerms: {},
  },
}

/** Creates the context of a kind of verification method, with the members of its public and its secret key. */
const createMethodContext = (name: string, keyMembers: readonly string[], type: string) => {
  const createDateTerm = (term: string) => ({
    '@id': `${securityVocabulary}${term}`,
    '@type': 'http://www.w3.org/2001/XMLSchema#dateTime',
  })
  const members = Object.fromEntries(
    keyMembers.map((half) => [half, { '@id': `${securityVocabulary}${half}`, '@type': type }]),
  )
  const controller = { '@id': `${securityVocabulary}controller`, '@type': '@id' }
  const terms = {
    ...commonTerms,
    controller,
    revoked: createDateTerm('revoked'),
    expires: createDateTerm('expiration'),
    ...members,
  }
  return { ...commonTerms, [name]: { '@id': `${securityVocabulary}${name}`, '@context': terms } }
}

const builtInContexts: Record<string, Terms> = {
  'https://www.w3.org/ns/credentials/examples/v2': examplesContext,
  'https://w3id.org/security/multikey/v1': createMethodContext(
    'Multikey',
    ['publicKeyMultibase', 'secretKeyMultibase'],
    `${securityVocabulary}multibase`,
  ),
  'https://w3id.org/security/jwk/v1': createMethodContext('JsonWebKey', ['publicKeyJwk', 'secretKeyJwk'], '@json'),
}

/**
 * Finds a context of W3C that is known without a request; returns undefined for any other.
 * Source: W3C Verifiable Credentials Data Model 2.0, appendix B.1; Data Integrity 1.0, section 2.4; Bitstring Status
 * List 1.0, section 5.2
 */
export async function findPackagedContext(url: string): Promise<object | undefined> {
  const { contexts } = await import('@digitalbazaar/credentials-context')
  const own = Object.hasOwn(builtInContexts, url) ? builtInContexts[url] : undefined
  if (own) return { '@context': own }
  const part = Object.hasOwn(partialContexts, url) ? partialContexts[url] : undefined
  if (!part) return contexts.get(url)
  const { '@context': all } = contexts.get(baseContext) as { '@context': Terms }
  return {
    '@context': {
      ...commonTerms,
      ...part.additionalTerms,
      ...Object.fromEntries(part.names.map((name) => [name, all[name]])),
    },
  }
}
