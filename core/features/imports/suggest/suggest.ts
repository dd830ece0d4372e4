import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { matchByNames } from './names.ts'
import { Columns, type SuggestionSample } from './columns.ts'
import { removeDuplicateFields } from './lexical/lexical.ts'
import { detectHabits, suggestTransforms } from './lexical/lexical.transforms.ts'
import { completeSuggestion } from './suggest.complete.ts'
import type { Granularity } from './suggest.numbers.ts'
import { checkSuggestion } from './suggest.check.ts'
import { matchByModel } from './suggest.model.ts'
import type { Correspondence, MappingQuestion, MappingSuggestion, SourceField } from './suggestions.schema.ts'

/** The total time that a model has to answer, in milliseconds. */
export const modelTimeoutMs = 8_000

/** What looks for its destinations. */
export type Question = Pick<MappingQuestion, 'application' | 'entityName'> & {
  granularity?: Granularity | undefined
  fields: readonly SourceField[]
  /** The first rows, if they are known. */
  sample?: SuggestionSample | undefined
}

/**
 * Suggests destinations for the columns. A model is asked if one is configured. Names and values decide about the
 * columns that the model leaves out, and about all columns if the model does not answer in time or gives no usable
 * answer. What is suggested is tried with the rows that are known, by the rules of the import. Nothing is stored.
 * @throws NOT_FOUND
 */
export async function suggestMapping(
  work: Work,
  { application, entityName, granularity, fields, sample }: Question,
  signal: AbortSignal,
): Promise<MappingSuggestion> {
  const target = application === undefined ? undefined : await readApplication(work, application)
  const sink = getRecordSink(entityName)
  const columns = new Columns(removeDuplicateFields(fields), sample)
  const byModel = await askModel(work, { sink, fields: columns.fields }, signal)
  const choose = (rows: Correspondence[]) => (hasSynonyms(sink) ? rows : chooseTransforms(rows, columns))
  const matched = choose(matchColumns(columns, sink, byModel))
  const completed = completeSuggestion(matched, { columns, sink, granularity })
  const rows = await checkSuggestion(work.context, choose(completed), { columns, sink, target })
  return { degraded: byModel === null, correspondences: rows }
}

/** Returns whether a sink is no catalogue of products, and has transforms of its own. */
const hasSynonyms = ({ destinations }: RecordSink) => destinations.some(({ synonyms }) => synonyms)

/** Matches the columns that a model has left over by names and values. */
function matchColumns({ fields }: Columns, sink: RecordSink, byModel: Correspondence[] | null): Correspondence[] {
  if (!byModel) return matchByNames(fields, sink)
  const taken = {
    paths: new Set(byModel.map(({ destination }) => destination)),
    sources: new Set(byModel.map(({ source }) => source ?? '')),
  }
  const places = new Map(fields.map(({ id }, at) => [id, at]))
  const placeOf = ({ source }: Correspondence) => places.get(source ?? '') ?? 0
  return [...byModel, ...matchByNames(fields, sink, taken)].sort((a, b) => placeOf(a) - placeOf(b))
}

/** Chooses the transforms of columns by all values that are known; a country by its name becomes its code. */
function chooseTransforms(rows: readonly Correspondence[], columns: Columns): Correspondence[] {
  const habits = detectHabits(columns.fields.map(({ id }) => ({ texts: columns.getValues(id).slice(0, maxHabits) })))
  const hasCode = rows.some(({ destination }) => destination === countryCode)
  return rows.map((row) => {
    const field = columns.getField(row.source)
    if (row.kind !== 'field' || !field) return row
    const destination = row.destination === countryName && !hasCode ? countryCode : row.destination
    return {
      ...row,
      destination,
      transforms: suggestTransforms(destination, field, habits, columns.getValues(field.id)),
    }
  })
}

/** The number of values of a column that show how the file writes numbers and dates. */
const maxHabits = 200

const countryName = 'product.countryOfProduction.countryName'
const countryCode = 'product.countryOfProduction.countryCode'

async function askModel(
  { context: { settings, log }, requestId }: Work,
  question: { sink: RecordSink; fields: readonly SourceField[] },
  signal: AbortSignal,
): Promise<Correspondence[] | null> {
  const { googleApiKey: key, googleApiUrl: url } = settings
  if (key === undefined) return null
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), modelTimeoutMs)
  try {
    const both = AbortSignal.any([signal, limit.signal])
    return await matchByModel({ key, url, signal: both, timeoutMs: modelTimeoutMs }, question)
  } catch (cause) {
    // Only our own messages are logged: a foreign message could repeat the key.
    log.warn({ requestId, reason: getFailureReason(cause) }, 'no mapping from the model, names and values decide')
    return null
  } finally {
    clearTimeout(timer)
  }
}

const getFailureReason = (cause: unknown) =>
  cause instanceof Error && cause.name === 'GeminiError' ? cause.message : 'failed'
