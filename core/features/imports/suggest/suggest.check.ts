import type { RecordSink, RowIssue } from '../../../kernel/ports/record-sink.ts'
import type { Context } from '../../../kernel/work.ts'
import { compileMapper, type RowMapper, tryRows } from '../mapping/index.ts'
import { InitError, type MapperRow } from '../records/index.ts'
import type { Columns } from './columns.ts'
import { isFilled, lowerConfidence, moveAside, removeOrphans } from './suggest.rows.ts'
import type { Correspondence } from './suggestions.schema.ts'

/** The organization and the application of rows that are validated but never stored, if none are named. */
const nilUuid = '00000000-0000-0000-0000-000000000000'

interface CheckedSuggestion {
  columns: Columns
  sink: RecordSink
  /** The application of the records, if it is known. */
  target: { id: string; organization: string } | undefined
}

/** The share of the rows with a value of a column that may fail because of it: if more do, the column is to blame. */
const maxFailing = 0.5

/** The number of times that suggestions are tried. */
const maxTurns = 4

/** Returns a correspondence as a row of a mapper. */
export function toMapperRow({ destination, kind, source, value, transforms }: Correspondence): MapperRow {
  const changes = transforms.length > 0 && { transforms }
  if (kind === 'field') return { destination, kind, source: source ?? '', ...changes }
  return { destination, kind, value, ...changes }
}

/**
 * Tries the suggestions that are to be filled in with the rows that are known, by the rules of the import. One that makes
 * most of its rows fail is moved to where its values can stand, or only offered; one with which a row fails
 * is not sure. Their evidence says why.
 */
export async function checkSuggestion(
  context: Context,
  suggested: readonly Correspondence[],
  options: CheckedSuggestion,
): Promise<Correspondence[]> {
  let rows = [...suggested]
  for (let turn = 1; ; turn++) {
    const tried = await trySuggestion(context, rows, options)
    if (!tried) return rows
    const moved = turn < maxTurns ? moveFailing(rows, tried, options) : rows
    if (moved.every((row, at) => row === rows[at])) return rows.map((row) => markFailing(row, tried, options))
    rows = removeOrphans(moved)
  }
}

/** Tries the suggestions; returns undefined if they do not form a mapper, or there is nothing to try. */
async function trySuggestion(
  context: Context,
  rows: readonly Correspondence[],
  { columns: { sample }, sink, target }: CheckedSuggestion,
): Promise<(readonly RowIssue[])[] | undefined> {
  const filled = rows.filter(isFilled)
  const mapper = filled.length === 0 ? undefined : compileSuggestion(filled, sample.shape, sink)
  if (!mapper) return undefined
  const of = { organization: target?.organization ?? nilUuid, application: target?.id ?? nilUuid, network: null }
  const readable = sample.rows.filter(({ issue }) => issue === null)
  return (await tryRows(context, readable, { sink, target: of, mapper })).map(({ errors }) => errors)
}

function compileSuggestion(
  filled: readonly Correspondence[],
  shape: Columns['sample']['shape'],
  sink: RecordSink,
): RowMapper | undefined {
  try {
    return compileMapper(filled.map(toMapperRow), shape, sink)
  } catch (cause) {
    if (cause instanceof InitError) return undefined
    throw cause
  }
}

/** What fails because of a suggestion: the number of its rows, and the first issue. */
interface Failure {
  count: number
  issue: RowIssue
}

function findFailure({ destination }: Correspondence, tried: readonly (readonly RowIssue[])[]): Failure | undefined {
  const isOwn = ({ path }: RowIssue) => path === destination || path.startsWith(`${destination}.`)
  const found = tried.flatMap((issues) => issues.find(isOwn) ?? [])
  return found[0] && { count: found.length, issue: found[0] }
}

/** Finds what fails because a member is missing beside a suggestion, which no suggestion fills. */
function findMissing(
  { destination }: Correspondence,
  rows: readonly Correspondence[],
  tried: readonly (readonly RowIssue[])[],
): Failure | undefined {
  const parent = destination.slice(0, destination.lastIndexOf('.'))
  if (!parent.includes('.')) return undefined
  const isFree = (path: string) => !rows.some((row) => isFilled(row) && row.destination === path)
  const found = tried.flatMap(
    (issues) =>
      issues.find(({ path, code }) => code === 'required' && path.startsWith(`${parent}.`) && isFree(path)) ?? [],
  )
  return found[0] && { count: found.length, issue: found[0] }
}

/** The destinations without which no passport can be made: what fails there is said, but nothing is left out. */
const isIndispensable = (path: string, { requiredPaths }: RecordSink) =>
  requiredPaths.includes(path) || /^product\.(?:model|batch|item)Number$/.test(path)

/** Whether a column bears the name of its destination: then its values are wrong, and leaving it out would hide that. */
const isNamedAlike = ({ source, destination }: Correspondence) =>
  source?.trim().toLowerCase() === destination.toLowerCase()

function moveFailing(
  rows: readonly Correspondence[],
  tried: readonly (readonly RowIssue[])[],
  { columns, sink }: CheckedSuggestion,
): Correspondence[] {
  return rows.map((row) => {
    if (!isFilled(row) || row.kind !== 'field' || isIndispensable(row.destination, sink) || isNamedAlike(row))
      return row
    const failure = findFailure(row, tried) ?? findMissing(row, rows, tried)
    const valued = Math.max(1, columns.getValues(row.source ?? '').length)
    if (!failure || failure.count <= valued * maxFailing) return row
    const { path, code, message } = failure.issue
    const why =
      code === 'required' && path !== row.destination
        ? `A ${sink.noun} with it needs ${path} too: add a row for it.`
        : `Its values would be refused at ${row.destination}: ${message}.`
    return moveAside(row, rows, why)
  })
}

/** Lowers a suggestion with which a row fails. */
function markFailing(
  row: Correspondence,
  tried: readonly (readonly RowIssue[])[],
  { columns: { isWhole } }: CheckedSuggestion,
): Correspondence {
  const failure = isFilled(row) ? findFailure(row, tried) : undefined
  if (!failure) return row
  const { message } = failure.issue
  const why = isWhole
    ? `${failure.count} of the first ${tried.length} rows would fail with it: ${message}.`
    : `Its values would be refused: ${message}.`
  return lowerConfidence(row, why)
}
