import type { Catalogue, Tool, ToolEntry } from '../catalogue/catalogue.ts'
import { isRecord, type Schema } from '../openapi.ts'
import { visitSubschemas } from '../catalogue/subschemas.ts'
import { idleNameWords, relatedMeanings } from './domain-words.ts'
import { readMeanings, readQuery } from './meanings.ts'
import { splitWords, stemWord } from './word-forms.ts'

/** Weights of the places where an operation has a word. */
const weights = { name: 6, title: 4, description: 1.5, argument: 1.2, answer: 0.6 }
/** How much a related meaning counts in place of the one that was said. */
const relatedShare = 0.5
const sharedNameWords = new Set(splitWords(idleNameWords))
/** How much a name counts that the query spells out in full. */
const fullNameBonus = 6
/** The preference among equals: who names a thing only wants to see or make it rather than anything else. */
const verbPreference = new Map(Object.entries({ list: 0.6, get: 0.4, create: 0.3, update: 0.1 }))
/** The longest part of a query that is read, in characters: a query may be any text, such as the name of a missing tool. */
const maxQueryLength = 500

interface IndexedOperation {
  readonly entry: ToolEntry
  readonly weightByMeaning: ReadonlyMap<string, number>
  /** The alternatives of meaning of each word of the name. */
  readonly nameMeanings: readonly (readonly string[])[]
}

/** Finds operations by words. It never changes: a new document gives a new index. */
export class OperationIndex {
  readonly #operations: readonly IndexedOperation[]
  readonly #vocabulary: ReadonlySet<string>
  readonly #rarity: ReadonlyMap<string, number>

  constructor(catalogue: Catalogue) {
    const tools = [...catalogue.tools.values(), ...catalogue.readTools.values()]
    this.#operations = [
      ...tools.map((tool) => indexOperation(tool.entry, listMembers(tool.plan.inputSchema), listAnswerMembers(tool))),
      ...[...catalogue.ownTools.values()].map(({ entry }) => indexOperation(entry, listMembers(entry.inputSchema), [])),
    ]
    const counts = new Map<string, number>()
    for (const { weightByMeaning } of this.#operations)
      for (const meaning of weightByMeaning.keys()) counts.set(meaning, (counts.get(meaning) ?? 0) + 1)
    this.#vocabulary = new Set(counts.keys())
    this.#rarity = new Map([...counts].map(([meaning, count]) => [meaning, Math.log(1 + tools.length / count)]))
  }

  /**
   * Finds the operations that fit a query, the best first.
   * @param isReachable returns whether an operation of this name may be found
   */
  find(wholeQuery: string, maxHits: number, isReachable: (name: string) => boolean): ToolEntry[] {
    const query = wholeQuery.slice(0, maxQueryLength)
    const wanted = readQuery(query, this.#vocabulary).filter((meanings) => meanings.length > 0)
    return this.#operations
      .filter(({ entry }) => isReachable(entry.name))
      .map((operation) => ({ entry: operation.entry, score: this.#score(operation, wanted, query) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || (one.entry.name < other.entry.name ? -1 : 1))
      .slice(0, maxHits)
      .map(({ entry }) => entry)
  }

  #rate({ weightByMeaning }: IndexedOperation, meaning: string): number {
    const rateOne = (one: string) => (weightByMeaning.get(one) ?? 0) * (this.#rarity.get(one) ?? 0)
    const related = (relatedMeanings.get(meaning) ?? []).map((one) => rateOne(one) * relatedShare)
    return Math.max(rateOne(meaning), ...related)
  }

  #score(operation: IndexedOperation, wanted: readonly (readonly string[])[], query: string): number {
    if (operation.entry.name === query.trim()) return Infinity
    let score = 0
    for (const meanings of wanted) score += Math.max(...meanings.map((one) => this.#rate(operation, one)))
    if (score === 0) return 0
    const said = new Set(wanted.flat())
    const named = operation.nameMeanings.filter((meanings) => meanings.some((one) => said.has(one))).length
    const share = operation.nameMeanings.length === 0 ? 0 : named / operation.nameMeanings.length
    const verb = operation.entry.name.split('_')[0] ?? ''
    return score + fullNameBonus * share + (verbPreference.get(verb) ?? 0)
  }
}

const keptIndexes = new WeakMap<Catalogue, OperationIndex>()

/** Returns the index of a catalogue, which is made at its first use. */
export function getOperationIndex(catalogue: Catalogue): OperationIndex {
  let index = keptIndexes.get(catalogue)
  if (!index) keptIndexes.set(catalogue, (index = new OperationIndex(catalogue)))
  return index
}

function indexOperation(
  entry: ToolEntry,
  argumentNames: readonly string[],
  answerNames: readonly string[],
): IndexedOperation {
  const weightByMeaning = new Map<string, number>()
  const add = (meanings: readonly (readonly string[])[], weight: number) => {
    for (const meaning of meanings.flat())
      weightByMeaning.set(meaning, Math.max(weightByMeaning.get(meaning) ?? 0, weight))
  }
  const nameMeanings = readMeanings(
    splitWords(entry.name)
      .filter((word) => !sharedNameWords.has(word))
      .join(' '),
  )
  add(nameMeanings, weights.name)
  add(readMeanings(entry.title), weights.title)
  // The fields of a list's filters say little of what the operation is for.
  const [purpose = '', fields = ''] = entry.description.split(/\b(?=(?:Filters|Sorters): )/s, 2)
  add(readMeanings(purpose), weights.description)
  add(readMeanings(fields), weights.answer)
  add(readMeanings(argumentNames.join(' ; ')), weights.argument)
  add(readMeanings(answerNames.join(' ; ')), weights.answer)
  for (const word of splitWords(entry.name)) {
    const stem = stemWord(word)
    if (!sharedNameWords.has(word) && !weightByMeaning.has(stem)) weightByMeaning.set(stem, weights.name)
  }
  return { entry, weightByMeaning, nameMeanings }
}

/** Lists the names of all members below a schema, each once. */
function listMembers(root: Schema): string[] {
  const names = new Set<string>()
  const visit = (schema: Schema, pointer: string) => {
    if (isRecord(schema['properties'])) for (const name of Object.keys(schema['properties'])) names.add(name)
    visitSubschemas(schema, pointer, visit)
  }
  visit(root, '#')
  return [...names]
}

const listAnswerMembers = ({ outputSchemas }: Tool) => (outputSchemas === null ? [] : listMembers(outputSchemas.modern))
