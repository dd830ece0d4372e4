import type { RowIssue } from '../../../kernel/ports/record-sink.ts'
import type { FoundPassport } from './import.lookup.ts'
import { formatReferenceKey, type UniqueKeys } from './import.keys.ts'
import type { PreparedRow, StoreOptions } from './import.types.ts'
import type { NewPassport } from '../passports/index.ts'

/** A valid row with its unique keys. */
export interface ImportCandidate extends UniqueKeys {
  row: PreparedRow & { body: NewPassport; content: NonNullable<PreparedRow['content']>; keys: UniqueKeys }
}

/** The plan for the valid rows of a slice. */
export interface ImportPlan {
  creations: ImportCandidate[]
  /** The rows that change an existing passport, by the id of the passport and in their order. */
  changes: Map<string, ImportCandidate[]>
  /**
   * The rows that change a passport which another row of the slice creates or moves. They are stored after that row.
   */
  deferred: ImportCandidate[]
  skipped: number
  errors: (RowIssue & { line: number })[]
}

export const createCandidate = (row: ImportCandidate['row']): ImportCandidate => ({ row, ...row.keys })

/** Sorts candidates by whether their keys are taken already, in the database or by an earlier row of the slice. */
export function planImport(
  candidates: readonly ImportCandidate[],
  taken: ReadonlyMap<string, FoundPassport>,
  policy: StoreOptions['onDuplicate'],
): ImportPlan {
  const plan: ImportPlan = { creations: [], changes: new Map(), deferred: [], skipped: 0, errors: [] }
  const claimed = new Map<string, ImportCandidate>()
  for (const candidate of candidates) {
    const keys = collectKeys(candidate)
    let first: string | ImportCandidate | undefined
    let isContradictory = false
    for (const key of keys) {
      const holder = taken.get(key)?.id ?? claimed.get(key)
      isContradictory ||= first !== undefined && holder !== undefined && holder !== first
      first ??= holder
    }
    if (isContradictory) {
      plan.errors.push(
        createConflictIssue(
          candidate,
          keys.length > 1 ? 'reference' : 'product',
          'has the reference of one ' + 'passport and the numbers of another',
        ),
      )
      continue
    }
    if (first !== undefined && policy !== 'update') {
      if (policy === 'skip') plan.skipped++
      else plan.errors.push(createDuplicateIssue(candidate, keys, taken, claimed))
      continue
    }
    if (first === undefined) plan.creations.push(candidate)
    else if (typeof first !== 'string') plan.deferred.push(candidate)
    else plan.changes.set(first, [...(plan.changes.get(first) ?? []), candidate])
    for (const key of keys) if (!taken.has(key) && !claimed.has(key)) claimed.set(key, candidate)
  }
  return plan
}

const collectKeys = ({ reference, identityKey }: UniqueKeys): string[] => [
  ...(reference === null ? [] : [formatReferenceKey(reference)]),
  ...(identityKey === null ? [] : [identityKey]),
]

function createDuplicateIssue(
  candidate: ImportCandidate,
  keys: readonly string[],
  taken: ReadonlyMap<string, FoundPassport>,
  claimed: ReadonlyMap<string, ImportCandidate>,
): RowIssue & { line: number } {
  const key = keys.find((one) => taken.has(one) || claimed.has(one)) ?? ''
  const [path, what] = key.startsWith('r') ? ['reference', 'this reference'] : ['product', 'these numbers']
  const earlier = claimed.get(key)
  return createConflictIssue(
    candidate,
    path,
    earlier
      ? `The row at line ${earlier.row.line} has ${what} already.`
      : `The application already has a passport with ${what}.`,
  )
}

/**
 * Creates the issue of a key that another passport has.
 * @param path `reference` or `product`
 */
export function createConflictIssue(
  candidate: ImportCandidate,
  path: string,
  message: string,
): RowIssue & { line: number } {
  const numbers = candidate.identity?.filter((one) => one !== null).join(' / ') ?? null
  const value = path === 'reference' ? candidate.reference : numbers
  const code = 'DPP_PASSPORT_DUPLICATE_REFERENCE'
  return { line: candidate.row.line, path, code, message, value: value?.slice(0, 200) ?? null }
}

/** Creates the issue of a new passport that the organization's plan does not allow. */
export const createQuotaIssue = ({ row: { line } }: ImportCandidate): RowIssue & { line: number } => ({
  line,
  path: '',
  code: 'QUOTA_EXCEEDED',
  message: 'is past what the plan of the organization allows this month',
  value: null,
})

/**
 * The error for stored data that changed after the plan for its rows was made. The statements are undone, and the rows
 * are looked up again.
 */
export class ImportConflictError extends Error {
  override name = 'ImportConflictError'
}

/**
 * The SQLSTATE classes of errors that concern a single row: its content, or its conflict with stored data. Source:
 * PostgreSQL, appendix A.
 */
const rowErrorPattern = /^(22|23|54)/

/** Checks whether an error was caused by one of the rows: by its content, or by a conflict with stored data. */
export function isRowError(cause: unknown): boolean {
  if (cause instanceof ImportConflictError) return true
  const { code } = cause as { code?: unknown }
  return typeof code === 'string' && code.length === 5 && rowErrorPattern.test(code)
}
