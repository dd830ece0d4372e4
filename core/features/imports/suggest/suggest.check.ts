import type { RecordSink, RowIssue } from '../../../kernel/ports/record-sink.ts'
import type { Context } from '../../../kernel/work.ts'
import { InitError, type MapperRow } from '../records/index.ts'
import { compileMapper, type RowMapper } from '../mapping/index.ts'
import type { Correspondence, SourceField } from './suggestions.schema.ts'

/** The organization and the application of rows that are validated but never stored, if none are named. */
const nilUuid = '00000000-0000-0000-0000-000000000000'

interface CheckedSuggestion {
  fields: readonly SourceField[]
  sink: RecordSink
  /** The application of the records, if it is known. */
  target: { id: string; organization: string } | undefined
}

/**
 * Validates the suggested rows that are to be filled in against what is known of the columns. Each row's evidence gets
 * what would fail; the confidence of a row drops from `high` to `review` if its values would be refused, or if it needs
 * another member that no row fills.
 */
export async function checkSuggestion(
  context: Context,
  rows: readonly Correspondence[],
  { fields, sink, target }: CheckedSuggestion,
): Promise<Correspondence[]> {
  const filled = rows.filter(({ confidence }) => confidence !== 'low')
  if (filled.length === 0) return [...rows]
  const columns = fields.map(({ id }) => id)
  const map = compileSuggestion(filled, columns, sink)
  if (!map) return [...rows]
  const samples = [...sampleFields(fields)].map((cells, line) => ({ line, ...map(cells) }))
  const preparedRows = await sink.validate(
    context,
    { organization: target?.organization ?? nilUuid, application: target?.id ?? nilUuid, network: null },
    samples,
  )
  const issues = preparedRows.flatMap(({ errors }) => errors)
  return rows.map((row) => (row.confidence === 'low' ? row : applyIssues(row, rows, { issues, sink })))
}

/** Compiles the suggested rows to a mapper; returns undefined if they do not form a valid mapper. */
function compileSuggestion(
  filled: readonly Correspondence[],
  columns: readonly string[],
  sink: RecordSink,
): RowMapper | undefined {
  const rows = filled.map(({ destination, kind, source, value, transforms }): MapperRow =>
    kind === 'constant' ? { destination, kind, value } : { destination, kind, source: source ?? '', transforms },
  )
  try {
    return compileMapper(rows, { format: 'csv', columns }, sink)
  } catch (cause) {
    if (cause instanceof InitError) return undefined
    throw cause
  }
}

/** Yields sample rows of what is known of each column: its example, its least value and its greatest value. */
function* sampleFields(fields: readonly SourceField[]): Generator<string[]> {
  const members = ['example', 'min', 'max'] as const
  for (const member of members) {
    if (!fields.some((field) => hasText(field[member]))) continue
    yield fields.map((field) => {
      const value = [field[member], field.example].find(hasText)
      return value === undefined || value === null ? '' : String(value)
    })
  }
}

const hasText = (value: SourceField['example']) => value !== undefined && value !== null && String(value).trim() !== ''

function applyIssues(
  row: Correspondence,
  rows: readonly Correspondence[],
  { issues: problems, sink: { noun } }: { issues: readonly RowIssue[]; sink: RecordSink },
): Correspondence {
  const own = problems.find(({ path }) => path === row.destination || path.startsWith(`${row.destination}.`))
  if (own) return lowerConfidence(row, `Its values would be refused: ${own.message}.`)
  const missing = problems.find(
    ({ path, code }) =>
      code === 'required' && isBeside(path, row.destination) && !rows.some((one) => one.destination === path),
  )
  return missing ? lowerConfidence(row, `A ${noun} with it needs ${missing.path} too: add a row for it.`) : row
}

/** Returns whether both paths are in the same object below the product, as two members of one category are. */
function isBeside(path: string, destination: string): boolean {
  const parent = destination.slice(0, destination.lastIndexOf('.'))
  return parent.split('.').length > 1 && path.startsWith(`${parent}.`)
}

function lowerConfidence(row: Correspondence, why: string): Correspondence {
  const text = why.replace(/\.\.$/, '.')
  return {
    ...row,
    confidence: row.confidence === 'high' ? 'review' : row.confidence,
    evidence: `${row.evidence} ${text}`,
  }
}
