import type { DirectDatabase } from '../connection.ts'
import type { RowCounter } from './total.ts'

/** A statement that selects the rows to count, with the driver's placeholders. */
export interface MatchingStatement {
  text: string
  values: readonly unknown[]
}

/**
 * Creates the counter of a statement's rows.
 * @param mayInterrupt whether a count may be canceled; in a transaction it may not, because that would end the
 * transaction
 */
export function createRowCounter(
  direct: DirectDatabase,
  { text, values }: MatchingStatement,
  mayInterrupt: boolean,
): RowCounter {
  const createCount = (limit: number) => ({ text: `select count(*) as count from (${text} limit ${limit}) matching` })
  return {
    async count(limit) {
      const [counted] = await direct.queryRows<{ count: number }>(createCount(limit), values)
      return counted?.count ?? 0
    },
    ...(mayInterrupt && {
      async countWithin(limit: number, timeoutMs: number) {
        const rows = await direct.queryRowsWithin<{ count: number }>(timeoutMs, createCount(limit), values)
        return rows && (rows[0]?.count ?? 0)
      },
    }),
    async estimate() {
      const [plan] = await direct.queryRows<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
        { text: `explain (format json) ${text}` },
        values,
      )
      return Math.round(plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0)
    },
  }
}
