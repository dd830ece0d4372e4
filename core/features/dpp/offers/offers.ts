import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { EndUserCaller } from '../../../kernel/caller.ts'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import { createNotFoundProblem, createProblem, createValidationProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import type { Language } from '../../../languages/index.ts'
import { countReceiver, readPersonAccounts } from '../../accounts/index.ts'
import { assertCodeFresh } from '../../identity/index.ts'
import { findLockedPassport, type PassportRow } from '../passports/index.ts'
import { assertDeliverable, countOffer, offerDays, sendOffer, type Recipient } from './offers.mail.ts'
import { OfferRow } from './offers.model.ts'
import { presentOffer } from './offers.reads.ts'
import {
  assertTransferable,
  createNotAllowedProblem,
  createNotTransferableProblem,
  isAddressee,
} from './offers.rules.ts'
import type { NewTransfer, Transfer } from './offers.schema.ts'
import { acceptOfferRow, closeOffer, expireOffers, insertOffer, lockCurrentOffer } from './offers.store.ts'
import { createInvalidOfferProblem, createOfferToken, hashOfferToken } from './offers.tokens.ts'

export interface TransferPayload {
  offer: string
}

/**
 * Offers a passport of the buyer to somebody, who gets a message with a link. The answer is the same whether anybody is
 * known by that address or not.
 * @param language of the message
 * @throws NOT_FOUND, DPP_PASSPORT_NOT_TRANSFERABLE, DPP_TRANSFER_NOT_ALLOWED if the buyer does not own it
 * @throws AUTH_FRESH_CODE_REQUIRED, VALIDATION_FAILED, RATE_LIMITED
 */
export async function offerPassport(
  { trx, context }: Work,
  caller: EndUserCaller,
  passport: string,
  wanted: NewTransfer,
  language: Language,
): Promise<Transfer> {
  const recipient = parseRecipient(wanted)
  const row = await lockOwnPassport(trx, caller, passport)
  await assertTransferable(trx, context, row)
  await assertOwner(trx, caller, row)
  await assertCodeFresh(trx, caller)
  const addressee = {
    toEmail: recipient.channel === 'email' ? recipient.to : null,
    toPhoneNumber: recipient.channel === 'sms' ? recipient.to : null,
  }
  if (isAddressee(caller, addressee)) {
    const path = recipient.channel === 'email' ? 'email' : 'phone'
    throw createValidationProblem([{ path, code: 'own', message: 'is your own' }])
  }
  await expireOffers(trx, passport)
  if (await lockCurrentOffer(trx, passport)) throw createNotTransferableProblem('it is offered to somebody already')
  assertDeliverable(context, recipient)
  const { organization, application } = row
  await countOffer(trx, context, { organization, to: recipient.to, user: caller.user })
  const token = createOfferToken()
  const offer = await insertOffer(
    trx,
    {
      id: newId(),
      organization,
      application,
      passport,
      fromAccount: row.mintedTo,
      fromUser: caller.user,
      ...addressee,
      tokenHash: hashOfferToken(token),
    },
    offerDays,
  )
  await sendOffer(trx, context, row, { token, recipient, language })
  return presentOffer(offer, 'made')
}

/** @throws VALIDATION_FAILED unless exactly one of the two addresses is there */
function parseRecipient({ email, phone }: NewTransfer): Recipient {
  if (email !== undefined && phone !== undefined)
    throw createValidationProblem([
      { path: 'phone', code: 'excluded', message: 'cannot stand beside an e-mail address' },
    ])
  if (email !== undefined) return { channel: 'email', to: email.toLowerCase() }
  if (phone !== undefined) return { channel: 'sms', to: phone }
  throw createValidationProblem([{ path: 'email', code: 'required', message: 'is missing, and so is phone' }])
}

/** Reads a passport of the buyer's application and locks its row. @throws NOT_FOUND, also for a draft */
async function lockOwnPassport(trx: Knex, { application }: EndUserCaller, id: string): Promise<PassportRow> {
  const row = await findLockedPassport(trx, application, id)
  if (!row) throw createNotFoundProblem()
  return row
}

/** @throws DPP_TRANSFER_NOT_ALLOWED unless the passport is with an account of the buyer */
async function assertOwner(trx: Knex, caller: EndUserCaller, { mintedTo }: PassportRow): Promise<void> {
  const accounts = await readPersonAccounts(trx, caller)
  if (mintedTo === null || !accounts.some(({ id }) => id === mintedTo))
    throw createNotAllowedProblem('Only the owner of a passport passes it on.')
}

/**
 * Takes an open offer of the buyer back.
 * @throws NOT_FOUND, DPP_TRANSFER_NOT_ALLOWED
 * @throws DPP_TRANSFER_NOT_OPEN if there is none, or if it was accepted
 */
export async function withdrawOffer({ trx }: Work, caller: EndUserCaller, passport: string): Promise<void> {
  const row = await lockOwnPassport(trx, caller, passport)
  await assertOwner(trx, caller, row)
  await expireOffers(trx, passport)
  const offer = await lockCurrentOffer(trx, passport)
  if (offer?.status !== 'open')
    throw createProblem(
      'DPP_TRANSFER_NOT_OPEN',
      offer ? 'The offer was accepted: the token is on its way.' : 'The passport is offered to nobody.',
    )
  await closeOffer(trx, offer.id, 'withdraw')
}

/**
 * Accepts an offer with the token of its link.
 * @throws DPP_TRANSFER_TOKEN_INVALID, NOT_FOUND, DPP_TRANSFER_NOT_ALLOWED
 * @throws DPP_PASSPORT_NOT_TRANSFERABLE if that has come to be so since the offer
 * @throws QUOTA_EXCEEDED
 */
export async function acceptOffer(
  work: Work,
  caller: EndUserCaller,
  passport: string,
  token: string,
): Promise<{ jobId: string }> {
  const { trx, context } = work
  const { row, offer } = await lockOpenOffer(trx, caller, passport, token)
  await assertTransferable(trx, context, row)
  if (row.mintedTo !== offer.fromAccount) throw createNotTransferableProblem('it has another owner by now')
  if (offer.fromUser === caller.user) throw createNotTransferableProblem('it is yours')
  const { organization, application, network, sheet } = row
  const toAccount = await countReceiver(trx, context, { organization, application, network, user: caller.user })
  const payload: TransferPayload = { offer: offer.id }
  const job = await context.queue.enqueue(trx, {
    type: 'transfer',
    organization,
    application,
    ...(sheet !== null && { product: sheet }),
    endUser: caller.user,
    total: 1,
    payload,
  })
  await acceptOfferRow(trx, offer.id, { job, toUser: caller.user, toAccount })
  work.afterCommit(() => {
    hitFaultPoint('transfer.row-stored', { job, step: 'accept' })
    context.queue.notifyWorker(job)
  })
  return { jobId: job }
}

/** Declines an offer with the token of its link. @throws DPP_TRANSFER_TOKEN_INVALID, NOT_FOUND, DPP_TRANSFER_NOT_ALLOWED */
export async function declineOffer(
  { trx }: Work,
  caller: EndUserCaller,
  passport: string,
  token: string,
): Promise<void> {
  const { offer } = await lockOpenOffer(trx, caller, passport, token)
  await closeOffer(trx, offer.id, 'decline')
}

/**
 * Finds the open offer of a passport by its token, and locks the passport and then the offer: of two answers at once, the
 * second one finds it answered.
 */
async function lockOpenOffer(
  trx: Knex,
  caller: EndUserCaller,
  passport: string,
  token: string,
): Promise<{ row: PassportRow; offer: OfferRow }> {
  const row = await lockOwnPassport(trx, caller, passport)
  const offer = await OfferRow.query(trx)
    .findOne({ token_hash: hashOfferToken(token), passport, status: 'open' })
    .whereRaw('expires_at > now()')
    .forUpdate()
  if (!offer) throw createInvalidOfferProblem()
  if (!isAddressee(caller, offer))
    throw createNotAllowedProblem('The offer names another e-mail address or phone number than your verified ones.')
  return { row, offer }
}
