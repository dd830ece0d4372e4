import type { Destination } from '../../../../kernel/ports/record-sink.ts'
import { assignColumns } from './lexical.assign.ts'
import { formatEvidence } from './lexical.evidence.ts'
import { parseName, type ParsedName, type HeadingWord } from './lexical.names.ts'
import { scoreDestinations, type Score } from './lexical.score.ts'
import { detectHabits, suggestTransforms, type Habits } from './lexical.transforms.ts'
import { readValues } from './lexical.values.ts'
import type { Concept } from './synonyms.ts'
import type { Confidence, Correspondence, SourceField } from '../suggestions.schema.ts'

/** The minimum score of each confidence. */
const minScores = { high: 0.94, review: 0.5, low: 0.25 } as const

/**
 * Matches columns with destinations by the columns' names and by what their values look like. The same columns always
 * get the same result. Each column and each destination occurs at most once, so that all pairs together fit best.
 * @param taken destinations and sources that are assigned already
 */
export function matchLexically(
  fields: readonly SourceField[],
  destinations: readonly Destination[],
  taken: { paths: ReadonlySet<string>; sources: ReadonlySet<string> } = nothingTaken,
): Correspondence[] {
  const habits = detectHabits(fields.map(readValues))
  const openFields = removeDuplicateFields(fields).filter(({ id }) => !taken.sources.has(id))
  const names = markSubjectWords(openFields.map(({ id }) => parseName(id)))
  const scores = openFields.map((field, at) =>
    scoreDestinations(names[at] ?? parseName(field.id), readValues(field)).filter(({ path }) => !taken.paths.has(path)),
  )
  const worth = destinations.map(({ path }) =>
    scores.map((some, at) =>
      getWorth(
        some.find((one) => one.path === path),
        at,
      ),
    ),
  )
  const found = assignColumns(worth, openFields.length).flatMap((column, row) => {
    const [field, score] = [openFields[column], scores[column]?.find(({ path }) => path === destinations[row]?.path)]
    const destination = destinations[row]
    return field && score && destination
      ? [{ column, row: createCorrespondence(field, destination, { score, habits }) }]
      : []
  })
  return found.sort((a, b) => a.column - b.column).map(({ row }) => row)
}

/**
 * The minimum number, and the minimum share, of headings with the same word for the word to name the subject of the
 * file.
 */
const subjectThreshold = { columns: 3, share: 0.12 } as const

/**
 * Marks the words that name the subject of the file. In a file about batteries, `battery` names the product itself and
 * not a part of it: a word that is in many headings and has no other meaning says nothing about a column.
 */
function markSubjectWords(names: readonly ParsedName[]): ParsedName[] {
  const counts = new Map<string, number>()
  const isOpen = ({ concepts }: HeadingWord) => concepts.size === 0 || concepts.has('component')
  for (const { words } of names) {
    const texts = new Set(words.filter(isOpen).map((word) => word.text))
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const enough = Math.max(subjectThreshold.columns, names.length * subjectThreshold.share)
  const isSubject = (word: HeadingWord) =>
    isOpen(word) && !/^\d+$/.test(word.text) && (counts.get(word.text) ?? 0) >= enough
  return names.map(({ words, unit }) => ({
    unit,
    words: words.map((word) => (isSubject(word) ? { ...word, concepts: new Set<Concept>(['subject']) } : word)),
  }))
}

const nothingTaken = { paths: new Set<string>(), sources: new Set<string>() }

/** Removes each column whose name an earlier column has too. */
export function removeDuplicateFields(fields: readonly SourceField[]): SourceField[] {
  return [...new Map([...fields].reverse().map((field) => [field.id, field])).values()].reverse()
}

/**
 * Returns the worth of a pair. Scores are squared so that a sure pair counts more than the sum of the doubtful pairs
 * that it excludes. Among equal pairs, the first column wins.
 */
const getWorth = (score: Score | undefined, at: number) =>
  score === undefined || score.score < minScores.low ? 0 : score.score ** 2 - at * 1e-6

function createCorrespondence(
  field: SourceField,
  destination: Destination,
  { score, habits }: { score: Score; habits: Habits },
): Correspondence {
  return {
    destination: score.path,
    source: field.id,
    kind: 'field',
    transforms: suggestTransforms(score.path, field, habits),
    confidence: getConfidence(score),
    evidence: formatEvidence(field, destination, score),
    origin: 'lexical',
  }
}

function getConfidence({ score, sure, fit }: Score): Confidence {
  if (sure && score >= minScores.high && fit !== 'open') return 'high'
  return score >= minScores.review ? 'review' : 'low'
}
