/** Returns the words of a text in lower case, without accents. Parts of names like `certifiedPaths` are words. */
export function splitWords(text: string): string[] {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

/**
 * Returns a word without the endings of plurals, genders and English verbs, so that `keys`, `passaporti` and
 * `publishing` equal `key`, `passaporto` and `publish`. The result is only for comparison.
 */
export function stemWord(word: string): string {
  let stem = word
  if (stem.length >= 7 && stem.endsWith('ing')) stem = stem.slice(0, -3)
  else if (stem.length >= 6 && stem.endsWith('ed')) stem = stem.slice(0, -2)
  if (stem.length > 3 && stem.endsWith('s')) stem = stem.slice(0, -1)
  if (stem.endsWith('ie')) return `${stem.slice(0, -2)}y`
  if (keptWords.has(stem)) return stem
  return stem.length > 5 && /[aeiou]$/.test(stem) ? stem.slice(0, -1) : stem
}

/** Words that keep their ending, because another word is the same without it: Spanish `archivo` (file) and `archive`. */
const keptWords = new Set(['archivo'])

/**
 * Counts the edits between two words: letters added, removed, replaced, or swapped with a neighbour (optimal string
 * alignment distance).
 * @param maxEdits the count at which to give up; the result is then higher than this
 */
export function countEdits(one: string, other: string, maxEdits: number): number {
  if (Math.abs(one.length - other.length) > maxEdits) return maxEdits + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1]
      const isSwap = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      current[at] = Math.min(
        (last[at] ?? 0) + 1,
        (current[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[at - 2] ?? 0) + 1 : Infinity,
      )
    }
    if (Math.min(...current) > maxEdits) return maxEdits + 1
    ;[beforeLast, last] = [last, current]
  }
  return last[other.length] ?? maxEdits + 1
}

/** Returns how many wrong letters a word of this length may have. */
export const getAllowedEdits = (word: string) => (word.length < 5 ? 0 : word.length < 8 ? 1 : 2)

/** Finds the words that are nearest to a misspelled one; empty if none is near enough. */
export function findNearWords(word: string, words: Iterable<string>): string[] {
  const maxEdits = getAllowedEdits(word)
  let near: string[] = []
  let fewest = maxEdits
  for (const other of maxEdits === 0 ? [] : words) {
    const edits = countEdits(word, other, fewest)
    if (edits > fewest || edits === 0) continue
    near = edits < fewest ? [other] : [...near, other]
    fewest = edits
  }
  return near
}
