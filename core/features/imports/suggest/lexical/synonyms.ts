import meanings from './data/meanings.json' with { type: 'json' }
import unrelatedMeanings from './data/unrelated-meanings.json' with { type: 'json' }

/** A meaning of a word. `subject` is what the whole file is about; no list of words has it. */
export type Concept = keyof typeof meanings | keyof typeof unrelatedMeanings | 'subject'

/**
 * The meanings which say that a column is about something else: such a column has no destination, unless a rule asks
 * for the meaning.
 */
export const unrelatedConcepts: ReadonlySet<string> = new Set(Object.keys(unrelatedMeanings))

/**
 * Every word or sequence of words with its possible meanings. The data has the words of export headings in English,
 * French, Spanish, German and Italian, in lower case and without accents; several words match only in their order. A
 * word can have several meanings; the words beside it and the values decide which one it has.
 */
export const lexicon: ReadonlyMap<string, ReadonlySet<Concept>> = createLexicon({ ...meanings, ...unrelatedMeanings })

function createLexicon(words: Record<string, readonly string[]>): Map<string, Set<Concept>> {
  const found = new Map<string, Set<Concept>>()
  for (const [concept, list] of Object.entries(words)) {
    for (const word of list) found.set(word, (found.get(word) ?? new Set()).add(concept as Concept))
  }
  return found
}
