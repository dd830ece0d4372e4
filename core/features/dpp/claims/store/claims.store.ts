import type { Knex } from 'knex'
import { ClaimRow } from '../claims.model.ts'
import { claimStatus } from './claims.machine.ts'

type NewClaimRow = Pick<ClaimRow, 'id' | 'organization' | 'application' | 'passport' | 'job' | 'endUser' | 'account'>

/** Inserts a claim, which is pending. */
export async function insertClaim(trx: Knex, claim: NewClaimRow): Promise<void> {
  await ClaimRow.query(trx).insert(claim)
}

/**
 * The SQL of when accounts first claimed a passport: `organization`, `owner` (the account), `oldest`. Binding: the time
 * before which a claim was accepted.
 */
export const firstClaimsSql = `
  select organization, account as owner, min(created_at) as oldest from claims
  where account is not null and created_at < ?::timestamptz group by organization, account`

/** Stores the chain operation that carries out a claim, and the account that receives the token. */
export async function assignOperation(
  trx: Knex,
  id: string,
  operation: Pick<ClaimRow, 'account' | 'kind' | 'operation'>,
): Promise<void> {
  await ClaimRow.query(trx).findById(id).patch(operation)
}

/** Stores the transactions of operations, also of claims that have ended, because a reorganization may change them. */
export async function updateTransactions(
  trx: Knex,
  transactions: readonly { operation: string; hash: string | null }[],
): Promise<void> {
  await trx.raw(
    `update claims set transaction_hash = settled.hash, updated_at = now()
     from unnest(?::text[], ?::text[]) as settled (operation, hash) where claims.operation = settled.operation`,
    [transactions.map(({ operation }) => operation), transactions.map(({ hash }) => hash)] as Knex.RawBinding[],
  )
}

/**
 * Completes the pending claims of these operations.
 * @returns the claims that were pending
 */
export async function completeClaims(trx: Knex, operations: readonly string[]): Promise<ClaimRow[]> {
  const { from } = claimStatus.moves.complete
  const completed = ClaimRow.query(trx)
    .patch({ status: claimStatus.moves.complete.to })
    .whereRaw('operation = any(?::text[])', [operations as string[]])
    .whereIn('status', from as string[])
    .returning('*')
  return (await completed) as unknown as ClaimRow[]
}

/** Fails a pending claim. @returns whether it was pending */
export async function failClaim(trx: Knex, id: string, reason: string): Promise<boolean> {
  const { from } = claimStatus.moves.fail
  const failed = await ClaimRow.query(trx)
    .findById(id)
    .whereIn('status', from as string[])
    .patch({ status: claimStatus.moves.fail.to, reason })
  return failed > 0
}

/** Locks a person's pending claims in an application that have no chain operation yet, in the order of their ids. */
export async function listUnqueuedClaims(trx: Knex, application: string, endUser: string): Promise<ClaimRow[]> {
  const { from } = claimStatus.moves.fail
  return ClaimRow.query(trx)
    .where({ application, end_user: endUser })
    .whereIn('status', from as string[])
    .whereNull('operation')
    .orderBy('id')
    .forUpdate()
}
