import { createCodeEntry, type ProblemCodeTable } from '../../kernel/problem-codes.ts'

/** The codes of applications. */
export const applicationProblemCodes = {
  APPLICATION_SLUG_TAKEN: createCodeEntry(409, 'Slug taken', 'Another application has this slug.'),
  APPLICATION_IN_USE: createCodeEntry(409, 'Application in use', 'It still has passports or accounts.'),
} as const satisfies ProblemCodeTable

declare module '../../kernel/problem-codes.ts' {
  interface ProblemCodes extends Record<keyof typeof applicationProblemCodes, ProblemCodeEntry> {}
}
