/** Likeness below which two words are taken for different words, not for one word and its misspelling. */
const minLikeness = 0.4

/** Reduces a name to what a misspelling keeps: letters and digits, without case. */
const simplify = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

function countLetterPairs(text: string): Map<string, number> {
  const letters = [...text]
  const pairs = new Map<string, number>()
  for (let at = 0; at + 1 < letters.length; at++) {
    const pair = `${letters[at]}${letters[at + 1]}`
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

/** Calculates how alike two texts are, from 0 to 1: the share of their common letter pairs (Dice's coefficient). */
function calculateLikeness(one: string, other: string): number {
  if (one === other) return 1
  const [left, right] = [countLetterPairs(one), countLetterPairs(other)]
  const count = (pairs: Map<string, number>) => [...pairs.values()].reduce((sum, times) => sum + times, 0)
  const all = count(left) + count(right)
  const common = [...left].reduce((sum, [pair, times]) => sum + Math.min(times, right.get(pair) ?? 0), 0)
  return all === 0 ? 0 : (2 * common) / all
}

/**
 * Finds the names that somebody may have meant, the most alike first. Case and signs do not count, and a dotted name
 * is also compared by its last part.
 */
export function findNearestNames(names: readonly string[], text: string, maxNames = 3): string[] {
  const sought = simplify(text)
  const lastPart = simplify(text.slice(text.lastIndexOf('.') + 1))
  return names
    .map((name) => ({
      name,
      likeness: Math.max(
        calculateLikeness(simplify(name), sought),
        // A name whose last part alone is alike comes after one that is alike as a whole.
        0.9 * calculateLikeness(simplify(name.slice(name.lastIndexOf('.') + 1)), lastPart),
      ),
    }))
    .filter(({ likeness }) => likeness >= minLikeness)
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, maxNames)
    .map(({ name }) => name)
}

/** Asks whether one of the nearest names was meant: `; did you mean status?`. Empty if no name is near. */
export function askForNearest(names: readonly string[], text: string, maxNames = 1): string {
  const nearest = findNearestNames(names, text, maxNames)
  return nearest.length === 0 ? '' : `; did you mean ${nearest.join(' or ')}?`
}
