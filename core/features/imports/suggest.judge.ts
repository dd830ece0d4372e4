import type { Context } from '../../kernel/work.ts'
import { prepareImport, type RowProblem } from '../dpp/index.ts'
import { InitError, type RowError } from './imports.types.ts'
import type { MapperRow } from './mappers.schema.ts'
import { compileMapper, type RowMapper } from './mapping.ts'
import type { Correspondence, SourceField } from './suggestions.schema.ts'

/** A row that nobody stores is of no application and no organization. */
const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * Tries the rows that are to be filled in on what is known of the columns, and tells of each what would fail: one whose
 * values do, or which needs a member that nothing fills, is not sure any more.
 */
export async function judgeSuggestion(
  context: Context, rows: readonly Correspondence[], fields: readonly SourceField[],
): Promise<Correspondence[]> {
  const filled = rows.filter(({ confidence }) => confidence !== 'low')
  if (filled.length === 0) return [...rows]
  const columns = fields.map(({ id }) => id)
  const map = compiled(filled, columns)
  if (!map) return [...rows]
  const samples = [...sampled(fields)].map((cells, line) => ({ line, ...map(cells) }))
  const judged = await prepareImport(context, { organization: nobody, application: nobody, network: null }, samples)
  const found = judged.flatMap(({ errors }) => errors)
  return rows.map((row) => (row.confidence === 'low' ? row : doubted(row, rows, found)))
}

/** The suggested rows as a mapper; undefined where they make none together. */
function compiled(filled: readonly Correspondence[], columns: readonly string[]): RowMapper | undefined {
  const rows = filled.map(({ destination, kind, source, value, transforms }): MapperRow => (
    kind === 'constant' ? { destination, kind, value } : { destination, kind, source: source ?? '', transforms }))
  try {
    return compileMapper(rows, { format: 'csv', columns })
  } catch (cause) {
    if (cause instanceof InitError) return undefined
    throw cause
  }
}

/** Rows of what is known of each column: an example, the least value and the greatest. */
function* sampled(fields: readonly SourceField[]): Generator<string[]> {
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

function doubted(row: Correspondence, rows: readonly Correspondence[], problems: readonly (RowProblem | RowError)[]): Correspondence {
  const own = problems.find(({ path }) => path === row.destination || path.startsWith(`${row.destination}.`))
  if (own) return lessSure(row, `Its values would be refused: ${own.message}.`)
  const missing = problems.find(({ path, code }) => code === 'required' && isBeside(path, row.destination) && !rows.some((one) => one.destination === path))
  return missing ? lessSure(row, `A passport with it needs ${missing.path} too: add a row for it.`) : row
}

/** Whether both stand in the same object below the product, as two members of one category. */
function isBeside(path: string, destination: string): boolean {
  const parent = destination.slice(0, destination.lastIndexOf('.'))
  return parent.split('.').length > 1 && path.startsWith(`${parent}.`)
}

function lessSure(row: Correspondence, why: string): Correspondence {
  const text = why.replace(/\.\.$/, '.')
  return { ...row, confidence: row.confidence === 'high' ? 'review' : row.confidence, evidence: `${row.evidence} ${text}` }
}
