/**
 * Whole numbers from 0 to 2^32 - 1, always the same for one seed. Source: mulberry32, which is in the public domain.
 */
function createBits(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** Numbers from 0 up to 1, always the same for one seed. */
export function createRandom(seed: number): () => number {
  const draw = createBits(seed)
  return () => draw() / 2 ** 32
}

/** Whole numbers from 0 up to a bound that each draw names, always the same for one seed. */
export function createDice(seed: number): (sides: number) => number {
  const draw = createBits(seed)
  return (sides) => draw() % sides
}
