import { createCodeEntry, type ProblemCodeTable } from '../../../core/kernel/problem-codes.ts'

export const parcelProblemCodes = {
  PARCEL_TOO_HEAVY: createCodeEntry(409, 'Too heavy', 'A parcel weighs at most 30 kg.'),
} as const satisfies ProblemCodeTable

declare module '../../../core/kernel/problem-codes.ts' {
  interface ProblemCodes extends Record<keyof typeof parcelProblemCodes, ProblemCodeEntry> {}
}
