import type { Knex } from 'knex'
import type { Settle, Settled } from '../../chains/chain.ts'
import type { JobError } from '../../kernel/job.ts'
import type { Context } from '../../kernel/work.ts'
import { readJobs } from '../../queue/rows.ts'
import { settleClaims } from './settle.claims.ts'
import { recordTransfers } from './ownership.ts'
import { bytesOfToken, tokenBytes } from './tokens.ts'

/**
 * Writes what became of tokens, in the transaction that records the outcomes: owners and hashes always, everything
 * that may happen only once (counts, events, states) for operations that are settled for the first time.
 */
export function settlePassports(context: Context): Settle {
  return async (trx, outcomes) => {
    await lockPassports(trx, outcomes)
    const final = outcomes.filter((outcome) => outcome.status === 'final')
    const failed = outcomes.filter((outcome) => outcome.status === 'failed')
    const known = await recordTransfers(trx, final)
    const fresh = final.filter((outcome) => !known.has(outcome.id))
    await recordTokens(trx, final, fresh)
    await freeFailed(trx, failed)
    if (outcomes[0]?.kind === 'mintToIssuer') await advanceBatches(trx, context, fresh, failed)
    else await settleClaims(trx, context, { final, fresh, failed })
  }
}

/** In the order of ids, as every writer of many passports does. */
async function lockPassports(trx: Knex, outcomes: readonly Settled[]): Promise<void> {
  await trx.raw(`select from passports where ${tokenBytes} = any(?::bytea[]) order by id for update`, [
    outcomes.map((one) => bytesOfToken(one.tokenId)),
  ])
}

/** Contract and mint as the chain has them. The owner of an earlier state is not brought back by settling it again. */
async function recordTokens(trx: Knex, final: readonly Settled[], fresh: readonly Settled[]): Promise<void> {
  if (final.length === 0) return
  const isFresh = new Set(fresh)
  const ofMint = <T>(read: (outcome: Settled) => T) =>
    final.map((one) => (one.kind === 'transferTo' ? null : read(one)))
  await trx.raw(
    `update passports set token_contract = coalesce(token.contract, token_contract),
       token_transaction = coalesce(token.hash, token_transaction), minted_at = coalesce(token.at, minted_at),
       token_owner = coalesce(token.owner, token_owner), updated_at = now()
     from unnest(?::bytea[], ?::text[], ?::text[], ?::timestamptz[], ?::text[]) as token (id, contract, hash, at, owner)
     where ${tokenBytes} = token.id`,
    [
      final.map((one) => bytesOfToken(one.tokenId)),
      ofMint((one) => one.contract),
      ofMint((one) => one.transactionHash),
      ofMint((one) => one.at),
      final.map((one) => (isFresh.has(one) ? one.owner : null)),
    ] as Knex.RawBinding[],
  )
}

/** A mint that will never happen holds nothing back: the passport can be claimed afresh, or deleted. */
async function freeFailed(trx: Knex, failed: readonly Settled[]): Promise<void> {
  const mints = failed.filter((outcome) => outcome.kind !== 'transferTo')
  if (mints.length === 0) return
  await trx.raw(
    `update passports set mint_queued_at = null, updated_at = now()
     where ${tokenBytes} = any(?::bytea[]) and token_transaction is null`,
    [mints.map((one) => bytesOfToken(one.tokenId))])
}

async function advanceBatches(
  trx: Knex,
  context: Context,
  fresh: readonly Settled[],
  failed: readonly Settled[],
): Promise<void> {
  const done = Map.groupBy(fresh, ({ job }) => job)
  const wrong = Map.groupBy(failed, ({ job }) => job)
  const jobs = [...new Set([...done.keys(), ...wrong.keys()])].sort()
  await trx.raw('select from jobs where id = any(?::uuid[]) order by id for update', [jobs])
  if (done.size > 0) await context.queue.advanceAll(trx, new Map([...done].map(([job, units]) => [job, units.length])))
  for (const [job, units] of wrong) {
    await context.queue.advance(trx, job, { failed: units.length, errors: units.map(mintError) })
  }
  const ended = (await readJobs(trx, jobs)).filter(({ completed, failed, total }) => completed + failed >= total)
  if (ended.length > 0) await context.queue.wake(trx, ...ended.map(({ id }) => id))
}

function mintError({ line, reason }: Settled): JobError {
  return { line, code: 'MINT_FAILED', message: reason ?? 'The chain refused the mint.' }
}
