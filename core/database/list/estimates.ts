import { createRecentCache, type RecentCache } from '../../kernel/process/recent-cache.ts'
import type { DirectDatabase } from '../connection.ts'
import { computeTotal, type ListTotal, type RowCounter } from './total.ts'

/** How long an estimate is answered again before it is made anew, in milliseconds. */
const estimateLifetimeMs = 5_000
/** Maximum number of estimates that are kept for a database. */
const maxEstimates = 1_000

interface KeptEstimate {
  total: ListTotal
  /** The time of the process (`performance.now`) from which it does not count any more. */
  expiresAt: number
}

const estimates = new WeakMap<DirectDatabase, RecentCache<KeptEstimate>>()

/**
 * Computes the total of a list, or answers the estimate again that the same statement had some seconds ago: counting
 * thousands of rows for each page costs more than the page. An exact total is never kept.
 * @param key the statement with its values @param readClock the time in milliseconds, which never goes back
 */
export async function computeKeptTotal(
  direct: DirectDatabase,
  key: string,
  counter: RowCounter,
  readClock: () => number = () => performance.now(),
): Promise<ListTotal> {
  const known = estimates.get(direct) ?? createRecentCache<KeptEstimate>(maxEstimates)
  estimates.set(direct, known)
  const kept = known.get(key)
  if (kept && kept.expiresAt > readClock()) return kept.total
  const total = await computeTotal(counter)
  if (total.totalIsEstimate) known.set(key, { total, expiresAt: readClock() + estimateLifetimeMs })
  return total
}
