import { destinations } from './destinations.ts'
import { assign } from './lexical.assign.ts'
import { evidenceFor } from './lexical.evidence.ts'
import { readName, type Name, type Word } from './lexical.names.ts'
import { scoresOf, type Score } from './lexical.score.ts'
import { habitsOf, transformsFor, type Habits } from './lexical.transforms.ts'
import { readValues } from './lexical.values.ts'
import type { Concept } from './synonyms.ts'
import type { Confidence, Correspondence, SourceField } from './suggestions.schema.ts'

/** From which score on a correspondence is worth what. */
const least = { high: 0.94, review: 0.5, low: 0.25 } as const

/**
 * Where columns can go, by their names and by what their values look like: the same for the same columns, always.
 * Each column and each destination stands in it at most once, so that all together fit best.
 * @param taken destinations and sources that are spoken for already
 */
export function matchLexically(
  fields: readonly SourceField[], taken: { paths: ReadonlySet<string>; sources: ReadonlySet<string> } = nothing,
): Correspondence[] {
  const habits = habitsOf(fields.map(readValues))
  const open = unique(fields).filter(({ id }) => !taken.sources.has(id))
  const names = withoutSubject(open.map(({ id }) => readName(id)))
  const scores = open.map((field, at) =>
    scoresOf(names[at] ?? readName(field.id), readValues(field)).filter(({ path }) => !taken.paths.has(path)))
  const worth = destinations.map(({ path }) =>
    scores.map((some, at) => worthOf(some.find((one) => one.path === path), at)))
  const found = assign(worth, open.length).flatMap((column, row) => {
    const [field, score] = [open[column], scores[column]?.find(({ path }) => path === destinations[row]?.path)]
    return field && score ? [{ column, row: correspondence(field, score, habits) }] : []
  })
  return found.sort((a, b) => a.column - b.column).map(({ row }) => row)
}

/** In how many headings, and in which share of them, a word stands that names what the file is about. */
const subject = { columns: 3, share: 0.12 } as const

/**
 * The battery of a file about batteries is no part of the product but the product: a word that stands in many headings
 * and means nothing else says nothing.
 */
function withoutSubject(names: readonly Name[]): Name[] {
  const counts = new Map<string, number>()
  const isOpen = ({ concepts }: Word) => concepts.size === 0 || concepts.has('component')
  for (const { words } of names) {
    const texts = new Set(words.filter(isOpen).map((word) => word.text))
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const enough = Math.max(subject.columns, names.length * subject.share)
  const isSubject = (word: Word) => isOpen(word) && !/^\d+$/.test(word.text) && (counts.get(word.text) ?? 0) >= enough
  return names.map(({ words, unit }) => ({
    unit,
    words: words.map((word) => (isSubject(word) ? { ...word, concepts: new Set<Concept>(['subject']) } : word)),
  }))
}

const nothing = { paths: new Set<string>(), sources: new Set<string>() }

/** A name that stands twice in a header stands for its first column. */
export function unique(fields: readonly SourceField[]): SourceField[] {
  return [...new Map([...fields].reverse().map((field) => [field.id, field])).values()].reverse()
}

/** Sure ones count more than the sum of doubtful ones that they stand in the way of; among equals the first column. */
const worthOf = (score: Score | undefined, at: number) =>
  (score === undefined || score.score < least.low ? 0 : score.score ** 2 - at * 1e-6)

function correspondence(field: SourceField, score: Score, habits: Habits): Correspondence {
  return {
    destination: score.path,
    source: field.id,
    kind: 'field',
    transforms: transformsFor(score.path, field, habits),
    confidence: confidenceOf(score),
    evidence: evidenceFor(field, score),
    origin: 'lexical',
  }
}

function confidenceOf({ score, sure, fit }: Score): Confidence {
  if (sure && score >= least.high && fit !== 'open') return 'high'
  return score >= least.review ? 'review' : 'low'
}
