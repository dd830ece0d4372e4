import type { Knex } from 'knex'
import type { TokenOperationKind, TokenOutcome, TokenOutcomeHandler } from '../../../chains/port.ts'
import type { JobError } from '../../../kernel/job.ts'
import type { Context } from '../../../kernel/work.ts'
import { readJobs } from '../../../queue/engine/rows.ts'
import { recordTallies } from '../../events/index.ts'
import { settleClaims } from './settle.claims.ts'
import { settleOffers } from '../offers/index.ts'
import { parseTokenBytes, releaseMints, tokenBytesSql, type TokenFacts, updateTokens } from '../passports/index.ts'
import { recordTransfers } from '../tokens/index.ts'

/** What dpp does with the outcome of each kind of operation: a new kind does not compile until it is said here. */
const rules: Record<TokenOperationKind, { makesToken: boolean; advances: 'job' | 'claim' | 'offer' }> = {
  mintToIssuer: { makesToken: true, advances: 'job' },
  mintTo: { makesToken: true, advances: 'claim' },
  transferTo: { makesToken: false, advances: 'claim' },
  passOn: { makesToken: false, advances: 'offer' },
}

/**
 * Creates the handler that stores the outcomes of token operations in the transaction that records them. It always
 * stores owners and hashes; whatever may happen only once (counts, events, states) it stores only for operations that
 * are settled for the first time.
 */
export function settlePassports(context: Context): TokenOutcomeHandler {
  return async (trx, outcomes) => {
    await lockPassports(trx, outcomes)
    const final = outcomes.filter((outcome) => outcome.status === 'final')
    const failed = outcomes.filter((outcome) => outcome.status === 'failed')
    const known = await recordTransfers(trx, final)
    const fresh = final.filter((outcome) => !known.has(outcome.id))
    await storeTokens(trx, final, fresh)
    await countMinted(trx, fresh)
    await releaseFailedMints(trx, failed)
    const [first] = outcomes
    if (first === undefined) return
    const { advances } = rules[first.kind]
    if (advances === 'job') await advanceBatches(trx, context, fresh, failed)
    else if (advances === 'claim') await settleClaims(trx, context, { final, fresh, failed })
    else await settleOffers(trx, context, { final, fresh, failed })
  }
}

/** Locks passports in the order of their ids, as every writer of many passports does. */
async function lockPassports(trx: Knex, outcomes: readonly TokenOutcome[]): Promise<void> {
  await trx.raw(`select from passports where ${tokenBytesSql} = any(?::bytea[]) order by id for update`, [
    outcomes.map((one) => parseTokenBytes(one.tokenId)),
  ])
}

/**
 * Stores the contract, the mint and the owner of tokens as the chain has them. Settling an operation again does not
 * bring back an earlier owner.
 */
async function storeTokens(trx: Knex, final: readonly TokenOutcome[], fresh: readonly TokenOutcome[]): Promise<void> {
  if (final.length === 0) return
  const isFresh = new Set(fresh)
  const tokens = final.map((outcome): TokenFacts => {
    const { tokenId } = outcome
    const owner = isFresh.has(outcome) ? outcome.owner : null
    if (!rules[outcome.kind].makesToken)
      return { tokenId, owner, contract: null, transactionHash: null, mintedAt: null }
    const { contract, transactionHash, at } = outcome
    return { tokenId, owner, contract, transactionHash, mintedAt: at }
  })
  await updateTokens(trx, tokens)
}

/** Counts the tokens that were made. All outcomes are of one application. */
async function countMinted(trx: Knex, fresh: readonly TokenOutcome[]): Promise<void> {
  const minted = fresh.filter(({ kind }) => rules[kind].makesToken)
  const [first] = minted
  if (!first) return
  const { organization, application } = first
  await recordTallies(trx, [{ organization, application, code: 'passportsMinted', number: minted.length }])
}

/** Releases passports whose mint failed for good. */
async function releaseFailedMints(trx: Knex, failed: readonly TokenOutcome[]): Promise<void> {
  const mints = failed.filter((outcome) => rules[outcome.kind].makesToken)
  if (mints.length === 0) return
  await releaseMints(
    trx,
    mints.map(({ tokenId }) => tokenId),
  )
}

async function advanceBatches(
  trx: Knex,
  context: Context,
  fresh: readonly TokenOutcome[],
  failed: readonly TokenOutcome[],
): Promise<void> {
  const done = Map.groupBy(fresh, ({ job }) => job)
  const wrong = Map.groupBy(failed, ({ job }) => job)
  const jobs = [...new Set([...done.keys(), ...wrong.keys()])].sort()
  await trx.raw('select from jobs where id = any(?::uuid[]) order by id for update', [jobs])
  if (done.size > 0)
    await context.queue.countCompletedUnits(trx, new Map([...done].map(([job, units]) => [job, units.length])))
  for (const [job, units] of wrong) {
    await context.queue.advanceJob(trx, job, { failed: units.length, errors: units.map(mintError) })
  }
  const ended = (await readJobs(trx, jobs)).filter(({ completed, failed, total }) => completed + failed >= total)
  if (ended.length > 0) await context.queue.wakeJobs(trx, ...ended.map(({ id }) => id))
}

function mintError({ line, reason }: TokenOutcome): JobError {
  return { line, code: 'MINT_FAILED', message: reason ?? 'The chain refused the mint.' }
}
