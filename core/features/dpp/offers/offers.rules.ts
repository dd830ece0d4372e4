import type { Knex } from 'knex'
import type { EndUserCaller } from '../../../kernel/caller.ts'
import { createProblem, type ProblemError } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { describeWithdrawal, findWithdrawal, isSameEmail, type PassportRow } from '../passports/index.ts'
import type { OfferRow } from './offers.model.ts'

export const createNotTransferableProblem = (why: string): ProblemError =>
  createProblem('DPP_PASSPORT_NOT_TRANSFERABLE', `The passport cannot be passed on: ${why}.`)

export const createNotAllowedProblem = (detail: string): ProblemError =>
  createProblem('DPP_TRANSFER_NOT_ALLOWED', detail)

/**
 * Finds why nobody can pass a passport on at present; null if its owner can.
 * @returns the end of a sentence
 */
export async function findObstacle(
  db: Knex,
  { chains }: Context,
  { id, status, network }: Pick<PassportRow, 'id' | 'status' | 'network'>,
): Promise<string | null> {
  if (status !== 'claimed') return `it is ${status}`
  const withdrawal = await findWithdrawal(db, id)
  if (withdrawal) return describeWithdrawal(withdrawal)
  if (!chains.performs(network, 'passOn')) return `a token on ${network} stays where it is`
  return chains.canSend(network) ? null : `nothing can be sent on ${network} here`
}

/** @throws DPP_PASSPORT_NOT_TRANSFERABLE */
export async function assertTransferable(db: Knex, context: Context, row: PassportRow): Promise<void> {
  const obstacle = await findObstacle(db, context, row)
  if (obstacle !== null) throw createNotTransferableProblem(obstacle)
}

type Addressee = Pick<OfferRow, 'toEmail' | 'toPhoneNumber'>

/** Checks whether an offer is for the buyer, by their verified e-mail address or phone number. */
export function isAddressee(
  { email, phoneNumber }: Pick<EndUserCaller, 'email' | 'phoneNumber'>,
  { toEmail, toPhoneNumber }: Addressee,
): boolean {
  const byEmail = email !== null && toEmail !== null && isSameEmail(email, toEmail)
  return byEmail || (phoneNumber !== null && phoneNumber === toPhoneNumber)
}
