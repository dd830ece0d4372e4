import type { Knex } from 'knex'
import type { ChainRecordKind, PointsOperationKind, TokenOperationKind } from '../../../../core/chains/port.ts'

export type ChainOperationStatus = 'queued' | 'sent' | 'final' | 'failed'

export interface ChainOperationFilter {
  id?: string
  organization?: string
  application?: string
  kind?: TokenOperationKind | ChainRecordKind | PointsOperationKind
  status?: ChainOperationStatus
}

/** Counts the operations of chains that features have queued. */
export async function countChainOperations(db: Knex, filter: ChainOperationFilter): Promise<number> {
  const [row] = await db('chain_operations').where(filter).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Counts the operations that have no outcome yet. */
export async function countOpenChainOperations(db: Knex): Promise<number> {
  const [row] = await db('chain_operations').whereIn('status', ['queued', 'sent']).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Counts those of the operations whose transaction was sent to the node and is in no block yet. */
export async function countSubmittedChainOperations(db: Knex, ids: readonly string[]): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*)::int as count from chain_transactions t join chain_operations o on o.transaction = t.id
     where t.status = 'submitted' and o.id = any(?::text[])`,
    [[...ids]],
  )
  return rows[0].count
}

/** Lists how far each of the operations is. */
export async function listChainOperationStatuses(db: Knex, ids: readonly string[]): Promise<ChainOperationStatus[]> {
  return db('chain_operations').whereIn('id', ids).pluck<ChainOperationStatus[]>('status')
}

/** Reads how often the node refused the transaction of an operation. */
export async function readRefusals(db: Knex, id: string): Promise<number> {
  const row = await db('chain_operations').where({ id }).first<{ refusals: number } | undefined>('refusals')
  if (!row) throw new Error(`There is no operation ${id}`)
  return row.refusals
}

/** Moves the times at which all operations were queued into the future, as if the clock had been put back since then. */
export async function postdateChainOperations(db: Knex, { minutes }: { minutes: number }): Promise<void> {
  await db.raw('update chain_operations set created_at = now() + make_interval(mins => ?)', [minutes])
}

/** Deletes operations, as if no feature had queued them: nothing justifies them any more. */
export async function deleteChainOperations(db: Knex, ids: readonly string[]): Promise<void> {
  await db('chain_operations').whereIn('id', ids).delete()
}
