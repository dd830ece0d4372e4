import { getFit, type Fit } from './lexical.fit.ts'
import type { ParsedName, HeadingWord } from './lexical.names.ts'
import { dimensionLetters, neutralConcepts, rules, distinctiveConcepts, type DestinationRule } from './lexical.rules.ts'
import type { ColumnValues } from './lexical.values.ts'
import { type Concept, unrelatedConcepts } from './synonyms.ts'

/**
 * How strongly a column matches a destination: `score` is from 0 to 1. `named`: the heading supports it, not only the
 * values.
 */
export interface Score {
  path: string
  score: number
  sure: boolean
  named: boolean
  fit: Fit
}

/** The factors by which the words that a rule leaves over reduce its score. */
const wordFactors = {
  unknown: 0.68,
  strange: 0.44,
  weight: 0.62,
  prefix: 0.92,
  part: 0.5,
  digits: 0.93,
  known: 0.76,
  telling: 0.46,
  negative: 0.15,
} as const

const fitBonuses: Record<Fit, number> = { certain: 0.06, good: 0, open: -0.08, bad: -0.45, wrong: -1 }

/** Scores every destination that something speaks for, whatever the other columns of the file are. */
export function scoreDestinations(name: ParsedName, values: ColumnValues): Score[] {
  const best = new Map<string, Score>()
  const offer = (one: Score) => {
    if (one.score > (best.get(one.path)?.score ?? 0.1)) best.set(one.path, one)
  }
  for (const rule of rules) {
    const share = getExplainedShare(rule, name.words)
    if (share === 0) continue
    const fit = getFit(rule.path, values, name.unit)
    const score = Math.min(1, rule.weight * share + fitBonuses[fit])
    offer({ path: rule.path, score, sure: rule.sure && share === 1, named: true, fit })
  }
  for (const score of [...scoreByLetter(name, values), ...scoreByValues(name, values)]) offer(score)
  return [...best.values()]
}

/**
 * The paths for which an unknown word in the heading changes the meaning: the height of a heel, the number of a
 * battery.
 */
const strictPathPattern =
  /\.dimensions\.|countryOfProduction|Date$|(?:item|batch)Number$|^product\.gtin$|^data\.(?:price|quantity|warrantyMonths)$/
const strictPaths = new Set(rules.map(({ path }) => path).filter((path) => strictPathPattern.test(path)))

/** Returns how much of the heading a rule explains; 0 if the rule does not apply. */
function getExplainedShare(rule: DestinationRule, words: readonly HeadingWord[]): number {
  const rest = removeMeanings(rule.all, words)
  if (!rest) return 0
  const compound = words.some((word) => word.compound) ? getCompoundFactor(rule.path) : 1
  return rest.reduce((share, word) => share * getWordFactor(word, rule), compound)
}

/** Returns the words that are left when each meaning has taken a word of its own; null if a meaning finds no word. */
function removeMeanings([first, ...others]: readonly Concept[], words: readonly HeadingWord[]): HeadingWord[] | null {
  if (first === undefined) return [...words]
  for (const [at, { concepts }] of words.entries()) {
    if (!concepts.has(first)) continue
    const rest = removeMeanings(others, [...words.slice(0, at), ...words.slice(at + 1)])
    if (rest) return rest
  }
  return null
}

function getWordFactor({ text, concepts }: HeadingWord, { all, path }: DestinationRule): number {
  const isFirst = text === '1' || text === '01'
  if (/^\d+$/.test(text)) return isFirst || all.includes('gtin') || all.includes('tariff') ? 1 : wordFactors.digits
  if (concepts.size === 0) return getUnknownWordFactor(path)
  const meanings = [...concepts]
  if (concepts.has('subject')) return wordFactors.prefix
  if (meanings.some((meaning) => neutralConcepts.has(meaning) || all.includes(meaning))) return 1
  if (meanings.some((meaning) => unrelatedConcepts.has(meaning))) return wordFactors.negative
  return strictPaths.has(path) || meanings.some((meaning) => distinctiveConcepts.has(meaning))
    ? wordFactors.telling
    : wordFactors.known
}

const isWeight = (path: string) => path.endsWith('weight.value')

const getUnknownWordFactor = (path: string) =>
  isWeight(path) ? wordFactors.weight : strictPaths.has(path) ? wordFactors.strange : wordFactors.unknown

/** Returns the factor of a compound: its end says what it is, but its beginning can make it a part of the product. */
const getCompoundFactor = (path: string) =>
  strictPaths.has(path) && !isWeight(path) ? wordFactors.part : wordFactors.prefix

/** Scores a single letter before a unit of length, as in B (cm). */
function scoreByLetter({ words, unit }: ParsedName, values: ColumnValues): Score[] {
  const [word, ...others] = words
  const letters = word && unit === 'length' && others.length === 0 ? dimensionLetters[word.text] : undefined
  return (letters ?? []).map((side, at) => {
    const path = `product.dimensions.${side}.value`
    const fit = getFit(path, values, unit)
    return { path, score: 0.74 - at * 0.08 + fitBonuses[fit], sure: false, named: true, fit }
  })
}

/** The scores of paths that values support by themselves, if the heading says nothing against it. */
const valueScores: readonly [path: string, score: number][] = [
  ['product.gtin', 0.62],
  ['product.id', 0.6],
  ['product.productImage.linkURL', 0.6],
  ['data.gender', 0.5],
  ['product.countryOfProduction.countryName', 0.36],
  ['product.idGranularity', 0.4],
  ['data.currency', 0.36],
  ['allowedClaimEmail', 0.34],
  ['allowedClaimPhoneNumber', 0.32],
  ['data.collection', 0.52],
  ['product.description', 0.34],
]

/** The meanings that leave open what a column is about. */
const vagueConcepts: ReadonlySet<Concept> = new Set<Concept>([
  ...neutralConcepts,
  'subject',
  'number',
  'ref',
  'id',
  'sku',
  'unit',
  'url',
  'name',
  'main',
  'description',
  'kind',
])

function scoreByValues({ words, unit }: ParsedName, values: ColumnValues): Score[] {
  const isVague = ({ concepts }: HeadingWord) =>
    concepts.size === 0 || [...concepts].some((meaning) => vagueConcepts.has(meaning))
  const against = !words.every(isVague)
  return valueScores
    .filter(([path]) => getFit(path, values, unit) === 'certain')
    .map(([path, score]) => ({
      path,
      score: against ? score * 0.4 : score,
      sure: false,
      named: false,
      fit: 'certain',
    }))
}
