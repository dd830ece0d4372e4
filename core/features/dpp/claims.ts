import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { EndUserCaller } from '../../kernel/caller.ts'
import { faultPoint } from '../../kernel/fault.ts'
import { invalid, notFound, problem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { refuseManyClaims } from '../../queue/limit.ts'
import { mayClaim, refuseUnclaimable } from './claims.rules.ts'
import { ClaimRow } from './claims.model.ts'
import type { NewClaim, NewTokenClaim } from './claims.schema.ts'
import { invalidToken, isUnspent, readMagicToken, returnToken, spendToken } from './magic-tokens.ts'
import { unusable } from './networks.rules.ts'
import { PassportRow } from './passports.model.ts'

export interface ClaimPayload { claim: string }

/** Accepts a claim by verified e-mail or phone. @throws NOT_FOUND, DPP_CLAIM_NOT_ALLOWED, DPP_PASSPORT_NOT_CLAIMABLE */
export async function claimByContact(
  work: Work,
  caller: EndUserCaller,
  { product, passport }: NewClaim,
): Promise<{ jobId: string }> {
  const row = await lockForClaim(work.trx, caller, passport, product)
  if (!mayClaim(caller, row)) {
    throw problem(
      'DPP_CLAIM_NOT_ALLOWED',
      'Neither your verified e-mail nor your verified phone may claim this passport.',
    )
  }
  return { jobId: (await accept(work, caller, row)).job }
}

/**
 * Accepts a claim by magic token, and spends it.
 * @throws DPP_MAGIC_TOKEN_INVALID, NOT_FOUND, DPP_PASSPORT_NOT_CLAIMABLE
 */
export async function claimByToken(
  work: Work,
  caller: EndUserCaller,
  { product, magicToken }: NewTokenClaim,
): Promise<{ jobId: string }> {
  const { trx, context } = work
  const token = await readMagicToken(context, magicToken)
  // The lock comes first: of two that show one token, the second looks only when the first has spent it.
  await trx('passports').where({ id: token.passport }).forUpdate().first('id')
  if (!await isUnspent(trx, token)) throw invalidToken()
  const row = await lockForClaim(trx, caller, token.passport, product)
  const claim = await accept(work, caller, row)
  await spendToken(trx, token, claim.id)
  return { jobId: claim.job }
}

/** The passport to claim, its row locked. @throws NOT_FOUND, also for another application's and for another sheet's */
async function lockForClaim(
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
  if (!row) throw notFound()
  return row
}

async function accept(work: Work, caller: EndUserCaller, row: PassportRow): Promise<Pick<ClaimRow, 'id' | 'job'>> {
  const { trx, context } = work
  if (!context.chains.usable(row.network)) throw invalid([unusable(row.network)])
  await refuseUnclaimable(trx, row)
  await refuseManyClaims(trx, caller.application, caller.user)
  const id = newId()
  const { organization, application, sheet } = row
  const payload: ClaimPayload = { claim: id }
  const job = await context.queue.enqueue(trx, {
    type: 'claim', organization, application, ...(sheet !== null && { product: sheet }), endUser: caller.user, total: 1, payload,
  })
  await ClaimRow.query(trx).insert({ id, organization, application, passport: row.id, job, endUser: caller.user })
  work.afterCommit(() => {
    faultPoint('claim.row-stored', { job, step: 'accept' })
    context.queue.ring(job)
  })
  return { id, job }
}

/** Fails a claim for good and gives back what it held. A claim that has ended stays as it is. */
export async function releaseClaim(trx: Knex, id: string, reason: string): Promise<void> {
  const released = await ClaimRow.query(trx).findById(id).where('status', 'pending').patch({ status: 'failed', reason })
  if (released > 0) await returnToken(trx, id)
}
