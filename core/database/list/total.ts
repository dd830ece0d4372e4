/** Number of rows up to which a total is always counted exactly. */
export const maxExactCount = 10_000
/** Number of rows up to which a total is counted exactly if that takes at most `countTimeoutMs` milliseconds. */
const maxTimedCount = 100_000
const countTimeoutMs = 50

/** The total number of rows of a list. */
export interface ListTotal {
  total: number
  totalIsEstimate?: true
}

/** The ways to find the total number of rows. */
export interface RowCounter {
  /** Counts rows up to a limit. */
  count(limit: number): Promise<number>
  /** Counts rows up to a limit, or returns null after the timeout. Absent if a statement cannot be interrupted. */
  countWithin?(limit: number, timeoutMs: number): Promise<number | null>
  /** Returns the planner's estimate of the number of rows. */
  estimate(): Promise<number>
}

/** Computes the total of a list: exact if it is small or can be counted in time, otherwise the planner's estimate. */
export async function computeTotal({ count, countWithin, estimate }: RowCounter): Promise<ListTotal> {
  const counted = await count(maxExactCount + 1)
  if (counted <= maxExactCount) return { total: counted }
  const estimated = Math.max(counted, await estimate())
  // With an estimate above twice the limit, the count would not finish in time or would exceed the limit.
  if (countWithin && estimated <= 2 * maxTimedCount) {
    const exact = await countWithin(maxTimedCount + 1, countTimeoutMs)
    if (exact !== null && exact <= maxTimedCount) return { total: exact }
    return { total: Math.max(estimated, exact ?? 0), totalIsEstimate: true }
  }
  return { total: estimated, totalIsEstimate: true }
}

/** A page by number: its offset, its number of rows, and whether more rows follow. */
interface PagePosition {
  offset: number
  rows: number
  hasMore: boolean
}

/** Adjusts a total to a page: it is never lower than the rows up to the page, and exact on the last page. */
export function adjustTotal({ total, totalIsEstimate }: ListTotal, { offset, rows, hasMore }: PagePosition): ListTotal {
  const rowsSoFar = offset + rows
  if (totalIsEstimate && rows > 0 && !hasMore) return { total: rowsSoFar }
  return {
    total: Math.max(total, rows > 0 ? rowsSoFar + Number(hasMore) : 0),
    ...(totalIsEstimate && { totalIsEstimate }),
  }
}
