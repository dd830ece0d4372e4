import { createCodeEntry, type ProblemCodeTable } from '../../kernel/problem-codes.ts'

/** The codes of keys and domains. */
export const certificationProblemCodes = {
  DPP_DID_WEB_DOMAIN_NOT_CONFIGURED: createCodeEntry(400, 'No domain configured', 'Set a domain for did:web first.'),
  DPP_CERTIFICATION_KEY_NOT_FOUND: createCodeEntry(
    404,
    'No such key',
    'The organization has no certification key with that id.',
  ),
  DPP_KEY_ROTATION_PENDING: createCodeEntry(
    409,
    'Rotation pending',
    'A new key already waits for its registration on a network, or for the DID document to have it.',
  ),
  DPP_DID_WEB_DOMAIN_ALREADY_TAKEN: createCodeEntry(409, 'Domain taken', 'Another organization uses this domain.'),
} as const satisfies ProblemCodeTable

declare module '../../kernel/problem-codes.ts' {
  interface ProblemCodes extends Record<keyof typeof certificationProblemCodes, ProblemCodeEntry> {}
}
