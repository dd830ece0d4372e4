import { findColumns } from './mapping.columns.ts'
import { readRows } from './mapping.rows.ts'
import type { MapperRow } from './mappers.schema.ts'
import type { Dialect, FileNotes, ImportWarning, Source } from './imports.types.ts'

/** Columns that are listed by name. */
const maxListed = 200
const maxName = 200

/**
 * What can be said of a file before its first row is stored: that its encoding is a guess, which columns the mapper
 * misses, and which nobody reads. @throws InitError as `findColumns`
 */
export function notesOf(
  dialect: Pick<Dialect, 'encoding' | 'guessed' | 'warnings'>, { columns }: Pick<Source, 'columns'>, rows: readonly MapperRow[] | null,
): FileNotes {
  const guessed = [...dialect.guessed ? [encodingGuessed] : [], ...dialect.warnings ?? []]
  if (!columns || !rows) return { warnings: guessed, unusedColumns: [] }
  const { lacking, unused } = findColumns(readRows(rows).rows, columns)
  const missing = lacking.map(({ row: { destination, sources }, missing: names }): ImportWarning => ({
    code: 'column_missing', path: destination, count: names.length,
    message: `The mapper reads ${names.map((name) => `"${name.slice(0, 100)}"`).join(', ')}, which the file does not have: `
      + (names.length < sources.length ? 'the value is made of the others.' : 'no row has a value here.'),
  }))
  const left = unused.length - maxListed
  const more: ImportWarning[] = left <= 0 ? [] : [{
    code: 'columns_unused', path: '', count: unused.length,
    message: `The mapper reads none of ${unused.length} columns; the first ${maxListed} of them are listed.`,
  }]
  return {
    warnings: [...guessed, ...missing, ...more],
    unusedColumns: unused.slice(0, maxListed).map((name) => name.slice(0, maxName).replaceAll('\0', '').toWellFormed()),
  }
}

const encodingGuessed: ImportWarning = {
  code: 'encoding_guessed', path: '', count: 1,
  message: 'The file is not UTF-8, and nobody said what it is: it was read as Windows-1252. Name its encoding if it is another one, as '
    + '?encoding=iso-8859-2, or as `encoding` of the mapper that fetches it.',
}
