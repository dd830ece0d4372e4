import { isRecord } from '../openapi.ts'
import { parseJson } from '../json.ts'
import type { ApiAnswer } from '../results/api-request.ts'
import { showInvisible } from '../arguments/show-invisible.ts'

/** What a call would do, as the API's dry run answers it. Members that are not listed here are kept for programs. */
export interface Preview {
  readonly matched: number
  readonly willChange: number
  /** The first of the things that the call is about. */
  readonly samples: readonly { readonly id: string; readonly name: string }[]
  readonly skipped: readonly { readonly reason: string; readonly count: number }[]
  readonly warnings: readonly string[]
}

/** The highest number of samples, reasons and warnings in a text. `maxTextLength`: the longest of each, in characters. */
const maxShown = 10
const maxNameLength = 80
const maxTextLength = 300

/** Reads the body of a dry run; null if it is not one. */
export function parsePreview({ bytes, complete }: Pick<ApiAnswer, 'bytes' | 'complete'>): Preview | null {
  const body = complete ? parseJson(bytes) : undefined
  if (!isRecord(body)) return null
  const { matched, willChange, samples, skipped, warnings } = body
  const fits =
    isCount(matched)
    && isCount(willChange)
    && isListOf(samples, (one) => isRecord(one) && typeof one['id'] === 'string' && typeof one['name'] === 'string')
    && isListOf(skipped, (one) => isRecord(one) && typeof one['reason'] === 'string' && isCount(one['count']))
    && isListOf(warnings, (one) => typeof one === 'string')
  return fits ? (body as unknown as Preview) : null
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isListOf = (value: unknown, fits: (one: unknown) => boolean) => Array.isArray(value) && value.every(fits)

/**
 * Describes a preview for people in sentences, one fact each: how many change, the first of them by name, what stays as it is
 * and why, and the warnings.
 */
export function describePreview({ matched, willChange, samples, skipped, warnings }: Preview): string[] {
  const names = samples.slice(0, maxShown).map(({ id, name }) => quoteName(name.trim() === '' ? id : name))
  const refrained = skipped.map(({ reason, count }) => `Not done for ${count}: ${reason}`)
  return [
    willChange === matched ? `${matched} would change.` : `${willChange} of ${matched} would change.`,
    ...(names.length === 0 ? [] : [`The first: ${names.join(', ')}.`]),
    ...showFirst(refrained),
    ...showFirst(warnings.map((warning) => `Warning: ${warning}`)),
  ]
}

const quoteName = (name: string) =>
  showInvisible(JSON.stringify(name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name), false)

/** Shows the first texts, each as one sentence on one line, and says how many more there are. */
function showFirst(texts: readonly string[]): string[] {
  const shown = texts.slice(0, maxShown).map((text) => {
    const line = showInvisible(text.replace(/\s+/g, ' ').trim(), false)
    const sentence = line.length > maxTextLength ? `${line.slice(0, maxTextLength)}…` : line
    return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`
  })
  return texts.length > maxShown ? [...shown, `And ${texts.length - maxShown} more such notes.`] : shown
}
