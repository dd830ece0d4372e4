import type { Knex } from 'knex'
import type { Settled } from '../../chains/chain.ts'
import type { Context } from '../../kernel/work.ts'
import { releaseClaim } from './claims.ts'
import { ClaimRow } from './claims.model.ts'
import { recordEventsOf, recordPassportEvents } from './passports.events.ts'

interface Outcomes { final: readonly Settled[]; fresh: readonly Settled[]; failed: readonly Settled[] }

/** Ends the claims whose mint or transfer was settled. The woken jobs tell their readers. */
export async function settleClaims(trx: Knex, context: Context, { final, fresh, failed }: Outcomes): Promise<void> {
  await trx.raw(
    `update claims set transaction_hash = settled.hash, updated_at = now()
     from unnest(?::text[], ?::text[]) as settled (operation, hash) where claims.operation = settled.operation`,
    [final.map((one) => one.id), final.map((one) => one.transactionHash)] as Knex.RawBinding[],
  )
  const completed = (await ClaimRow.query(trx)
    .patch({ status: 'completed' })
    .whereRaw('operation = any(?::text[])', [fresh.map((one) => one.id)])
    .where('status', 'pending')
    .returning('*')) as unknown as ClaimRow[]
  await handOver(trx, completed)
  await context.queue.advanceAll(trx, new Map(completed.map(({ job }) => [job, 1])))
  for (const { id, reason } of failed) {
    const claim = await ClaimRow.query(trx).findOne({ operation: id })
    if (claim) await releaseClaim(trx, claim.id, reason ?? 'The chain refused the transaction.')
  }
  await context.queue.wake(trx, ...[...fresh, ...failed].map((outcome) => outcome.job))
  const isFresh = new Set(fresh)
  const again = final.filter((one) => !isFresh.has(one))
  await context.queue.amend(trx, again.map(({ job, transactionHash }) => ({ job, result: { transactionHash } })))
}

/** The passports are their claimers' now. One that was archived meanwhile stays archived. */
async function handOver(trx: Knex, claims: readonly ClaimRow[]): Promise<void> {
  if (claims.length === 0) return
  await trx.raw(
    `update passports set minted_to = claim.account, updated_at = now(),
       status = case passports.status when 'published' then 'claimed' else passports.status end
     from unnest(?::uuid[], ?::uuid[]) as claim (passport, account) where passports.id = claim.passport`,
    [claims.map((claim) => claim.passport), claims.map((claim) => claim.account)] as Knex.RawBinding[],
  )
  const rows = await recordEventsOf(trx, 'claim', claims.map((claim) => claim.passport))
  const moved = new Set(claims.filter((claim) => claim.kind === 'transferTo').map((claim) => claim.passport))
  await recordPassportEvents(trx, 'transfer', rows.filter((row) => moved.has(row.id)))
}
