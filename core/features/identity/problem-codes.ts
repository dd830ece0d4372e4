import { createCodeEntry, type ProblemCodeTable } from '../../kernel/problem-codes.ts'

/** The codes of sign-in and of organizations. */
export const identityProblemCodes = {
  AUTH_INVALID_OTP: createCodeEntry(401, 'Invalid code', 'The one-time code is wrong, used or expired.'),
  AUTH_FRESH_CODE_REQUIRED: createCodeEntry(
    403,
    'Fresh code needed',
    'The last code of the session is more than 10 minutes old; sign in again with a new one.',
  ),
  ORG_CROSS_ACCESS_DENIED: createCodeEntry(
    403,
    'Another organization',
    'The caller does not belong to this organization, or acts for another one.',
  ),
  ORG_PREFERRED_CURRENCY_SET: createCodeEntry(422, 'Currency is set', 'The preferred currency is chosen once.'),
  MEMBER_LAST_OWNER: createCodeEntry(409, 'Last owner', 'An organization keeps one owner at least.'),
  MEMBER_EXISTS: createCodeEntry(409, 'Already a member', 'This person is a member of the organization.'),
  INVITATION_LIMIT: createCodeEntry(409, 'Too many invitations', 'At most 100 invitations can be open at a time.'),
  INVITATION_NOT_OPEN: createCodeEntry(409, 'Invitation not open', 'It was used, withdrawn or has expired.'),
  ORG_SLUG_TAKEN: createCodeEntry(409, 'Slug taken', 'Another organization has this slug.'),
  API_KEY_LIMIT: createCodeEntry(409, 'Too many keys', 'At most 100 keys of an organization work at a time.'),
  API_KEY_ENDED: createCodeEntry(409, 'Key has ended', 'This key was revoked or has expired.'),
  ORG_LIMIT: createCodeEntry(409, 'Too many organizations', 'A person signs up at most three organizations.'),
  LEGAL_ACCEPTANCE_REQUIRED: createCodeEntry(
    422,
    'Documents to accept',
    'Documents of this kind of customer are not accepted yet; `missing` lists them.',
  ),
} as const satisfies ProblemCodeTable

declare module '../../kernel/problem-codes.ts' {
  interface ProblemCodes extends Record<keyof typeof identityProblemCodes, ProblemCodeEntry> {}
}
