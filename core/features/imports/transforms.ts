import { dateStep } from './transforms.dates.ts'
import { integerStep, numberStep, type DecimalSign } from './transforms.numbers.ts'
import { callOf, oneArgument, twoArguments, type Call } from './transforms.parse.ts'
import { Fault, bounded, isNone, longestText, ofText, type Step } from './transforms.types.ts'
import { booleanStep, gtinStep, slugStep } from './transforms.words.ts'

/** A transform made ready. `fills`: it makes a value where there is none; the others pass nothing on as nothing. */
export interface Transform { step: Step; fills: boolean }

const names = 'trim, upper, lower, number, integer, boolean, date(<format>), split(<separator>), '
  + 'replace(<text>,<text>), default(<text>), gtin, slug'

const bare: Record<string, Step> = {
  trim: ofText((text) => text.trim()),
  upper: ofText((text) => bounded(text.toUpperCase())),
  lower: ofText((text) => text.toLowerCase()),
  boolean: booleanStep,
  gtin: gtinStep,
  slug: slugStep,
}

/** Those that take something in brackets. A text is what is wrong with it. */
const called: Record<string, (given: string | null) => Transform | Step | string> = {
  number: (given) => withSign(given, numberStep),
  integer: (given) => withSign(given, integerStep),
  date: (given) => (given ? dateStep(oneArgument(given)) : 'needs a format, as date(dd.MM.yyyy)'),
  split: (given) => (given ? splitStep(oneArgument(given)) : 'needs a separator, as split(;)'),
  default: (given) => (given ? filling(oneArgument(given)) : 'needs a text, as default(EUR)'),
  replace(given) {
    const texts = given === null ? undefined : twoArguments(given)
    if (texts === undefined) return 'needs two texts, as replace(cm,mm); one with a comma in quotes: replace(",", ".")'
    return texts[0] === '' ? 'needs a text to look for' : replaceStep(texts[0], texts[1])
  },
}

/**
 * A transform as a mapper writes it, made ready to run. Texts in brackets may stand in quotes. Beyond what the names
 * say: `number(.)` and `number(,)` tell which sign stands before decimals, and of a list each element is transformed.
 * @returns what is wrong with it as text
 */
export function transformOf(written: string): Transform | string {
  const call = callOf(written)
  if (!call) return `is no transform; there are ${names}`
  const made = stepOf(call)
  if (typeof made === 'string') return made
  return typeof made === 'function' ? { step: made, fills: false } : made
}

function stepOf({ name, given }: Call): Transform | Step | string {
  const step = Object.hasOwn(bare, name) ? bare[name] : undefined
  if (step) return given === null || given.trim() === '' ? step : `takes nothing in brackets: write ${name}`
  const make = Object.hasOwn(called, name) ? called[name] : undefined
  return make ? make(given) : `is no transform; there are ${names}`
}

function withSign(given: string | null, make: (sign: DecimalSign) => Step): Step | string {
  const sign = given === null || given.trim() === '' ? null : oneArgument(given)
  return sign === null || sign === '.' || sign === ',' ? make(sign) : 'takes the sign before decimals only, . or ,'
}

function splitStep(separator: string): Step | string {
  if (separator === '') return 'needs a separator, as split(;)'
  return ofText((text) => text.split(separator).filter((part) => part !== ''))
}

const filling = (text: string): Transform | string =>
  (text === '' ? 'needs a text, as default(EUR)' : { step: (value) => value ?? text, fills: true })

/** All places, literally, and never more than a value can hold. */
const replaceStep = (from: string, to: string): Step => ofText((text) => {
  let made = ''
  let at = 0
  for (let next = text.indexOf(from); next !== -1; next = text.indexOf(from, at)) {
    made += text.slice(at, next) + to
    at = next + from.length
    if (made.length > longestText) break
  }
  return at === 0 ? text : bounded(made + text.slice(at))
})

/** A value after all transforms in their order, or a fault. Blank text, an empty list and null are no value. */
export function applyAll(transforms: readonly Transform[], value: unknown): unknown {
  let now = valueOrNone(value)
  for (const { step, fills } of transforms) {
    if (now === undefined && !fills) continue
    now = valueOrNone(step(now))
    if (now instanceof Fault) return now
  }
  return now
}

const valueOrNone = (value: unknown) => (isNone(value) ? undefined : value)
