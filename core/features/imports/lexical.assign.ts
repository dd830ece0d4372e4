/**
 * Pairs rows with columns so that the sum of what speaks for the pairs is highest; a row or column may stay alone.
 * Source: Kuhn–Munkres by shortest augmenting paths, O(rows² · columns).
 * @param worth by row and column, from 0; 0 is no pair
 * @returns the column of each row, or -1
 */
export function assign(worth: readonly (readonly number[])[], columns: number): number[] {
  const rows = worth.length
  // Each row has a column of its own that stands for none.
  const all = columns + rows
  const cost = (row: number, column: number) => -(worth[row - 1]?.[column - 1] ?? 0)
  const [rowPrice, columnPrice, owner] = [zeros(rows + 1), zeros(all + 1), zeros(all + 1)]
  for (let row = 1; row <= rows; row++) {
    const way = zeros(all + 1)
    const least = new Array<number>(all + 1).fill(Number.POSITIVE_INFINITY)
    const used = new Array<boolean>(all + 1).fill(false)
    let at = 0
    owner[0] = row
    do {
      used[at] = true
      const from = owner[at] ?? 0
      let step = Number.POSITIVE_INFINITY
      let next = 0
      for (let column = 1; column <= all; column++) {
        if (used[column]) continue
        const reduced = cost(from, column) - (rowPrice[from] ?? 0) - (columnPrice[column] ?? 0)
        if (reduced < (least[column] ?? 0)) [least[column], way[column]] = [reduced, at]
        if ((least[column] ?? 0) < step) [step, next] = [least[column] ?? 0, column]
      }
      for (let column = 0; column <= all; column++) {
        if (used[column]) {
          rowPrice[owner[column] ?? 0] = (rowPrice[owner[column] ?? 0] ?? 0) + step
          columnPrice[column] = (columnPrice[column] ?? 0) - step
        } else least[column] = (least[column] ?? 0) - step
      }
      at = next
    } while (owner[at] !== 0)
    for (; at !== 0; at = way[at] ?? 0) owner[at] = owner[way[at] ?? 0] ?? 0
  }
  const found = new Array<number>(rows).fill(-1)
  for (let column = 1; column <= columns; column++) {
    const row = owner[column] ?? 0
    if (row > 0 && (worth[row - 1]?.[column - 1] ?? 0) > 0) found[row - 1] = column - 1
  }
  return found
}

const zeros = (length: number) => new Array<number>(length).fill(0)
