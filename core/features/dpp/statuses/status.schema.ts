import {
  boolean,
  instant,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'

/** The maximum number of batches and items whose status changes along with that of their model or batch. */
export const maxCascade = 10_000

export const statusPurposes = ['revocation', 'suspension'] as const

const createPurposeSchema = () => oneOf(statusPurposes, 'A revocation is for good.')

export const StatusChange = object(
  {
    purpose: createPurposeSchema(),
    value: boolean('false lifts a suspension.'),
    reason: string('Kept, not published.', { minLength: 1, maxLength: 500, pattern: '\\S' }),
    cascade: optional(boolean(`For a recall: its batches and items too, up to ${maxCascade.toLocaleString('en')}.`)),
  },
  { title: 'CredentialStatusChange', description: 'A change of the status of all credentials of a passport.' },
)
export type StatusChange = Static<typeof StatusChange>

export const CredentialStatus = object(
  {
    passport: uuid('The passport whose credentials these are.'),
    purpose: createPurposeSchema(),
    value: boolean('Whether it is set now.'),
    reason: nullable(string('Given with the last change; null if there was none.')),
    changedAt: nullable(instant('When it last changed; null if it never did.')),
    revoked: boolean('Whether the credentials are revoked.'),
    suspended: boolean('Whether the credentials are suspended.'),
    changed: optional(integer('With `cascade`: how many passports it changed.', { minimum: 0 })),
  },
  { title: 'CredentialStatus', description: 'The status of the credentials of a passport, old and new ones alike.' },
)
export type CredentialStatus = Static<typeof CredentialStatus>
