/** Letter pairs of a text, each with how often it stands there. */
function pairsOf(text: string): Map<string, number> {
  const letters = [...text]
  const pairs = new Map<string, number>()
  for (let at = 0; at + 1 < letters.length; at++) {
    const pair = `${letters[at]}${letters[at + 1]}`
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

/** How alike two texts are, 0 to 1: the share of letter pairs they have in common (Dice's coefficient). */
export function likeness(one: string, other: string): number {
  const [left, right] = [pairsOf(one), pairsOf(other)]
  const count = (pairs: Map<string, number>) => [...pairs.values()].reduce((sum, times) => sum + times, 0)
  const all = count(left) + count(right)
  if (all === 0) return one === other ? 1 : 0
  const common = [...left].reduce((sum, [pair, times]) => sum + Math.min(times, right.get(pair) ?? 0), 0)
  return (2 * common) / all
}

/** The most alike first, at most `most`; what has nothing in common is left out. */
export function nearest<T>(entries: readonly T[], wanted: string, textOf: (entry: T) => string, most: number): T[] {
  return entries
    .map((entry) => ({ entry, near: likeness(textOf(entry), wanted) }))
    .filter(({ near }) => near > 0)
    .sort((a, b) => b.near - a.near)
    .slice(0, most)
    .map(({ entry }) => entry)
}
