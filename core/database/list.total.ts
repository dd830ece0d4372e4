/** Up to here a total is counted row by row, however long that takes. */
export const countedExactly = 10_000
/** Up to here it is where that takes no longer than this, in milliseconds. */
const countedInTime = 100_000
const countMilliseconds = 50

/** How many rows match. */
export interface Total { total: number; totalIsEstimate?: true }

/** What a total is found out by. */
export interface RowCounts {
  /** Counts rows up to a limit. */
  count(limit: number): Promise<number>
  /** The same, null where it takes longer; absent where nothing can be interrupted. */
  countWithin?(limit: number, milliseconds: number): Promise<number | null>
  /** What the planner takes for their number. */
  estimate(): Promise<number>
}

/** The total of a list: exact where it is small, or counted in time, else as the planner estimates it. */
export async function totalOf({ count, countWithin, estimate }: RowCounts): Promise<Total> {
  const found = await count(countedExactly + 1)
  if (found <= countedExactly) return { total: found }
  const estimated = Math.max(found, await estimate())
  // Where twice as many are estimated, time would run out, or the limit be reached.
  if (countWithin && estimated <= 2 * countedInTime) {
    const exact = await countWithin(countedInTime + 1, countMilliseconds)
    if (exact !== null && exact <= countedInTime) return { total: exact }
    return { total: Math.max(estimated, exact ?? 0), totalIsEstimate: true }
  }
  return { total: estimated, totalIsEstimate: true }
}

/** A page by its number: where it begins, how many rows it has, and whether others follow. */
interface NumberedPage { offset: number; rows: number; hasMore: boolean }

/** The total as a page bears it out: never below what the pages hold, and exact where this is the last one. */
export function bornOut({ total, totalIsEstimate }: Total, { offset, rows, hasMore }: NumberedPage): Total {
  const held = offset + rows
  if (totalIsEstimate && rows > 0 && !hasMore) return { total: held }
  return { total: Math.max(total, rows > 0 ? held + Number(hasMore) : 0), ...(totalIsEstimate && { totalIsEstimate }) }
}
