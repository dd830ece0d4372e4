import type { Knex } from 'knex'
import type { RecordOutcome, RecordOutcomeHandler } from '../../../chains/port.ts'
import type { Context } from '../../../kernel/work.ts'
import { readJobs } from '../../../queue/engine/rows.ts'
import { parseKeyOfRecord, settleReceipt } from './receipts.ts'
import { queueRevocation } from './keys.records.ts'
import { activateKey, type KeyRow, lockKeys, revokeUnusedKey, rotateActiveKey } from '../keys/index.ts'

type RevocableRow = KeyRow & { compromised_at: Date | null }

/** Reason of the revocation of a key that no network registered. */
const refusedReason = 'No network registered the key.'

/**
 * Creates the handler that records the outcomes of key records, in the transaction that records the chain outcomes.
 * Only the first outcome of a record changes states of keys and advances jobs; after a reorganization only the hashes
 * change.
 */
export function createKeySettler(context: Context): RecordOutcomeHandler {
  return async (trx, outcomes) => {
    // All transactions lock in the same order, which avoids deadlocks.
    const organizations = [...new Set(outcomes.map((outcome) => outcome.organization))].sort()
    for (const organization of organizations) await lockKeys(trx, organization)
    const firstOutcomes: RecordOutcome[] = []
    for (const outcome of outcomes) {
      const isFirst = await settleReceipt(trx, outcome)
      await (outcome.kind === 'revokeKey' ? updateRevocation(trx, outcome) : updateRegistration(trx, outcome))
      if (isFirst) firstOutcomes.push(outcome)
      if (isFirst && outcome.kind !== 'revokeKey') await settleKeyStatus(trx, context, outcome)
    }
    await advanceJobs(trx, context, outcomes, firstOutcomes)
  }
}

async function updateRegistration(trx: Knex, { id, network, status, transactionHash }: RecordOutcome): Promise<void> {
  await trx('certification_key_registrations')
    .where({ key: parseKeyOfRecord(id), network })
    .update({ status: status === 'final' ? 'registered' : 'failed', transaction_hash: transactionHash })
}

async function updateRevocation(trx: Knex, { id, network, status, transactionHash }: RecordOutcome): Promise<void> {
  await trx('certification_key_registrations')
    .where({ key: parseKeyOfRecord(id), network })
    .update({ revocation: status, revocation_hash: transactionHash })
}

/**
 * Settles the state of a key: the first network that registers a pending key makes it active; if every network refuses
 * it, it is revoked. If a key was revoked in the meantime, its revocation is queued for this network.
 */
async function settleKeyStatus(trx: Knex, context: Context, outcome: RecordOutcome): Promise<void> {
  const id = parseKeyOfRecord(outcome.id)
  const key = await trx<RevocableRow>('certification_keys').where({ id }).first()
  if (key?.status === 'revoked' && outcome.status === 'final') await queueRevocation(trx, context, key)
  if (key?.status !== 'pending') return
  if (outcome.status === 'final') {
    await rotateActiveKey(trx, key.organization)
    await activateKey(trx, id)
  } else if (await isRefusedEverywhere(trx, id)) {
    await revokeUnusedKey(trx, id, refusedReason)
  }
}

async function isRefusedEverywhere(trx: Knex, key: string): Promise<boolean> {
  const openRegistration = await trx('certification_key_registrations')
    .where({ key })
    .whereNot({ status: 'failed' })
    .first('key')
  return openRegistration === undefined
}

/**
 * Advances the jobs of this feature only: a record may belong to the job of another feature that needed the key on a
 * network.
 */
async function advanceJobs(
  trx: Knex,
  context: Context,
  outcomes: readonly RecordOutcome[],
  firstOutcomes: readonly RecordOutcome[],
): Promise<void> {
  const rows = await readJobs(trx, [...new Set(outcomes.map((outcome) => outcome.job))].sort())
  const ownJobs = new Set(rows.filter(({ type }) => type === 'rotate').map(({ id }) => id))
  for (const { job, status, reason } of firstOutcomes.filter((outcome) => ownJobs.has(outcome.job))) {
    const message = reason ?? 'The chain refused the change of the key.'
    await context.queue.advanceJob(
      trx,
      job,
      status === 'final' ? { completed: 1 } : { failed: 1, errors: [{ line: 0, code: 'ROTATE_FAILED', message }] },
    )
    await context.queue.wakeJobs(trx, job)
  }
  const repeatedOutcomes = outcomes.filter((outcome) => ownJobs.has(outcome.job) && !firstOutcomes.includes(outcome))
  await context.queue.amendResults(
    trx,
    repeatedOutcomes.map(({ job, transactionHash }) => ({ job, result: { transactionHash } })),
  )
}
