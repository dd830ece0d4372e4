import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { matchByNames } from './names.ts'
import { removeDuplicateFields } from './lexical/lexical.ts'
import { completeSuggestion } from './suggest.complete.ts'
import { checkSuggestion } from './suggest.check.ts'
import { matchByModel } from './suggest.model.ts'
import type { Correspondence, MappingQuestion, MappingSuggestion, SourceField } from './suggestions.schema.ts'

/** The total time that a model has to answer, in milliseconds. */
export const modelTimeoutMs = 8_000

/**
 * Suggests destinations for the columns. A model is asked if one is configured. Names and values decide about the
 * columns that the model leaves out, and about all columns if the model does not answer in time or gives no usable
 * answer. Nothing is stored.
 * @throws NOT_FOUND
 */
export async function suggestMapping(
  work: Work,
  { application, entityName, fields }: MappingQuestion,
  signal: AbortSignal,
): Promise<MappingSuggestion> {
  const target = application === undefined ? undefined : await readApplication(work, application)
  const sink = getRecordSink(entityName)
  const distinctFields = removeDuplicateFields(fields)
  const byModel = await askModel(work, { sink, fields: distinctFields }, signal)
  const completeAndCheck = (rows: readonly Correspondence[]) =>
    checkSuggestion(work.context, completeSuggestion(rows, distinctFields, sink), {
      fields: distinctFields,
      sink,
      target,
    })
  if (!byModel) return { degraded: true, correspondences: await completeAndCheck(matchByNames(distinctFields, sink)) }
  const taken = {
    paths: new Set(byModel.map(({ destination }) => destination)),
    sources: new Set(byModel.map(({ source }) => source ?? '')),
  }
  const places = new Map(distinctFields.map(({ id }, at) => [id, at]))
  const placeOf = ({ source }: Correspondence) => places.get(source ?? '') ?? 0
  const all = [...byModel, ...matchByNames(distinctFields, sink, taken)].sort((a, b) => placeOf(a) - placeOf(b))
  return { degraded: false, correspondences: await completeAndCheck(all) }
}

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
