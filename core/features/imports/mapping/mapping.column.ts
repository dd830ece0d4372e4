import type { SourceRow } from '../records/index.ts'
import { isMissing, toText, ValueIssue } from '../transforms/index.ts'
import { compileJsonPath } from './mapping.jsonpath.ts'
import type { SourceShape } from './mapping.ts'

/**
 * Reads the values of one source as texts, an empty text for each row without a value. Rows that cannot be read, and
 * values of which no text can be made, are left out.
 */
export function readColumnTexts(shape: SourceShape, source: string, rows: readonly SourceRow[]): string[] {
  const read = createReader(shape, source)
  return rows.flatMap(({ value, issue }) => {
    if (issue) return []
    const found = read(value)
    if (isMissing(found)) return ['']
    const text = toText(found)
    return text instanceof ValueIssue ? [] : [text.trim()]
  })
}

function createReader(shape: SourceShape, source: string): (value: unknown) => unknown {
  if (shape.format === 'json') {
    const reader = compileJsonPath(source)
    return typeof reader === 'string' ? () => undefined : reader
  }
  const at = shape.columns.indexOf(source)
  return (cells) => (cells as readonly string[])[at]
}
