import { findHazards } from '../../kernel/hazards.ts'
import type { RowError } from './imports.types.ts'

/** One JSON value of a file, or why it cannot be taken. */
export interface Item { value: unknown; fault: RowError | null }

/**
 * Reads one JSON value as the body of a request is read: a member that is named twice, NUL, lone surrogates, numbers
 * past the range and endless nesting are refused. Source: RFC 8259, section 4. @throws SyntaxError for what is no JSON
 */
export function readItem(text: string): Item {
  const value: unknown = JSON.parse(text)
  const { hazards: [hazard], twice } = findHazards(value, text)
  if (hazard) {
    const { path, code, message } = hazard
    const where = path === 'body' ? 'The row' : `The value at ${path}`
    return { value: null, fault: { path: path === 'body' ? '' : path, code, message: `${where} ${message}.`, value: null } }
  }
  if (!twice) return { value, fault: null }
  return { value: null, fault: faultOf('malformed', 'The row names a member of an object twice.', text) }
}

/** @param value what is to blame, cut to 200 characters */
export const faultOf = (code: string, message: string, value: string | null): RowError =>
  ({ path: '', code, message, value: value === null ? null : value.slice(0, 200).replaceAll('\0', '\ufffd').toWellFormed() })

/** Where in a text JSON ends to be JSON, as the engine tells it. */
export function malformedAt(cause: unknown): string {
  const at = /at position (\d+)/.exec(String(cause))?.[1]
  return at === undefined ? '' : ` from its character ${Number(at) + 1} on`
}
