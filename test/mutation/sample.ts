import { createHash } from 'node:crypto'

/**
 * Takes a sample of so many values. The same seed takes the same ones, whatever other values there are: a change of a
 * source leaves nearly all of the sample as it is. Each value has the rank that its description and the seed hash to.
 * @param describe says what a value is; no two values have the same description
 */
export function takeSample<T>(values: readonly T[], size: number, seed: number, describe: (value: T) => string): T[] {
  const ranked = values.map((value) => ({
    value,
    rank: createHash('sha256')
      .update(`${seed}\0${describe(value)}`)
      .digest('hex'),
  }))
  return ranked
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ value }) => value)
}

/** The limits between which a share lies with a probability of 95 %. Source: E. B. Wilson, 1927. */
export function getWilsonInterval(hits: number, total: number): { low: number; high: number } {
  if (total === 0) return { low: 0, high: 1 }
  const z = 1.959964
  const [share, square] = [hits / total, z ** 2]
  const middle = (share + square / (2 * total)) / (1 + square / total)
  const half = (z / (1 + square / total)) * Math.sqrt((share * (1 - share)) / total + square / (4 * total ** 2))
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}
