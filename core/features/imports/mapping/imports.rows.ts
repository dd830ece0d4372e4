import type { ImportRow } from '../../../kernel/ports/record-sink.ts'
import { hasColumns } from '../formats/index.ts'
import { type Dialect, InitError, type MapperRow, type RowBatch, type Source } from '../records/index.ts'
import type { RecordShape } from './mapping.paths.ts'
import { compileMapper, type RowMapper } from './mapping.ts'

/**
 * Compiles the mapper of an import for its source; returns null if the rows are records already.
 * @throws InitError
 */
export function createRowMapper(
  rows: readonly MapperRow[] | null,
  { format }: Pick<Dialect, 'format'>,
  { columns }: Pick<Source, 'columns'>,
  records: RecordShape,
): RowMapper | null {
  const shape = hasColumns(format)
    ? ({ format: 'csv', columns: columns ?? [] } as const)
    : ({ format: 'json' } as const)
  if (rows !== null) return compileMapper(rows, shape, records)
  if (!hasColumns(format)) return null
  throw new InitError(
    'IMPORT_MAPPER_REQUIRED',
    'A file with columns is read through a mapper, and this import has none.',
  )
}

/** Yields the rows of a file as bodies that are not validated yet; each row is mapped when it is requested. */
export function* mapRows({ rows }: Pick<RowBatch, 'rows'>, mapper: RowMapper | null): Generator<ImportRow> {
  for (const { line, value, issue } of rows) {
    if (issue) yield { line, body: null, errors: [issue] }
    else yield mapper ? { line, ...mapper(value) } : { line, body: value, errors: [] }
  }
}
