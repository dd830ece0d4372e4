import type { RowIssue } from '../../../kernel/ports/record-sink.ts'
import { findHazards } from '../../../kernel/json/hazards.ts'

/** One JSON value of a file, or the issue why it is not accepted. */
export interface JsonItem {
  value: unknown
  issue: RowIssue | null
}

/**
 * Parses one JSON value by the rules for the body of a request: duplicate member names, NUL, lone surrogates, numbers
 * out of range and endless nesting are issues. Source: RFC 8259, section 4.
 * @throws SyntaxError if the text is not JSON
 */
export function parseItem(text: string): JsonItem {
  const value: unknown = JSON.parse(text)
  const {
    hazards: [hazard],
    hasDuplicateNames,
  } = findHazards(value, text)
  if (hazard) {
    const { path, code, message } = hazard
    const where = path === 'body' ? 'The row' : `The value at ${path}`
    return {
      value: null,
      issue: { path: path === 'body' ? '' : path, code, message: `${where} ${message}.`, value: null },
    }
  }
  if (!hasDuplicateNames) return { value, issue: null }
  return { value: null, issue: createRowIssue('malformed', 'The row names a member of an object twice.', text) }
}

/** @param value the value that is to blame; it is cut to 200 characters */
export const createRowIssue = (code: string, message: string, value: string | null): RowIssue => ({
  path: '',
  code,
  message,
  value: value === null ? null : value.slice(0, 200).replaceAll('\0', '\ufffd').toWellFormed(),
})

/** Returns a phrase for the place where a text stops being JSON, taken from the message of the engine. */
export function formatMalformedPlace(cause: unknown): string {
  const at = /at position (\d+)/.exec(String(cause))?.[1]
  return at === undefined ? '' : ` from its character ${Number(at) + 1} on`
}
