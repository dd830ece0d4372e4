import type { Knex } from 'knex'
import { isBatchedToken, isPoints, isRecord, isSingleToken } from '../../acts/conditions.ts'
import type { ChainOperationState } from '../../port.ts'
import { queryRows } from './rows.ts'

/** Each of these conditions has an index of queued operations. */
const queuedConditions = [isBatchedToken, isSingleToken, isRecord, isPoints]

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
    ${queuedConditions
      .map(
        (isKind) => `select network, 'queued' as state, count(*)::float8 as count from chain_operations
      where status = 'queued' and ${isKind('kind')} group by network`,
      )
      .join(' union all ')}
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

/** Reads how far operations are, by their ids, and the transactions that blocks have of them. */
export async function readOperationStates(
  db: Knex,
  ids: readonly string[],
): Promise<Map<string, { state: ChainOperationState; transactionHash: string | null }>> {
  const rows = await queryRows<{ id: string; state: ChainOperationState; transactionHash: string | null }>(
    db,
    `select o.id, case o.status when 'sent' then t.status else o.status end as state, t.hash as "transactionHash"
    from chain_operations o left join chain_transactions t on t.id = o.transaction where o.id = any(?::text[])`,
    [ids],
  )
  return new Map(rows.map(({ id, state, transactionHash }) => [id, { state, transactionHash }]))
}
