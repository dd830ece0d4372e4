import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { EndUserCaller } from '../../../kernel/caller.ts'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import { createValidationProblem, createNotFoundProblem, createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { countReceiver } from '../../accounts/index.ts'
import type { AccountListener } from '../../area.ts'
import { assertClaimsBelowLimit } from '../../../queue/limit.ts'
import { assertClaimable, mayClaim, PassportRow } from '../passports/index.ts'
import type { ClaimRow } from './claims.model.ts'
import type { NewClaim, NewTokenClaim } from './claims.schema.ts'
import { createInvalidTokenProblem, isUnspent, verifyMagicToken, returnToken, spendToken } from './magic-tokens.ts'
import { createUnusableNetworkIssue } from '../content/index.ts'
import { failClaim, insertClaim, listUnqueuedClaims } from './store/claims.store.ts'

export interface ClaimPayload {
  claim: string
}

/**
 * Accepts a claim by verified e-mail or phone.
 * @throws NOT_FOUND
 * @throws DPP_CLAIM_NOT_ALLOWED
 * @throws DPP_PASSPORT_NOT_CLAIMABLE
 * @throws RATE_LIMITED if too many of the buyer's claims are pending
 * @throws VALIDATION_FAILED if nothing can be sent on the passport's network
 * @throws QUOTA_EXCEEDED
 */
export async function claimByContact(
  work: Work,
  caller: EndUserCaller,
  { product, passport }: NewClaim,
): Promise<{ jobId: string }> {
  const row = await lockPassportForClaim(work.trx, caller, passport, product)
  if (!mayClaim(caller, row)) {
    throw createProblem(
      'DPP_CLAIM_NOT_ALLOWED',
      'Neither your verified e-mail nor your verified phone may claim this passport.',
    )
  }
  return { jobId: (await acceptClaim(work, caller, row)).job }
}

/**
 * Accepts a claim by magic token and spends the token.
 * @throws DPP_MAGIC_TOKEN_INVALID
 * @throws NOT_FOUND
 * @throws DPP_PASSPORT_NOT_CLAIMABLE
 * @throws RATE_LIMITED if too many of the buyer's claims are pending
 * @throws VALIDATION_FAILED if nothing can be sent on the passport's network
 * @throws QUOTA_EXCEEDED
 */
export async function claimByToken(
  work: Work,
  caller: EndUserCaller,
  { product, magicToken }: NewTokenClaim,
): Promise<{ jobId: string }> {
  const { trx, context } = work
  const token = await verifyMagicToken(context, magicToken)
  // The passport is locked first: of two requests with the same token, the second checks the token only after the first
  // has spent it.
  await trx('passports').where({ id: token.passport }).forUpdate().first('id')
  if (!(await isUnspent(trx, token))) throw createInvalidTokenProblem()
  const row = await lockPassportForClaim(trx, caller, token.passport, product)
  const claim = await acceptClaim(work, caller, row)
  await spendToken(trx, token, claim.id)
  return { jobId: claim.job }
}

/**
 * Reads the passport to claim and locks its row.
 * @throws NOT_FOUND for a passport that does not exist, or that is of another application or sheet
 */
async function lockPassportForClaim(
  trx: Knex,
  { application }: EndUserCaller,
  id: string,
  sheet: string | undefined,
): Promise<PassportRow> {
  const query = PassportRow.query(trx)
    .findById(id)
    .where({ application, ...(sheet !== undefined && { sheet }) })
    .forUpdate()
  const row = await query
  if (!row) throw createNotFoundProblem()
  return row
}

async function acceptClaim(work: Work, caller: EndUserCaller, row: PassportRow): Promise<Pick<ClaimRow, 'id' | 'job'>> {
  const { trx, context } = work
  if (!context.chains.canSend(row.network)) throw createValidationProblem([createUnusableNetworkIssue(row.network)])
  await assertClaimable(trx, row)
  await assertClaimsBelowLimit(trx, caller.application, caller.user)
  const id = newId()
  const { organization, application, network, sheet } = row
  // The token that is minted for a claim is part of it.
  await context.meters.take(trx, { organization, meter: 'dpp.operations', units: 1 })
  const account = await countReceiver(trx, context, { organization, application, network, user: caller.user })
  const payload: ClaimPayload = { claim: id }
  const job = await context.queue.enqueue(trx, {
    type: 'claim',
    organization,
    application,
    ...(sheet !== null && { product: sheet }),
    endUser: caller.user,
    total: 1,
    payload,
  })
  await insertClaim(trx, { id, organization, application, passport: row.id, job, endUser: caller.user, account })
  work.afterCommit(() => {
    hitFaultPoint('claim.row-stored', { job, step: 'accept' })
    context.queue.notifyWorker(job)
  })
  return { id, job }
}

/** Fails a claim for good and returns the magic token that it had spent. A claim that has ended does not change. */
export async function releaseClaim(trx: Knex, id: string, reason: string): Promise<void> {
  if (await failClaim(trx, id, reason)) await returnToken(trx, id)
}

/**
 * Fails the claims of a person whose account is deleted. One whose operation is queued goes on: the token arrives at the
 * wallet, which stays under an identifier that leads to nobody.
 */
export const endClaims: AccountListener = async (trx, context, { application, user }) => {
  const claims = await listUnqueuedClaims(trx, application, user)
  for (const { id } of claims) await releaseClaim(trx, id, 'The account of the claimer was deleted.')
  await context.queue.wakeJobs(trx, ...claims.map(({ job }) => job))
}
