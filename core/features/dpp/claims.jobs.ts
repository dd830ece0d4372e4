import type { Knex } from 'knex'
import { faultPoint } from '../../kernel/fault.ts'
import { job, type Outcome } from '../../kernel/job.ts'
import type { Context } from '../../kernel/work.ts'
import { ensureAccount, type AccountModel } from '../accounts/index.ts'
import { releaseClaim, type ClaimPayload } from './claims.ts'
import { ClaimRow } from './claims.model.ts'
import { patience } from './mint.jobs.ts'
import { PassportRow } from './passports.model.ts'
import { describeWithdrawal, withdrawalOf } from './withdrawals/withdrawals.ts'

/** Seconds between two looks at a batch mint that a claim has to wait for. */
const mintPatience = 2

/**
 * Gives a claimed passport to its claimer. A run before the chain operation is queued makes the account (outside any
 * transaction: the signer is asked), then queues; runs after it only look what the sender has settled.
 */
export const claimJob = job<ClaimPayload>({
  type: 'claim',
  permission: 'dpp:read',
  attempts: 20,
  async run({ id, payload }, { context, step }) {
    const claim = await findClaim(context.db, payload.claim)
    if (claim.status !== 'pending') return ended(context.db, claim)
    if (claim.operation !== null) return { status: 'waiting', seconds: patience }
    const { application, network } = await findPassport(context.db, claim.passport)
    const account = await ensureAccount(context, { application, network, user: claim.endUser })
    faultPoint('unit.between', { job: id, step: 'account' })
    const outcome = await step((trx) => queueClaim(trx, context, claim, account))
    faultPoint('unit.between', { job: id, step: 'queue' })
    context.chains.ring(network)
    return outcome
  },
  /** A claim whose operation is queued stays pending: the sender will still settle it. */
  async abandon(trx, { payload }) {
    const claim = await ClaimRow.query(trx).findById(payload.claim).forUpdate()
    if (claim && claim.operation === null) await releaseClaim(trx, claim.id, 'The claim could not be carried out.')
  },
})

async function findClaim(db: Knex, id: string): Promise<ClaimRow> {
  const claim = await ClaimRow.query(db).findById(id)
  if (!claim) throw new Error(`Claim ${id} is gone`)
  return claim
}

async function findPassport(db: Knex, id: string): Promise<PassportRow> {
  const row = await PassportRow.query(db).modify('shown').findById(id)
  if (!row) throw new Error(`Passport ${id} is gone`)
  return row
}

async function ended(db: Knex, { passport, status, transactionHash, reason }: ClaimRow): Promise<Outcome> {
  if (status === 'failed') return { status: 'failed', code: 'CLAIM_FAILED', message: reason ?? 'The claim failed.' }
  const { tokenId } = await findPassport(db, passport)
  return { status: 'completed', result: { transactionHash, tokenId, passport } }
}

const unclaimable = (message: string): Outcome => ({ status: 'failed', code: 'DPP_PASSPORT_NOT_CLAIMABLE', message })

/** Queues the mint to the claimer, or the transfer of a token that is minted already. */
async function queueClaim(
  trx: Knex,
  context: Context,
  { id, job, passport }: ClaimRow,
  account: Pick<AccountModel, 'id' | 'network' | 'address'>,
): Promise<Outcome> {
  const row = await PassportRow.query(trx).modify('shown').findById(passport).forUpdate()
  if (row?.status !== 'published') return unclaimable('The passport was archived before it could be handed over.')
  const withdrawal = await withdrawalOf(trx, passport)
  if (withdrawal) return unclaimable(`The passport cannot be handed over: ${describeWithdrawal(withdrawal)}.`)
  // The sheet moved to another network since the account was made.
  if (row.network !== account.network) return { status: 'waiting', seconds: 0 }
  const minted = row.tokenTransaction !== null
  if (!minted && row.mintQueuedAt !== null) return { status: 'waiting', seconds: mintPatience }
  const kind = minted ? 'transferTo' as const : 'mintTo' as const
  const operation = `claim:${id}`
  const { organization, application, network, tokenId } = row
  await context.chains.queue(trx, row.applicationName, [
    { id: operation, organization, application, network, kind, tokenId, to: account.address, job, line: 0 },
  ])
  await ClaimRow.query(trx).findById(id).patch({ account: account.id, kind, operation })
  if (!minted) await trx('passports').where({ id: passport }).update({ mint_queued_at: trx.fn.now() })
  return { status: 'waiting', seconds: patience }
}
