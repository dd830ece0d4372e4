import type { Knex } from 'knex'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import { declareJob, type JobOutcome } from '../../../kernel/job.ts'
import type { Context } from '../../../kernel/work.ts'
import { countWallet, ensureAccount, type AccountModel } from '../../accounts/index.ts'
import { releaseClaim, type ClaimPayload } from './claims.ts'
import { ClaimRow } from './claims.model.ts'
import { assignOperation } from './store/claims.store.ts'
import { jobIntervalSeconds } from '../content/index.ts'
import { describeWithdrawal, findWithdrawal, PassportRow, passportStatus, queueMint } from '../passports/index.ts'

/** The delay, in seconds, after which a claim checks again whether a batch mint that it waits for has ended. */
const mintIntervalSeconds = 2

/**
 * The job that gives a claimed passport to its claimer. A run before the chain operation is queued creates the account
 * (outside any transaction, because it calls the signer), then queues the operation. Later runs only read what the
 * sender has settled.
 */
export const claimJob = declareJob<ClaimPayload>({
  type: 'claim',
  permission: 'dpp:read',
  maxAttempts: 20,
  async run({ id, payload }, { context, step }) {
    const claim = await readClaim(context.db, payload.claim)
    if (claim.status !== 'pending') return getClaimOutcome(context.db, claim)
    if (claim.operation !== null) return { status: 'waiting', delaySeconds: jobIntervalSeconds }
    const { application, network } = await readClaimedPassport(context.db, claim.passport)
    const account = await ensureAccount(context, { application, network, user: claim.endUser }, async (trx) => {
      await assertPending(trx, claim.id)
    })
    hitFaultPoint('unit.between', { job: id, step: 'account' })
    const outcome = await step((trx) => queueClaim(trx, context, claim, account))
    hitFaultPoint('unit.between', { job: id, step: 'queue' })
    context.chains.wakeSender(network)
    return outcome
  },
  /**
   * Fails the claim for good, unless its operation is queued: then the claim stays pending, because the sender will
   * still settle it.
   */
  async handleFailure(trx, { payload }) {
    const claim = await ClaimRow.query(trx).findById(payload.claim).forUpdate()
    if (claim && claim.operation === null) await releaseClaim(trx, claim.id, 'The claim could not be carried out.')
  },
})

/**
 * Throws if a claim has ended meanwhile, because its person deleted the account and would get another one. The next run
 * of the job tells what became of it.
 */
async function assertPending(trx: Knex, id: string): Promise<void> {
  const claim = await ClaimRow.query(trx).findById(id).forShare()
  if (claim?.status !== 'pending') throw new Error(`Claim ${id} has ended`)
}

async function readClaim(db: Knex, id: string): Promise<ClaimRow> {
  const claim = await ClaimRow.query(db).findById(id)
  if (!claim) throw new Error(`Claim ${id} is gone`)
  return claim
}

async function readClaimedPassport(db: Knex, id: string): Promise<PassportRow> {
  const row = await PassportRow.query(db).modify('shown').findById(id)
  if (!row) throw new Error(`Passport ${id} is gone`)
  return row
}

async function getClaimOutcome(db: Knex, { passport, status, transactionHash, reason }: ClaimRow): Promise<JobOutcome> {
  if (status === 'failed') return { status: 'failed', code: 'CLAIM_FAILED', message: reason ?? 'The claim failed.' }
  const { tokenId } = await readClaimedPassport(db, passport)
  return { status: 'completed', result: { transactionHash, tokenId, passport } }
}

const createUnclaimableOutcome = (message: string): JobOutcome => ({
  status: 'failed',
  code: 'DPP_PASSPORT_NOT_CLAIMABLE',
  message,
})

/** Queues the mint to the claimer, or the transfer of a token that is minted already. */
async function queueClaim(
  trx: Knex,
  context: Context,
  { id, job, passport, endUser }: ClaimRow,
  account: Pick<AccountModel, 'id' | 'network' | 'address'>,
): Promise<JobOutcome> {
  const row = await PassportRow.query(trx).modify('shown').findById(passport).forUpdate()
  const claim = await ClaimRow.query(trx).findById(id).forUpdate()
  if (claim?.status === 'failed') return getClaimOutcome(trx, claim)
  if (!row || !passportStatus.canMove('claim', row.status))
    return createUnclaimableOutcome('The passport was archived before it could be handed over.')
  const withdrawal = await findWithdrawal(trx, passport)
  if (withdrawal)
    return createUnclaimableOutcome(`The passport cannot be handed over: ${describeWithdrawal(withdrawal)}.`)
  // The sheet moved to another network after the account was created.
  if (row.network !== account.network) return { status: 'waiting', delaySeconds: 0 }
  const minted = row.tokenTransaction !== null
  if (!minted && row.mintQueuedAt !== null) return { status: 'waiting', delaySeconds: mintIntervalSeconds }
  const kind = minted ? ('transferTo' as const) : ('mintTo' as const)
  const operation = `claim:${id}`
  const { organization, application, network, tokenId } = row
  // There was no account on this network when the claim was accepted.
  if (claim?.account !== account.id)
    await countWallet(trx, context, { application, network, user: endUser }, { isForced: true })
  await context.chains.queueOperations(trx, row.applicationName, [
    { id: operation, organization, application, network, kind, tokenId, to: account.address, job, line: 0 },
  ])
  await assignOperation(trx, id, { account: account.id, kind, operation })
  if (!minted) await queueMint(trx, passport)
  return { status: 'waiting', delaySeconds: jobIntervalSeconds }
}
