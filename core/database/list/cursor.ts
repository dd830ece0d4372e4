import { hash } from 'node:crypto'
import { createProblem } from '../../kernel/problem.ts'
import type { SortKey } from './order.ts'

export const createCursorProblem = () =>
  createProblem('INVALID_PAGINATION', 'The cursor does not belong to this order of this list.', { path: 'cursor' })

/** Creates a fingerprint that distinguishes cursors of different orders and lists. */
const createFingerprint = (keys: readonly SortKey[]) =>
  hash('sha256', JSON.stringify(keys.map(({ sql, order }) => [sql, order])), 'base64url').slice(0, 8)

/** Formats the cursor after a row that was read with its keys as `key0`, `key1` and so on. */
export function formatCursor(keys: readonly SortKey[], row: object): string {
  const values = keys.map((_, at) => (row as Record<string, string | null>)[`key${at}`] ?? null)
  return Buffer.from(JSON.stringify([createFingerprint(keys), ...values])).toString('base64url')
}

/** Parses the key values of a cursor. @throws INVALID_PAGINATION for a cursor of another order or list */
export function parseCursor(cursor: string, keys: readonly SortKey[]): (string | null)[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw createCursorProblem()
  }
  if (!Array.isArray(parsed) || parsed.length !== keys.length + 1 || parsed[0] !== createFingerprint(keys))
    throw createCursorProblem()
  const values: unknown[] = parsed.slice(1)
  if (!values.every((part) => part === null || typeof part === 'string')) throw createCursorProblem()
  return values as (string | null)[]
}
