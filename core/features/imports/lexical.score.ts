import { destinations } from './destinations.ts'
import { fitOf, type Fit } from './lexical.fit.ts'
import type { Name, Word } from './lexical.names.ts'
import { dimensionLetters, neutral, rules, telling, type Rule } from './lexical.rules.ts'
import type { Values } from './lexical.values.ts'
import { negativeWords } from './synonyms.negative.ts'
import type { Concept } from './synonyms.ts'

/** How much speaks for a destination, from 0 to 1. `named`: the heading says it, not the values alone. */
export interface Score { path: string; score: number; sure: boolean; named: boolean; fit: Fit }

const negative = new Set(Object.keys(negativeWords))

/** What is left of a heading when a rule has taken its words, as a factor. */
const cost = {
  unknown: 0.68, strange: 0.44, weight: 0.62, prefix: 0.92, part: 0.5, digits: 0.93, known: 0.76, telling: 0.46,
  negative: 0.15,
} as const

const byFit: Record<Fit, number> = { certain: 0.06, good: 0, open: -0.08, bad: -0.45, wrong: -1 }

/** Every destination that something speaks for, whatever else the file has. */
export function scoresOf(name: Name, values: Values): Score[] {
  const best = new Map<string, Score>()
  const offer = (one: Score) => {
    if (one.score > (best.get(one.path)?.score ?? 0.1)) best.set(one.path, one)
  }
  for (const rule of rules) {
    const share = shareOf(rule, name.words)
    if (share === 0) continue
    const fit = fitOf(rule.path, values, name.unit)
    const score = Math.min(1, rule.weight * share + byFit[fit])
    offer({ path: rule.path, score, sure: rule.sure && share === 1, named: true, fit })
  }
  for (const score of [...byLetter(name, values), ...byValues(name, values)]) offer(score)
  return [...best.values()]
}

/** Where an unknown word makes another thing of it: the height of a heel, the number of a battery. */
const strictly =
  /\.dimensions\.|countryOfProduction|Date$|(?:item|batch)Number$|^product\.gtin$|^data\.(?:price|quantity|warrantyMonths)$/
const strict = new Set(destinations.map(({ path }) => path).filter((path) => strictly.test(path)))

/** How much of the heading a rule explains: 0 where it does not apply. */
function shareOf(rule: Rule, words: readonly Word[]): number {
  const rest = without(rule.all, words)
  if (!rest) return 0
  const compound = words.some((word) => word.compound) ? costOfPart(rule.path) : 1
  return rest.reduce((share, word) => share * costOf(word, rule), compound)
}

/** The words that are left when each meaning has one of its own, or null where one has none. */
function without([first, ...others]: readonly Concept[], words: readonly Word[]): Word[] | null {
  if (first === undefined) return [...words]
  for (const [at, { concepts }] of words.entries()) {
    if (!concepts.has(first)) continue
    const rest = without(others, [...words.slice(0, at), ...words.slice(at + 1)])
    if (rest) return rest
  }
  return null
}

function costOf({ text, concepts }: Word, { all, path }: Rule): number {
  const isFirst = text === '1' || text === '01'
  if (/^\d+$/.test(text)) return isFirst || all.includes('gtin') || all.includes('tariff') ? 1 : cost.digits
  if (concepts.size === 0) return costOfUnknown(path)
  const meanings = [...concepts]
  if (concepts.has('subject')) return cost.prefix
  if (meanings.some((meaning) => neutral.has(meaning) || all.includes(meaning))) return 1
  if (meanings.some((meaning) => negative.has(meaning))) return cost.negative
  return strict.has(path) || meanings.some((meaning) => telling.has(meaning)) ? cost.telling : cost.known
}

const isWeight = (path: string) => path.endsWith('weight.value')

const costOfUnknown = (path: string) => (isWeight(path) ? cost.weight : strict.has(path) ? cost.strange : cost.unknown)

/** A compound tells by its end what it is, but its beginning can make a part of the product of it. */
const costOfPart = (path: string) => (strict.has(path) && !isWeight(path) ? cost.part : cost.prefix)

/** A letter before a unit of length, as in B (cm). */
function byLetter({ words, unit }: Name, values: Values): Score[] {
  const [word, ...others] = words
  const letters = word && unit === 'length' && others.length === 0 ? dimensionLetters[word.text] : undefined
  return (letters ?? []).map((side, at) => {
    const path = `product.dimensions.${side}.value`
    const fit = fitOf(path, values, unit)
    return { path, score: 0.74 - at * 0.08 + byFit[fit], sure: false, named: true, fit }
  })
}

/** What values say by themselves where the heading says nothing against it. */
const telltale: readonly [path: string, score: number][] = [
  ['product.gtin', 0.62], ['product.id', 0.6], ['product.productImage.linkURL', 0.6], ['data.gender', 0.5],
  ['product.countryOfProduction.countryName', 0.36], ['product.idGranularity', 0.4], ['data.currency', 0.36],
  ['allowedClaimEmail', 0.34], ['allowedClaimPhoneNumber', 0.32],
  ['data.collection', 0.52], ['product.description', 0.34],
]

/** Meanings that leave open what a column is about. */
const vague: ReadonlySet<Concept> = new Set<Concept>([
  ...neutral, 'subject', 'number', 'ref', 'id', 'sku', 'unit', 'url', 'name', 'main', 'description', 'kind',
])

function byValues({ words, unit }: Name, values: Values): Score[] {
  const isVague = ({ concepts }: Word) => concepts.size === 0 || [...concepts].some((meaning) => vague.has(meaning))
  const against = !words.every(isVague)
  return telltale.filter(([path]) => fitOf(path, values, unit) === 'certain').map(([path, score]) => ({
    path, score: against ? score * 0.4 : score, sure: false, named: false, fit: 'certain',
  }))
}

const known = new Set(destinations.map(({ path }) => path))
for (const { path } of rules) if (!known.has(path)) throw new Error(`No destination ${path}`)
