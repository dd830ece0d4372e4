import { boolean, instant, nullable, object, oneOf, string, uuid, type Static } from '../../../kernel/schema.ts'

export const statusPurposes = ['revocation', 'suspension'] as const

const createPurposeSchema = () => oneOf(statusPurposes, 'A revocation is for good; a suspension can be lifted.')

export const StatusChange = object(
  {
    purpose: createPurposeSchema(),
    value: boolean('true revokes or suspends; false lifts a suspension.'),
    reason: string('Why, for the record; not published.', { minLength: 1, maxLength: 500, pattern: '\\S' }),
  },
  { title: 'CredentialStatusChange', description: 'A change of the status of all credentials of a passport.' },
)
export type StatusChange = Static<typeof StatusChange>

export const CredentialStatus = object(
  {
    passport: uuid('The passport whose credentials these are.'),
    purpose: createPurposeSchema(),
    value: boolean('What is so of this purpose now.'),
    reason: nullable(string('What was said when it became so; null where it was never otherwise.')),
    changedAt: nullable(instant('When it became so; null where it was never otherwise.')),
    revoked: boolean('Whether the credentials are revoked.'),
    suspended: boolean('Whether the credentials are suspended.'),
  },
  { title: 'CredentialStatus', description: 'The status of the credentials of a passport, old and new ones alike.' },
)
export type CredentialStatus = Static<typeof CredentialStatus>
