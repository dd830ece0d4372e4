/** Counts how often each pair of neighbouring letters occurs in a text. */
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
export function calculateLikeness(one: string, other: string): number {
  const [left, right] = [countLetterPairs(one), countLetterPairs(other)]
  const count = (pairs: Map<string, number>) => [...pairs.values()].reduce((sum, times) => sum + times, 0)
  const all = count(left) + count(right)
  if (all === 0) return one === other ? 1 : 0
  const common = [...left].reduce((sum, [pair, times]) => sum + Math.min(times, right.get(pair) ?? 0), 0)
  return (2 * common) / all
}

/** Returns at most `maxEntries` entries, the most alike first; entries that have nothing in common are left out. */
export function findNearest<T>(
  entries: readonly T[],
  text: string,
  getText: (entry: T) => string,
  maxEntries: number,
): T[] {
  return entries
    .map((entry) => ({ entry, near: calculateLikeness(getText(entry), text) }))
    .filter(({ near }) => near > 0)
    .sort((a, b) => b.near - a.near)
    .slice(0, maxEntries)
    .map(({ entry }) => entry)
}
