import type { Knex } from 'knex'
import { isBatchedToken } from '../../acts/conditions.ts'
import { queryRows } from './rows.ts'

export const chainOperationStates = ['queued', 'signed', 'submitted', 'included', 'final', 'failed'] as const
export type ChainOperationState = (typeof chainOperationStates)[number]

/**
 * Counts chain operations by network and state, for the metrics. Final operations are counted when they become final,
 * and only summed here.
 */
export async function countOperationsByState(
  db: Knex,
): Promise<{ network: string; state: ChainOperationState; count: number }[]> {
  return queryRows(
    db,
    `
    select network, 'queued' as state, count(*)::float8 as count from chain_operations
      where status = 'queued' and ${isBatchedToken('kind')} group by network
    union all select network, 'queued', count(*)::float8 from chain_operations
      where status = 'queued' and not (${isBatchedToken('kind')}) group by network
    union all select t.network, t.status, count(*)::float8 from chain_transactions t
      join chain_operations o on o.transaction = t.id
      where t.status in ('signed', 'submitted', 'included') group by t.network, t.status
    union all select network, 'final', sum(final)::float8 from chain_senders group by network
    union all select network, 'failed', count(*)::float8 from chain_operations where status = 'failed' group by network
  `,
  ).then((rows) => sumByState(rows as { network: string; state: ChainOperationState; count: number }[]))
}

function sumByState(rows: readonly { network: string; state: ChainOperationState; count: number }[]) {
  const sums = new Map<string, { network: string; state: ChainOperationState; count: number }>()
  for (const { network, state, count } of rows) {
    const key = `${network} ${state}`
    sums.set(key, { network, state, count: count + (sums.get(key)?.count ?? 0) })
  }
  return [...sums.values()]
}
