import { munkres } from 'munkres'

/**
 * Pairs rows with columns so that the total worth of the pairs is the highest possible; a row or a column may stay
 * alone.
 * @param worth the worth of each pair by row and column, from 0; 0 means that they are no pair
 * @returns the column of each row, or -1
 */
export function assignColumns(worth: readonly (readonly number[])[], columns: number): number[] {
  const found = new Array<number>(worth.length).fill(-1)
  if (worth.length === 0) return found
  // Each row has an additional column of its own, which means that the row stays alone.
  const alone = worth.map(() => 0)
  const costs = worth.map((row) => [...row.map((one) => -one), ...alone])
  for (const [row, column] of munkres(costs))
    if (column < columns && (worth[row]?.[column] ?? 0) > 0) found[row] = column
  return found
}
