import { domainWords, idleWords } from './domain-words.ts'
import { findNearWords, splitWords, stemWord } from './word-forms.ts'

/** The meanings that one word or phrase of a text may have; a word outside of the table means its own stem. */
export type Meanings = readonly string[]

const meaningsByPhrase = new Map<string, string[]>()
/** The same by phrases as the table spells them, because other words can have the same stem: archive, Spanish archivo. */
const meaningsBySpelling = new Map<string, string[]>()
for (const [meaning, phrases] of Object.entries(domainWords)) {
  for (const phrase of phrases.split(',')) {
    const words = splitWords(phrase)
    addMeaning(meaningsByPhrase, words.map(stemWord).join(' '), meaning)
    addMeaning(meaningsBySpelling, words.join(' '), meaning)
  }
}

function addMeaning(meanings: Map<string, string[]>, phrase: string, meaning: string): void {
  const known = meanings.get(phrase) ?? []
  if (!known.includes(meaning)) meanings.set(phrase, [...known, meaning])
}

const idle = new Set(splitWords(idleWords))
const maxPhraseWords = Math.max(...[...meaningsByPhrase.keys()].map((phrase) => phrase.split(' ').length))
const singleWords = [...meaningsByPhrase.keys()].filter((phrase) => !phrase.includes(' '))

/** The letters that a part of a compound has at least, and a compound has at least. */
const minPartLetters = 4
const minCompoundLetters = 8
/** Parts of compounds, the longest first. */
const compoundParts = singleWords
  .filter((word) => word.length >= minPartLetters)
  .sort((one, other) => other.length - one.length)

/** The highest number of unknown words of a query that are compared with all known words, which takes long. */
const maxComparedWords = 16

/** Reads the meanings of a text that is written as the table is: without compounds and misspellings. */
export const readMeanings = (text: string): Meanings[] => readPhrases(text, () => [])

/**
 * Reads the meanings of what somebody looks for, in any of the languages. It also takes compounds apart
 * (`Zertifizierungsschlüssel`) and forgives misspellings.
 * @param vocabulary stems that are known in addition to the table
 */
export function readQuery(text: string, vocabulary: ReadonlySet<string>): Meanings[] {
  const knownWords = [...singleWords, ...vocabulary]
  let comparedWords = 0
  return readPhrases(text, (stem) => {
    if (vocabulary.has(stem)) return [[stem]]
    const parts = splitCompound(stem)
    if (parts.length > 1) return parts.map((part) => meaningsByPhrase.get(part) ?? [])
    const near = comparedWords++ < maxComparedWords ? findNearWords(stem, knownWords) : []
    if (near.length > 0) return [near.flatMap((word) => meaningsByPhrase.get(word) ?? [word])]
    return parts.map((part) => meaningsByPhrase.get(part) ?? [])
  })
}

/** @param readUnknown returns the meanings of a stem that is not in the table; empty: it means itself */
function readPhrases(text: string, readUnknown: (stem: string) => Meanings[]): Meanings[] {
  const words = splitWords(text)
  const stems = words.map(stemWord)
  const found: Meanings[] = []
  for (let at = 0; at < words.length;) {
    const length = findPhraseLength(stems, at)
    const word = words[at] ?? ''
    const stem = stems[at] ?? ''
    if (length > 1 || (length === 1 && !idle.has(word)))
      found.push(getMeanings(words.slice(at, at + length), stems.slice(at, at + length)))
    else if (!idle.has(word)) {
      const unknown = readUnknown(stem)
      found.push(...(unknown.length > 0 ? unknown : [[stem]]))
    }
    at += Math.max(1, length)
  }
  return found
}

const getMeanings = (words: readonly string[], stems: readonly string[]): Meanings =>
  meaningsBySpelling.get(words.join(' ')) ?? meaningsByPhrase.get(stems.join(' ')) ?? []

/** Returns how many words from this place on are a phrase of the table; 0 if none. */
function findPhraseLength(stems: readonly string[], at: number): number {
  for (let length = Math.min(maxPhraseWords, stems.length - at); length > 0; length--)
    if (meaningsByPhrase.has(stems.slice(at, at + length).join(' '))) return length
  return 0
}

/** Returns the words of the table that a compound consists of, without the letters that join them. */
function splitCompound(word: string): string[] {
  if (word.length < minCompoundLetters) return []
  const part = compoundParts.find((one) => word.includes(one))
  if (part === undefined) return []
  const at = word.indexOf(part)
  return [...splitCompoundRest(word.slice(0, at)), part, ...splitCompoundRest(word.slice(at + part.length))]
}

function splitCompoundRest(rest: string): string[] {
  const part = compoundParts.find((one) => rest.includes(one))
  return part === undefined ? [] : [part]
}
