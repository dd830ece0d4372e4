import type { Knex } from 'knex'
import type { SettledRecord, SettleRecords } from '../../chains/chain.ts'
import type { Context } from '../../kernel/work.ts'
import { readJobs } from '../../queue/rows.ts'
import { keyOfRecord, settleReceipt } from './issuer-keys/receipts.ts'
import { queueRevocation } from './keys.records.ts'
import { lockKeys, type KeyRow } from './keys.rows.ts'
import { retireActive } from './keys.rotate.ts'

type RevocableRow = KeyRow & { compromised_at: Date | null }

/** Why a key was revoked that no network took. */
const refused = 'No network registered the key.'

/**
 * Writes what became of keys on chains, in the transaction that records the outcomes. States of keys change, and jobs
 * count, at the first outcome of a record only; after a reorganization the hashes become others and nothing else.
 */
export function settleKeys(context: Context): SettleRecords {
  return async (trx, outcomes) => {
    // In one order everywhere, so that no two wait for each other.
    const organizations = [...new Set(outcomes.map((outcome) => outcome.organization))].sort()
    for (const organization of organizations) await lockKeys(trx, organization)
    const fresh: SettledRecord[] = []
    for (const outcome of outcomes) {
      const isFresh = await settleReceipt(trx, outcome)
      await (outcome.kind === 'revokeKey' ? noteRevocation(trx, outcome) : noteRegistration(trx, outcome))
      if (isFresh) fresh.push(outcome)
      if (isFresh && outcome.kind !== 'revokeKey') await moveKey(trx, context, outcome)
    }
    await tellJobs(trx, context, outcomes, fresh)
  }
}

async function noteRegistration(trx: Knex, { id, network, status, transactionHash }: SettledRecord): Promise<void> {
  await trx('certification_key_registrations').where({ key: keyOfRecord(id), network })
    .update({ status: status === 'final' ? 'registered' : 'failed', transaction_hash: transactionHash })
}

async function noteRevocation(trx: Knex, { id, network, status, transactionHash }: SettledRecord): Promise<void> {
  await trx('certification_key_registrations').where({ key: keyOfRecord(id), network })
    .update({ revocation: status, revocation_hash: transactionHash })
}

/** The first network that has a waiting key makes it active; when the last one refuses it, it is given up. */
async function moveKey(trx: Knex, context: Context, outcome: SettledRecord): Promise<void> {
  const id = keyOfRecord(outcome.id)
  const key = await trx<RevocableRow>('certification_keys').where({ id }).first()
  if (key?.status === 'revoked' && outcome.status === 'final') await queueRevocation(trx, context, key)
  if (key?.status !== 'pending') return
  if (outcome.status === 'final') {
    await retireActive(trx, key.organization)
    await trx('certification_keys').where({ id }).update({ status: 'active' })
  } else if (await isRefusedEverywhere(trx, id)) {
    await trx('certification_keys')
      .where({ id })
      .update({ status: 'revoked', revoked_at: trx.fn.now(), revoked_reason: refused })
  }
}

async function isRefusedEverywhere(trx: Knex, key: string): Promise<boolean> {
  const hopeful = await trx('certification_key_registrations')
    .where({ key })
    .whereNot({ status: 'failed' })
    .first('key')
  return hopeful === undefined
}

/** Only jobs of this feature: a record may belong to the job of whoever needed the key on a network. */
async function tellJobs(
  trx: Knex,
  context: Context,
  outcomes: readonly SettledRecord[],
  fresh: readonly SettledRecord[],
): Promise<void> {
  const rows = await readJobs(trx, [...new Set(outcomes.map((outcome) => outcome.job))].sort())
  const own = new Set(rows.filter(({ type }) => type === 'rotate').map(({ id }) => id))
  for (const { job, status, reason } of fresh.filter((outcome) => own.has(outcome.job))) {
    const message = reason ?? 'The chain refused the change of the key.'
    await context.queue.advance(
      trx,
      job,
      status === 'final' ? { completed: 1 } : { failed: 1, errors: [{ line: 0, code: 'ROTATE_FAILED', message }] },
    )
    await context.queue.wake(trx, job)
  }
  const again = outcomes.filter((outcome) => own.has(outcome.job) && !fresh.includes(outcome))
  await context.queue.amend(
    trx,
    again.map(({ job, transactionHash }) => ({ job, result: { transactionHash } })),
  )
}
