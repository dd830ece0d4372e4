import { readFileSync } from 'node:fs'
import type { Mutant } from './mutants/instrument.ts'

/** A mutant that no test can notice, found by its content, so that other changes of the file do not matter. */
export interface Equivalent {
  file: string
  within: string
  original: string
  mutated: string
  /** Which one it is if its function has several with the same content; 1 if undefined. */
  nth?: number
  reason: string
}

const equivalents = JSON.parse(
  readFileSync(new URL('equivalents.json', import.meta.url), 'utf8'),
) as readonly Equivalent[]

const matches = (equivalent: Equivalent, { file, within, original, mutated, nth }: Mutant) =>
  (equivalent.nth ?? 1) === nth
  && equivalent.file === file
  && equivalent.within === within
  && equivalent.original === original
  && equivalent.mutated === mutated

/** Returns the reason why no test can notice the mutant, if there is one. */
export const findReason = (mutant: Mutant): string | undefined =>
  equivalents.find((equivalent) => matches(equivalent, mutant))?.reason

/** Lists the reasons whose mutant does not exist any more. */
export const listStaleReasons = (mutants: readonly Mutant[]): Equivalent[] =>
  equivalents.filter((equivalent) => !mutants.some((mutant) => matches(equivalent, mutant)))
