import { createCodeEntry, type ProblemCodeTable } from '../../kernel/problem-codes.ts'

/** The codes of sign-in. */
export const identityProblemCodes = {
  AUTH_INVALID_OTP: createCodeEntry(401, 'Invalid code', 'The one-time code is wrong, used or expired.'),
} as const satisfies ProblemCodeTable

declare module '../../kernel/problem-codes.ts' {
  interface ProblemCodes extends Record<keyof typeof identityProblemCodes, ProblemCodeEntry> {}
}
