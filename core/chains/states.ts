import type { Knex } from 'knex'
import { rowsOf } from './rows.ts'

export const operationStates = ['queued', 'signed', 'submitted', 'included', 'final', 'failed'] as const
export type OperationState = (typeof operationStates)[number]

/** Chain operations by network and state, for the metrics. Final ones are counted where they become so, not here. */
export async function chainStates(db: Knex): Promise<{ network: string; state: OperationState; count: number }[]> {
  return rowsOf(db, `
    select network, 'queued' as state, count(*)::float8 as count from chain_operations
      where status = 'queued' and kind = 'mintToIssuer' group by network
    union all select network, 'queued', count(*)::float8 from chain_operations
      where status = 'queued' and kind <> 'mintToIssuer' group by network
    union all select t.network, t.status, count(*)::float8 from chain_transactions t
      join chain_operations o on o.transaction = t.id
      where t.status in ('signed', 'submitted', 'included') group by t.network, t.status
    union all select network, 'final', sum(final)::float8 from chain_senders group by network
    union all select network, 'failed', count(*)::float8 from chain_operations where status = 'failed' group by network
  `).then((rows) => added(rows as { network: string; state: OperationState; count: number }[]))
}

function added(rows: readonly { network: string; state: OperationState; count: number }[]) {
  const sums = new Map<string, { network: string; state: OperationState; count: number }>()
  for (const { network, state, count } of rows) {
    const key = `${network} ${state}`
    sums.set(key, { network, state, count: count + (sums.get(key)?.count ?? 0) })
  }
  return [...sums.values()]
}
