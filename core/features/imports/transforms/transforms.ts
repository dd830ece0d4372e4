import { countryStep } from './transforms.countries.ts'
import { createDateStep, dayStep } from './transforms.dates.ts'
import { createMeasureStep, createPercentStep, unitStep } from './transforms.measures.ts'
import { createIntegerStep, createNumberStep, type DecimalSign } from './transforms.numbers.ts'
import { parseCall, parseArgument, parseTwoArguments, type TransformCall } from './transforms.parse.ts'
import {
  ValueIssue,
  limitText,
  isMissing,
  maxTextLength,
  createTextStep,
  type TransformStep,
} from './transforms.types.ts'
import { booleanStep, granularityStep, gtinStep, slugStep } from './transforms.words.ts'

/**
 * A transform that is ready to run. `fills`: it makes a value where there is none; other transforms skip a missing
 * value.
 */
export interface Transform {
  step: TransformStep
  fills: boolean
}

const transformNames =
  'trim, upper, lower, number, integer, boolean, percent, measure(<unit>), date(<format>), day, split(<separator>), '
  + 'first(<separator>), replace(<text>,<text>), default(<text>), gtin, country, unit, granularity, slug'

const plainSteps: Record<string, TransformStep> = {
  trim: createTextStep((text) => text.trim()),
  upper: createTextStep((text) => limitText(text.toUpperCase())),
  lower: createTextStep((text) => text.toLowerCase()),
  boolean: booleanStep,
  gtin: gtinStep,
  slug: slugStep,
  country: countryStep,
  unit: unitStep,
  granularity: granularityStep,
  day: dayStep,
}

/** The transforms that take an argument in brackets. A returned text says what is wrong with the argument. */
const transformFactories: Record<string, (given: string | null) => Transform | TransformStep | string> = {
  number: (given) => createSignedStep(given, createNumberStep),
  integer: (given) => createSignedStep(given, createIntegerStep),
  percent: (given) => createSignedStep(given, createPercentStep),
  measure: (given) => createMeasureTransform(given ?? ''),
  first: (given) => (given ? createFirstStep(parseArgument(given)) : 'needs a separator, as first(;)'),
  date: (given) => (given ? createDateStep(parseArgument(given)) : 'needs a format, as date(dd.MM.yyyy)'),
  split: (given) => (given ? createSplitStep(parseArgument(given)) : 'needs a separator, as split(;)'),
  default: (given) => (given ? createDefaultTransform(parseArgument(given)) : 'needs a text, as default(EUR)'),
  replace(given) {
    const texts = given === null ? undefined : parseTwoArguments(given)
    if (texts === undefined) return 'needs two texts, as replace(cm,mm); one with a comma in quotes: replace(",", ".")'
    return texts[0] === '' ? 'needs a text to look for' : createReplaceStep(texts[0], texts[1])
  },
}

/**
 * Parses a transform as a mapper writes it. Texts in brackets may stand in quotes. `number(.)` and `number(,)` name the
 * sign before decimals. A transform applies to each element of a list.
 * @returns the transform, or a text that says what is wrong with it
 */
export function parseTransform(written: string): Transform | string {
  const call = parseCall(written)
  if (!call) return `is no transform; there are ${transformNames}`
  const made = createStep(call)
  if (typeof made === 'string') return made
  return typeof made === 'function' ? { step: made, fills: false } : made
}

function createStep({ name, argumentText }: TransformCall): Transform | TransformStep | string {
  const step = Object.hasOwn(plainSteps, name) ? plainSteps[name] : undefined
  if (step)
    return argumentText === null || argumentText.trim() === '' ? step : `takes nothing in brackets: write ${name}`
  const make = Object.hasOwn(transformFactories, name) ? transformFactories[name] : undefined
  return make ? make(argumentText) : `is no transform; there are ${transformNames}`
}

function createSignedStep(given: string | null, make: (sign: DecimalSign) => TransformStep): TransformStep | string {
  const sign = given === null || given.trim() === '' ? null : parseArgument(given)
  return sign === null || sign === '.' || sign === ',' ? make(sign) : 'takes the sign before decimals only, . or ,'
}

/** Creates the step of `measure(KGM)`, or of `measure(KGM,",")`, which names the sign before decimals too. */
function createMeasureTransform(given: string): TransformStep | string {
  const [unit, sign] = parseTwoArguments(given) ?? [parseArgument(given)]
  if (sign !== undefined && sign !== '.' && sign !== ',') return 'takes the sign before decimals only, . or ,'
  return createMeasureStep(unit, sign ?? null)
}

/** Creates a step that keeps what stands before the first separator. */
const createFirstStep = (separator: string): TransformStep | string =>
  separator === '' ? 'needs a separator, as first(;)' : createTextStep((text) => text.split(separator, 1)[0]?.trim())

function createSplitStep(separator: string): TransformStep | string {
  if (separator === '') return 'needs a separator, as split(;)'
  return createTextStep((text) => text.split(separator).filter((part) => part !== ''))
}

const createDefaultTransform = (text: string): Transform | string =>
  text === '' ? 'needs a text, as default(EUR)' : { step: (value) => value ?? text, fills: true }

/**
 * Creates a step that replaces every literal occurrence of a text and stops when the result is longer than a value can
 * be.
 */
const createReplaceStep = (from: string, to: string): TransformStep =>
  createTextStep((text) => {
    let made = ''
    let at = 0
    for (let next = text.indexOf(from); next !== -1; next = text.indexOf(from, at)) {
      made += text.slice(at, next) + to
      at = next + from.length
      if (made.length > maxTextLength) break
    }
    return at === 0 ? text : limitText(made + text.slice(at))
  })

/**
 * Applies all transforms in order. Returns the value, undefined if none is left, or the issue of the transform that
 * failed. Blank text, an empty list and null are no value.
 */
export function applyTransforms(transforms: readonly Transform[], value: unknown): unknown {
  let now = valueOrNone(value)
  for (const { step, fills } of transforms) {
    if (now === undefined && !fills) continue
    now = valueOrNone(step(now))
    if (now instanceof ValueIssue) return now
  }
  return now
}

const valueOrNone = (value: unknown) => (isMissing(value) ? undefined : value)
