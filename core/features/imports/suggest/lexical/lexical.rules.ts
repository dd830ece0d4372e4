import destinations from './data/destinations.json' with { type: 'json' }
import type { Concept } from './synonyms.ts'

/**
 * A rule that matches a heading with all these meanings, each in a word of its own, to a destination. `weight`: the
 * score of a match, up to 1. `sure`: if the values have the right look too, the match is beyond doubt.
 */
export interface DestinationRule {
  path: string
  all: readonly Concept[]
  weight: number
  sure: boolean
}

const toConcepts = (words: readonly string[]) => words as readonly Concept[]

/**
 * The rules of all destinations. In the data a rule is a text: its meanings, then its weight in hundredths, with an
 * exclamation mark if the rule is sure.
 */
export const rules: readonly DestinationRule[] = Object.entries(destinations).flatMap(([path, list]) =>
  list
    .map((rule) => rule.split(' '))
    .flatMap((words): DestinationRule[] => {
      const weight = words.pop() ?? '0'
      const all = toConcepts(words)
      const one = { all, weight: Number.parseInt(weight, 10) / 100, sure: weight.endsWith('!') }
      // The values decide whether a column of countries holds codes or names.
      if (path !== 'product.countryOfProduction') return [{ path, ...one }]
      return ['countryCode', 'countryName'].map((member) => ({ path: `${path}.${member}`, ...one }))
    }),
)

/** The meanings that add nothing to other meanings. */
export const neutralConcepts: ReadonlySet<Concept> = new Set<Concept>(['net', 'article', 'value', 'option'])

/** The meanings that make a heading mean something else if no rule asks for them. */
export const distinctiveConcepts: ReadonlySet<Concept> = new Set<Concept>([
  'number',
  'id',
  'ref',
  'unit',
  'date',
  'url',
  'email',
  'phone',
  'holder',
  'year',
  'duration',
  'supplier',
  'manufacturer',
  'brand',
  'gln',
])

/** The sides that a single letter before a unit of length can stand for, the most frequent side first. */
export const dimensionLetters: Readonly<Record<string, readonly string[]>> = {
  l: ['length', 'width'],
  b: ['width'],
  w: ['width'],
  h: ['height'],
  t: ['length'],
  d: ['length'],
  p: ['length'],
  a: ['width', 'height'],
}
