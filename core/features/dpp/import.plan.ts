import type { Found } from './import.find.ts'
import { referenceKey, type Keys } from './import.keys.ts'
import type { PreparedRow, RowProblem, StoreOptions } from './import.types.ts'
import type { NewPassport } from './passports.schema.ts'

/** A good row with what only one passport can have of it. */
export interface Candidate extends Keys {
  row: PreparedRow & { body: NewPassport; content: NonNullable<PreparedRow['content']>; keys: Keys }
}

/** What is to become of the good rows of a slice. */
export interface Plan {
  fresh: Candidate[]
  /** Rows onto a passport that is there, in their order, by its id. */
  changes: Map<string, Candidate[]>
  /** Rows onto a passport that another row of the slice makes or moves: they come after it. */
  later: Candidate[]
  skipped: number
  errors: (RowProblem & { line: number })[]
}

export const candidateOf = (row: Candidate['row']): Candidate => ({ row, ...row.keys })

/** Sorts candidates by what is there already, in the database or earlier in the slice. */
export function planned(
  candidates: readonly Candidate[], taken: ReadonlyMap<string, Found>, policy: StoreOptions['onDuplicate'],
): Plan {
  const plan: Plan = { fresh: [], changes: new Map(), later: [], skipped: 0, errors: [] }
  const claimed = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const keys = keyList(candidate)
    let first: string | Candidate | undefined
    let torn = false
    for (const key of keys) {
      const holder = taken.get(key)?.id ?? claimed.get(key)
      torn ||= first !== undefined && holder !== undefined && holder !== first
      first ??= holder
    }
    if (torn) {
      plan.errors.push(problemOf(candidate, keys.length > 1 ? 'reference' : 'product', 'has the reference of one '
        + 'passport and the numbers of another'))
      continue
    }
    if (first !== undefined && policy !== 'update') {
      if (policy === 'skip') plan.skipped++
      else plan.errors.push(doubled(candidate, keys, taken, claimed))
      continue
    }
    if (first === undefined) plan.fresh.push(candidate)
    else if (typeof first !== 'string') plan.later.push(candidate)
    else plan.changes.set(first, [...plan.changes.get(first) ?? [], candidate])
    for (const key of keys) if (!taken.has(key) && !claimed.has(key)) claimed.set(key, candidate)
  }
  return plan
}

const keyList = ({ reference, numbers }: Keys): string[] =>
  [...(reference === null ? [] : [referenceKey(reference)]), ...(numbers === null ? [] : [numbers])]

function doubled(
  candidate: Candidate, keys: readonly string[], taken: ReadonlyMap<string, Found>,
  claimed: ReadonlyMap<string, Candidate>,
): RowProblem & { line: number } {
  const key = keys.find((one) => taken.has(one) || claimed.has(one)) ?? ''
  const [path, what] = key.startsWith('r') ? ['reference', 'this reference'] : ['product', 'these numbers']
  const earlier = claimed.get(key)
  return problemOf(candidate, path, earlier
    ? `The row at line ${earlier.row.line} has ${what} already.`
    : `The application already has a passport with ${what}.`)
}

/** The refusal of what another passport has. @param path `reference` or `product` */
export function problemOf(candidate: Candidate, path: string, message: string): RowProblem & { line: number } {
  const numbers = candidate.identity?.filter((one) => one !== null).join(' / ') ?? null
  const value = path === 'reference' ? candidate.reference : numbers
  const code = 'DPP_PASSPORT_DUPLICATE_REFERENCE'
  return { line: candidate.row.line, path, code, message, value: value?.slice(0, 200) ?? null }
}
