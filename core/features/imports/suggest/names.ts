import type { Destination, RecordSink, ValueShape } from '../../../kernel/ports/record-sink.ts'
import { assignColumns } from './lexical/lexical.assign.ts'
import { formatEvidence } from './lexical/lexical.evidence.ts'
import type { Fit } from './lexical/lexical.fit.ts'
import { detectHabits, type Habits } from './lexical/lexical.transforms.ts'
import { matchLexically } from './lexical/lexical.ts'
import { readValues, type ColumnValues } from './lexical/lexical.values.ts'
import { normalizeText } from '../transforms/index.ts'
import type { Correspondence, SourceField } from './suggestions.schema.ts'

interface Taken {
  paths: ReadonlySet<string>
  sources: ReadonlySet<string>
}

/**
 * Matches columns with the destinations of a sink by names and values: by the synonyms of its destinations, or by the words
 * of product catalogues if they have none.
 * @param fields each with an id of its own
 * @param taken destinations and sources that are assigned already
 */
export function matchByNames(
  fields: readonly SourceField[],
  { destinations }: Pick<RecordSink, 'destinations'>,
  taken: Taken = { paths: new Set(), sources: new Set() },
): Correspondence[] {
  if (destinations.every(({ synonyms }) => synonyms === undefined)) return matchLexically(fields, destinations, taken)
  const habits = detectHabits(fields.map(readValues))
  const open = fields.filter(({ id }) => !taken.sources.has(id))
  const matches = destinations.map((destination) =>
    open.map((field) => (taken.paths.has(destination.path) ? noMatch : matchField(field, destination))),
  )
  // Among equal pairs, the first column wins.
  const worth = matches.map((row) => row.map(({ score }, at) => (score === 0 ? 0 : score - at * 1e-6)))
  const found = assignColumns(worth, open.length).flatMap((column, row) => {
    const [field, destination, match] = [open[column], destinations[row], matches[row]?.[column]]
    return field && destination && match
      ? [{ column, row: createCorrespondence(field, destination, { match, habits }) }]
      : []
  })
  return found.sort((a, b) => a.column - b.column).map(({ row }) => row)
}

interface Match {
  /** From 0, which is no match, to 1. */
  score: number
  /** Whether the heading says it, and not only the values. */
  named: boolean
  fit: Fit
}

const noMatch: Match = { score: 0, named: false, fit: 'wrong' }

/** The scores of a heading that is a synonym, of one that has a synonym among its words, and of values alone. */
const scores = { exact: 1, partial: 0.7, values: 0.4 } as const

function matchField(field: SourceField, { shape, synonyms = [] }: Destination): Match {
  const fit = getShapeFit(shape, readValues(field))
  if (fit === 'wrong') return noMatch
  const heading = splitHeading(field.id)
  const score = Math.max(0, ...synonyms.map((synonym) => scoreSynonym(heading, synonym)))
  if (score > 0) return { score: fit === 'bad' ? score / 2 : score, named: true, fit }
  return fit === 'certain' ? { score: scores.values, named: false, fit } : noMatch
}

/** Splits a heading into words in small letters, each with a blank before and after it. */
const splitHeading = (heading: string): string =>
  ` ${normalizeText(heading.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `

function scoreSynonym(heading: string, synonym: string): number {
  if (heading.replaceAll(' ', '') === synonym.replaceAll(' ', '')) return scores.exact
  return heading.includes(` ${synonym} `) ? scores.partial : 0
}

/** Returns how well values suit a shape. */
export function getShapeFit(shape: ValueShape, { looks }: ColumnValues): Fit {
  if (looks.has('none')) return 'open'
  const isContact = looks.has('email') || looks.has('phone')
  if (shape === 'email') return looks.has('email') ? 'certain' : 'wrong'
  if (shape === 'phone') return looks.has('phone') ? 'certain' : looks.has('integer') ? 'good' : 'wrong'
  if (shape === 'number') return looks.has('integer') || looks.has('decimal') ? 'good' : 'wrong'
  return isContact ? 'bad' : 'good'
}

function createCorrespondence(
  field: SourceField,
  destination: Destination,
  { match, habits }: { match: Match; habits: Habits },
): Correspondence {
  const { score, fit } = match
  return {
    destination: destination.path,
    source: field.id,
    kind: 'field',
    transforms: listTransforms(destination, field, habits),
    confidence: score === scores.exact && fit !== 'open' ? 'high' : score >= scores.values ? 'review' : 'low',
    evidence: formatEvidence(field, destination, match),
    origin: 'lexical',
  }
}

function listTransforms({ shape }: Destination, field: SourceField, { decimals }: Habits): string[] {
  if (shape !== 'number' || readValues(field).texts.every((text) => /^\d*$/.test(text))) return ['trim']
  return ['trim', decimals === null ? 'integer' : `number(${decimals})`]
}
