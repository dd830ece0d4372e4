import type { ImportRow } from '../dpp/index.ts'
import { hasColumns } from './formats.ts'
import { InitError, type Batch, type Dialect, type Source } from './imports.types.ts'
import type { MapperRow } from './mappers.schema.ts'
import { compileMapper, type RowMapper } from './mapping.ts'

/** The mapper of an import, made ready for what its source has. @throws InitError */
export function mapperOf(
  rows: readonly MapperRow[] | null, { format }: Pick<Dialect, 'format'>, { columns }: Pick<Source, 'columns'>,
): RowMapper | null {
  const shape = hasColumns(format) ? { format: 'csv', columns: columns ?? [] } as const : { format: 'json' } as const
  if (rows !== null) return compileMapper(rows, shape)
  if (!hasColumns(format)) return null
  throw new InitError('IMPORT_MAPPER_REQUIRED', 'A file with columns is read through a mapper, and this import has none.')
}

/** Rows of a file as bodies, not judged yet; each is mapped when it is asked for. */
export function* rowsOf({ rows }: Pick<Batch, 'rows'>, mapper: RowMapper | null): Generator<ImportRow> {
  for (const { line, value, fault } of rows) {
    if (fault) yield { line, body: null, errors: [fault] }
    else yield mapper ? { line, ...mapper(value) } : { line, body: value, errors: [] }
  }
}
