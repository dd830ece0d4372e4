import type { CertifiedContent } from './content.ts'
import { baseContext, undefinedTerms } from './contexts.terms.ts'

/** What a version of UNTP's Digital Product Passport fixes about the envelope. */
interface UntpVersion { contexts: readonly string[]; types: readonly string[] }

/** Source: UNTP Digital Product Passport; W3C Verifiable Credentials Data Model 2.0, section 4. */
export const untpVersions = {
  '0.7.0': {
    contexts: [baseContext, 'https://vocabulary.uncefact.org/untp/0.7.0/context/'],
    types: ['DigitalProductPassport', 'VerifiableCredential'],
  },
} as const satisfies Record<string, UntpVersion>
export type UntpName = keyof typeof untpVersions

/** The version that new credentials have. */
export const presentUntp: UntpName = '0.7.0'

export interface Issuer { id: string; name: string }

export type Credential = Record<string, unknown>

/**
 * The credential with every term mapped: where it has keys that no context of ours can map, and in a form over its RDF
 * with the first revision of UNTP's context of 0.7.0, which leaves out the type DigitalProductPassport itself. What is
 * mapped keeps its meaning. Source: VC Data Model 2.0, section 5.2.1.
 */
export function withUndefinedTerms(credential: Credential): Credential {
  const contexts = credential['@context'] as readonly unknown[]
  return contexts.includes(undefinedTerms) ? credential : { ...credential, '@context': [...contexts, undefinedTerms] }
}

export interface Envelope {
  /** Address of the credential, or a `urn:uuid:`. */
  id: string
  issuer: Issuer
  validFrom: Date
  /** Identifier of the subject where the product has none of its own. */
  subject: string
  /** Address of the context that maps the keys of `data`, where there is one. */
  context: string | null
  untp?: UntpName
}

/** An unsigned credential about a product. */
export function credentialOf({ product, data }: CertifiedContent, envelope: Envelope): Credential {
  const { id, issuer, validFrom, subject, context, untp = presentUntp } = envelope
  const { contexts, types } = untpVersions[untp]
  return {
    '@context': context === null ? [...contexts] : [...contexts, context],
    type: [...types],
    id,
    name: `Passport of ${String(product['name'])}`,
    issuer: { type: ['CredentialIssuer'], ...issuer },
    // With milliseconds and Z.
    validFrom: validFrom.toISOString(),
    credentialSubject: {
      ...product,
      id: typeof product['id'] === 'string' ? product['id'] : subject,
      type: ['Product'],
      ...(Object.keys(data).length > 0 && { characteristics: data }),
    },
  }
}

/** Members of a product that say what it is; all that an unsigned credential tells of it. */
const identifying = ['name', 'idGranularity', 'modelNumber', 'batchNumber', 'itemNumber'] as const

/** The credential of a product of which nothing is certified. */
export function minimalCredential(product: Record<string, unknown>, envelope: Envelope): Credential {
  const told = ['id', ...identifying].filter((name) => Object.hasOwn(product, name))
  const content = { product: Object.fromEntries(told.map((name) => [name, product[name]])), data: {} }
  return credentialOf(content, { ...envelope, context: null })
}

/** Where the status of a credential stands: the same index in a list of revocations and one of suspensions. */
export interface StatusPlace {
  revocation: string
  suspension: string
  index: number
  /** Where verifiers learn which keys of the issuer are revoked. */
  keys: string
}

const entryOf = (purpose: 'revocation' | 'suspension', list: string, index: string | number) => ({
  type: 'BitstringStatusListEntry', id: `${list}#${index}`, statusPurpose: purpose, statusListIndex: index, statusListCredential: list,
})

/**
 * The credential with its status as the embedded form tells it: both entries, their index as text.
 * `statusReference` leads to material related to the status: the keys of the issuer, with what was revoked of them. It
 * stands in the entry that the other form does not have, as the revocation is the same in both.
 * Source: W3C Bitstring Status List 1.0, section 2.1.
 */
export function withStatuses(credential: Credential, { revocation, suspension, index, keys }: StatusPlace): Credential {
  const suspended = { ...entryOf('suspension', suspension, String(index)), statusReference: keys }
  const entries = [entryOf('revocation', revocation, String(index)), suspended]
  return { ...credential, credentialStatus: entries }
}

/** The credential with its status as the JOSE form tells it: one entry, its index a number. UNTP's schema leaves no room for `statusReference`. Source: UNTP 0.7.0, Status. */
export function withStatus(credential: Credential, { revocation, index }: StatusPlace): Credential {
  return { ...credential, credentialStatus: entryOf('revocation', revocation, index) }
}
