import { instant, list, object, oneOf, string, type Static } from '../../../kernel/schema.ts'

/** Who documents are for. */
export const legalAudiences = ['company', 'individual'] as const
export type LegalAudience = (typeof legalAudiences)[number]

const id = string('Name of the document, the same in every version.', {
  pattern: '^[a-z][a-z0-9-]{0,62}$',
  examples: ['terms'],
})
const version = string('Its version.', { minLength: 1, maxLength: 40, examples: ['1'] })
const audience = oneOf(legalAudiences, 'Who it is for.')
const kind = oneOf(['terms', 'privacy', 'dpa'], 'What it is: terms of service, privacy notice, or agreement on data.')
const title = string('Its title.', { minLength: 1, maxLength: 200, examples: ['Terms of service'] })
const publishedAt = instant('When this version was published.')

/** What stands at the head of the file of a document. */
export const LegalDocumentHead = object({ id, audience, kind, version, title, publishedAt })
export type LegalDocumentHead = Static<typeof LegalDocumentHead>

export const LegalDocument = object(
  {
    id,
    audience,
    kind,
    version,
    title,
    url: string('Page that shows this version.', { format: 'uri' }),
    publishedAt,
  },
  { title: 'LegalDocument', description: 'A document that customers accept.' },
)
export type LegalDocument = Static<typeof LegalDocument>

export const LegalDocuments = list(LegalDocument, 'The current documents.')

export const LegalAcceptance = object(
  { document: id, version },
  { title: 'LegalAcceptance', description: 'A document in the version that was read.' },
)
export type LegalAcceptance = Static<typeof LegalAcceptance>

/** A document that somebody has accepted, for the person to see. */
export interface Acceptance {
  id: string
  version: string
  title: string
  acceptedAt: string
}

export const acceptanceList = list(LegalAcceptance, 'What is accepted.', { minItems: 1, maxItems: 20 })

export const LegalAcceptances = object(
  { acceptances: acceptanceList },
  { title: 'LegalAcceptances', description: 'Documents that are accepted.' },
)

export const LegalState = object(
  {
    audience: oneOf(legalAudiences, 'The customer type of the active organization; `individual` without one.'),
    missing: list(LegalDocument, 'Current documents for this audience that the person has not accepted.'),
  },
  { title: 'LegalState', description: 'What a person still has to accept.' },
)
