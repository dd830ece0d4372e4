import type { Knex } from 'knex'
import { declareJob, type JobOutcome } from '../../../kernel/job.ts'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import type { Context } from '../../../kernel/work.ts'
import { countWallet, ensureAccount, type AccountModel } from '../../accounts/index.ts'
import { jobIntervalSeconds } from '../content/index.ts'
import { findLockedPassport, readShownPassport } from '../passports/index.ts'
import { OfferRow } from './offers.model.ts'
import { findObstacle } from './offers.rules.ts'
import { assignOfferOperation, failOffer, readOffer } from './offers.store.ts'
import type { TransferPayload } from './offers.ts'

/** Hours within which the token has to move once an offer is accepted; what the owner's wallet signs ends with them. */
const consentHours = 24

/**
 * The job that moves the token of a passport to the person who accepted it. A run before the chain operation is queued
 * creates the account (outside any transaction, because it calls the signer), then queues the operation. Later runs only
 * read what the sender has settled.
 */
export const transferJob = declareJob<TransferPayload>({
  type: 'transfer',
  permission: 'dpp:read',
  maxAttempts: 20,
  async run({ id, payload }, { context, step }) {
    const offer = await readOffer(context.db, payload.offer)
    if (offer.status !== 'accepted') return getOfferOutcome(context.db, offer)
    if (offer.operation !== null) return { status: 'waiting', delaySeconds: jobIntervalSeconds }
    const { application, network } = await readShownPassport(context.db, offer.passport)
    const user = offer.toUser ?? ''
    const account = await ensureAccount(context, { application, network, user }, (trx) => assertAccepted(trx, offer.id))
    hitFaultPoint('unit.between', { job: id, step: 'account' })
    const outcome = await step((trx) => queueTransfer(trx, context, offer.id, account))
    hitFaultPoint('unit.between', { job: id, step: 'queue' })
    context.chains.wakeSender(network)
    return outcome
  },
  /** Fails the offer for good, unless its operation is queued: then the sender will still settle it. */
  async handleFailure(trx, { payload }) {
    const offer = await OfferRow.query(trx).findById(payload.offer).forUpdate()
    if (offer && offer.operation === null) await failOffer(trx, offer.id, 'The passport could not be passed on.')
  },
})

/** Throws if an offer has ended meanwhile, because its person deleted the account and would get another one. */
async function assertAccepted(trx: Knex, id: string): Promise<void> {
  const offer = await OfferRow.query(trx).findById(id).forShare()
  if (offer?.status !== 'accepted') throw new Error(`Offer ${id} has ended`)
}

async function getOfferOutcome(db: Knex, { passport, status, transactionHash, reason }: OfferRow): Promise<JobOutcome> {
  if (status !== 'completed')
    return { status: 'failed', code: 'TRANSFER_FAILED', message: reason ?? 'The passport was not passed on.' }
  const { tokenId } = await readShownPassport(db, passport)
  return { status: 'completed', result: { transactionHash, tokenId, passport } }
}

/** Queues the move of the token from the wallet of its owner to that of the person who accepted it. */
async function queueTransfer(
  trx: Knex,
  context: Context,
  id: string,
  account: Pick<AccountModel, 'id' | 'network' | 'address'>,
): Promise<JobOutcome> {
  const { application, passport } = await readOffer(trx, id)
  const row = await findLockedPassport(trx, application, passport)
  const offer = await OfferRow.query(trx).findById(id).forUpdate()
  if (offer?.status === 'failed') return getOfferOutcome(trx, offer)
  const obstacle = row ? await findObstacle(trx, context, row) : 'it is gone'
  if (!row || !offer || obstacle !== null)
    return failTransfer(trx, id, `The passport cannot be passed on: ${obstacle}.`)
  if (row.mintedTo !== offer.fromAccount || row.mintedAddress === null)
    return failTransfer(trx, id, 'The passport has another owner by now.')
  const { organization, network, tokenId, mintedAddress: from } = row
  // There was no account on this network when the offer was accepted.
  if (offer.toAccount !== account.id)
    await countWallet(trx, context, { application, network, user: offer.toUser ?? '' }, { isForced: true })
  const operation = `transfer:${id}`
  await context.chains.queueOperations(trx, row.applicationName, [
    {
      id: operation,
      organization,
      application,
      network,
      kind: 'passOn',
      tokenId,
      to: account.address,
      consent: { from, until: new Date(Date.now() + consentHours * 3_600_000) },
      job: offer.job ?? '',
      line: 0,
    },
  ])
  await assignOfferOperation(trx, id, operation, account.id)
  return { status: 'waiting', delaySeconds: jobIntervalSeconds }
}

async function failTransfer(trx: Knex, id: string, message: string): Promise<JobOutcome> {
  await failOffer(trx, id, message)
  return { status: 'failed', code: 'DPP_PASSPORT_NOT_TRANSFERABLE', message }
}
