import type { CertifiedContent } from '../formats/index.ts'
import { baseContext, undefinedTermsContext } from './contexts.terms.ts'

/** The contexts and types that a version of UNTP's Digital Product Passport requires in a credential. */
interface UntpVersion {
  contexts: readonly string[]
  types: readonly string[]
}

/**
 * The supported versions of UNTP. Source: UNTP Digital Product Passport; W3C Verifiable Credentials Data Model 2.0,
 * section 4.
 */
export const untpVersions = {
  '0.7.0': {
    contexts: [baseContext, 'https://vocabulary.uncefact.org/untp/0.7.0/context/'],
    types: ['DigitalProductPassport', 'VerifiableCredential'],
  },
} as const satisfies Record<string, UntpVersion>
export type UntpVersionName = keyof typeof untpVersions

/** The version for new credentials. */
export const currentUntpVersion: UntpVersionName = '0.7.0'

export interface Issuer {
  id: string
  name: string
}

export type Credential = Record<string, unknown>

/**
 * Returns the credential with the context of undefined terms added, so that every term is mapped; terms that were
 * mapped before keep their meaning. This is needed if the credential has keys that no context of ours can map. The form
 * over RDF also needs it if the first revision of UNTP's context 0.7.0 is stored, which does not map the type
 * DigitalProductPassport. Source: VC Data Model 2.0, section 5.2.1.
 */
export function addUndefinedTermsContext(credential: Credential): Credential {
  const contexts = credential['@context'] as readonly unknown[]
  return contexts.includes(undefinedTermsContext)
    ? credential
    : { ...credential, '@context': [...contexts, undefinedTermsContext] }
}

export interface CredentialEnvelope {
  /** Address of the credential, or a `urn:uuid:`. */
  id: string
  issuer: Issuer
  validFrom: Date
  /** Identifier of the subject if the product has none. */
  subject: string
  /** Address of the context that maps the keys of the content; null if there is none. */
  context: string | null
  untp?: UntpVersionName
}

/** Creates an unsigned credential about a product. */
export function createCredential({ product, data }: CertifiedContent, envelope: CredentialEnvelope): Credential {
  const { id, issuer, validFrom, subject, context, untp = currentUntpVersion } = envelope
  const { contexts, types } = untpVersions[untp]
  return {
    '@context': context === null ? [...contexts] : [...contexts, context],
    type: [...types],
    id,
    name: `Passport of ${String(product['name'])}`,
    issuer: { type: ['CredentialIssuer'], ...issuer },
    // RFC 3339 with milliseconds and Z.
    validFrom: validFrom.toISOString(),
    credentialSubject: {
      ...product,
      id: typeof product['id'] === 'string' ? product['id'] : subject,
      type: ['Product'],
      ...(Object.keys(data).length > 0 && { characteristics: data }),
    },
  }
}

/** Members that identify a product; the only ones in a credential that certifies nothing else. */
const identifyingMembers = ['name', 'idGranularity', 'modelNumber', 'batchNumber', 'itemNumber'] as const

/** Creates the credential of a product of which nothing else is certified. */
export function createMinimalCredential(product: Record<string, unknown>, envelope: CredentialEnvelope): Credential {
  const memberNames = ['id', ...identifyingMembers].filter((name) => Object.hasOwn(product, name))
  const content = { product: Object.fromEntries(memberNames.map((name) => [name, product[name]])), data: {} }
  return createCredential(content, { ...envelope, context: null })
}

/** The position of a credential's status: the same index in a revocation list and in a suspension list. */
export interface StatusPosition {
  revocation: string
  suspension: string
  index: number
  /** Address where verifiers read which keys of the issuer are revoked. */
  keys: string
}

const createStatusEntry = (purpose: 'revocation' | 'suspension', list: string, index: string | number) => ({
  type: 'BitstringStatusListEntry',
  id: `${list}#${index}`,
  statusPurpose: purpose,
  statusListIndex: index,
  statusListCredential: list,
})

/**
 * Returns the credential with its status in the embedded form: both entries, with the index as text.
 * `statusReference` is the address of the issuer's keys and their revocations. It stands in the suspension entry, which
 * the JOSE form does not have, so that the revocation entry is equal in both forms.
 * Source: W3C Bitstring Status List 1.0, section 2.1.
 */
export function addStatusEntries(
  credential: Credential,
  { revocation, suspension, index, keys }: StatusPosition,
): Credential {
  const suspended = { ...createStatusEntry('suspension', suspension, String(index)), statusReference: keys }
  const entries = [createStatusEntry('revocation', revocation, String(index)), suspended]
  return { ...credential, credentialStatus: entries }
}

/**
 * Returns the credential with its status in the JOSE form: one entry, with the index as a number. UNTP's schema does
 * not allow `statusReference`. Source: UNTP 0.7.0, Status.
 */
export function addRevocationEntry(credential: Credential, { revocation, index }: StatusPosition): Credential {
  return { ...credential, credentialStatus: createStatusEntry('revocation', revocation, index) }
}
