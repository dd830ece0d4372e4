import { findColumns, parseMapperRows, type RecordShape } from '../mapping/index.ts'
import type { Dialect, FileNotes, ImportWarning, MapperRow, Source } from '../records/index.ts'

/** The maximum number of columns that are listed by name. */
const maxListedColumns = 200
const maxNameLength = 200

/**
 * Collects what is known of a file before its first row is stored: that its encoding was guessed, which columns the
 * mapper lacks, and which columns no row reads.
 * @throws InitError as `findColumns` does
 */
export function collectFileNotes(
  dialect: Pick<Dialect, 'encoding' | 'guessed' | 'warnings'>,
  { columns }: Pick<Source, 'columns'>,
  rows: readonly MapperRow[] | null,
  records: RecordShape,
): FileNotes {
  const dialectWarnings = [...(dialect.guessed ? [encodingWarning] : []), ...(dialect.warnings ?? [])]
  if (!columns || !rows) return { warnings: dialectWarnings, unusedColumns: [] }
  const { incompleteRows, unused } = findColumns(parseMapperRows(rows, records).rows, columns, records)
  const missing = incompleteRows.map(({ row: { destination, sources }, missing: names }): ImportWarning => ({
    code: 'column_missing',
    path: destination,
    count: names.length,
    message:
      `The mapper reads ${names.map((name) => `"${name.slice(0, 100)}"`).join(', ')}, which the file does not have: `
      + (names.length < sources.length ? 'the value is made of the others.' : 'no row has a value here.'),
  }))
  const left = unused.length - maxListedColumns
  const more: ImportWarning[] =
    left <= 0
      ? []
      : [
          {
            code: 'columns_unused',
            path: '',
            count: unused.length,
            message: `The mapper reads none of ${unused.length} columns; the first ${maxListedColumns} of them are listed.`,
          },
        ]
  return {
    warnings: [...dialectWarnings, ...missing, ...more],
    unusedColumns: unused
      .slice(0, maxListedColumns)
      .map((name) => name.slice(0, maxNameLength).replaceAll('\0', '').toWellFormed()),
  }
}

const encodingWarning: ImportWarning = {
  code: 'encoding_guessed',
  path: '',
  count: 1,
  message:
    'The file is not UTF-8, and nobody said what it is: it was read as Windows-1252. Name its encoding if it is another one, as '
    + '?encoding=iso-8859-2, or as `encoding` of the mapper that fetches it.',
}
