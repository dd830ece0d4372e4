import type { Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { matchLexically, unique } from './lexical.ts'
import { completeSuggestion } from './suggest.complete.ts'
import { judgeSuggestion } from './suggest.judge.ts'
import { matchByModel } from './suggest.model.ts'
import type { Correspondence, MappingQuestion, MappingSuggestion, SourceField } from './suggestions.schema.ts'

/** Milliseconds that a model has in all. */
export const modelPatience = 8_000

/**
 * Where columns can go. A model is asked where one is configured; what it leaves out, and everything when it does not
 * answer in time or with sense, is found by names and values. Nothing is stored. @throws NOT_FOUND
 */
export async function suggestMapping(
  work: Work, { application, fields }: MappingQuestion, signal: AbortSignal,
): Promise<MappingSuggestion> {
  if (application !== undefined) await findApplication(work, application)
  const once = unique(fields)
  const byModel = await askModel(work, once, signal)
  const finish = (rows: readonly Correspondence[]) => judgeSuggestion(work.context, completeSuggestion(rows, once), once)
  if (!byModel) return { degraded: true, correspondences: await finish(matchLexically(once)) }
  const taken = {
    paths: new Set(byModel.map(({ destination }) => destination)),
    sources: new Set(byModel.map(({ source }) => source ?? '')),
  }
  const places = new Map(once.map(({ id }, at) => [id, at]))
  const placeOf = ({ source }: Correspondence) => places.get(source ?? '') ?? 0
  const all = [...byModel, ...matchLexically(once, taken)].sort((a, b) => placeOf(a) - placeOf(b))
  return { degraded: false, correspondences: await finish(all) }
}

async function askModel(
  { context: { settings, log }, requestId }: Work, fields: readonly SourceField[], signal: AbortSignal,
): Promise<Correspondence[] | null> {
  const { googleApiKey: key, googleApiUrl: url } = settings
  if (key === undefined) return null
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), modelPatience)
  try {
    const both = AbortSignal.any([signal, limit.signal])
    return await matchByModel({ key, url, signal: both, patience: modelPatience }, fields)
  } catch (cause) {
    // Only our own sentences are logged: a foreign one could repeat the key.
    log.warn({ requestId, reason: reasonOf(cause) }, 'no mapping from the model, names and values decide')
    return null
  } finally {
    clearTimeout(timer)
  }
}

const reasonOf = (cause: unknown) =>
  (cause instanceof Error && cause.name === 'GeminiFault' ? cause.message : 'failed')
