import { answerEvents } from '../../../kernel/answer.ts'
import type { EndUserCaller } from '../../../kernel/caller.ts'
import { AcceptedJob, Job } from '../../../kernel/job.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { findJob, createJobStateSource, presentJob, type JobRow } from '../../jobs/index.ts'
import { NewClaim, NewTokenClaim } from './claims.schema.ts'
import { claimByContact, claimByToken } from './claims.ts'

const tag = 'Claims'

const claimPassport = declareOperation({
  id: 'claim_dpp_passport_v1',
  method: 'POST',
  path: '/v1/dpp/claim',
  access: 'endUser',
  body: NewClaim,
  returns: { 202: AcceptedJob },
  problemCodes: ['NOT_FOUND', 'DPP_CLAIM_NOT_ALLOWED', 'DPP_PASSPORT_NOT_CLAIMABLE', 'QUOTA_EXCEEDED'],
  document: {
    tag,
    summary: 'Claim a passport by e-mail or phone',
    description:
      'For a buyer whose verified e-mail equals `allowedClaimEmail`, or whose verified phone equals '
      + '`allowedClaimPhoneNumber`. The job mints '
      + "the token to the buyer's wallet; its result is `{transactionHash, tokenId, passport}`.",
  },
}).withTransactionHandler(({ body, caller, work }) => claimByContact(work, caller, body))

const claimPassportByMagicToken = declareOperation({
  id: 'claim_dpp_passport_by_magic_token_v1',
  method: 'POST',
  path: '/v1/dpp/claim/magicToken',
  access: 'endUser',
  body: NewTokenClaim,
  returns: { 202: AcceptedJob },
  problemCodes: ['DPP_MAGIC_TOKEN_INVALID', 'NOT_FOUND', 'DPP_PASSPORT_NOT_CLAIMABLE', 'QUOTA_EXCEEDED'],
  document: {
    tag,
    summary: 'Claim a passport by magic token',
    description: 'Spends the token. It is given back when the job fails for good.',
  },
}).withTransactionHandler(({ body, caller, work }) => claimByToken(work, caller, body))

/** The types of the jobs by which a passport becomes a buyer's. */
const claimJobTypes: readonly string[] = ['claim', 'transfer']

/**
 * Reads a job by which a passport becomes the buyer's: a claim, or the transfer that they accepted.
 * @throws NOT_FOUND for a job of another type, buyer or application
 */
export async function readClaimJob({ trx }: Work, caller: EndUserCaller, id: string): Promise<JobRow> {
  const row = await findJob(trx, id)
  if (
    !row
    || !claimJobTypes.includes(row.type)
    || row.end_user !== caller.user
    || row.application !== caller.application
  )
    throw createNotFoundProblem()
  return row
}

const readClaimStatus = declareOperation({
  id: 'get_dpp_claim_job_v1',
  method: 'GET',
  path: '/v1/dpp/claim/:jobId/status',
  access: 'endUser',
  returns: { 200: Job },
  document: {
    tag,
    summary: 'Read your claim',
    description:
      'How far a claim is, or a transfer that was accepted, as a job. Only the buyer who gets the passport sees it.',
  },
}).withReadHandler(async ({ caller, params, work }) => presentJob(await readClaimJob(work, caller, params.jobId)))

const followClaim = declareOperation({
  id: 'follow_dpp_claim_job_v1',
  method: 'GET',
  path: '/v1/dpp/claim/:jobId/status/sse',
  access: 'endUser',
  returns: {
    200: { type: 'text/event-stream', description: 'An event with the present state at once, then one a change.' },
  },
  document: {
    tag,
    summary: 'Follow your claim',
    description: 'Each event carries the same JSON as the status route; the stream ends when the claim has ended.',
  },
}).withReadHandler(async ({ caller, params, work }) => {
  await readClaimJob(work, caller, params.jobId)
  return answerEvents(createJobStateSource(work.context, params.jobId))
})

export const claimOperations: Operation[] = [claimPassport, claimPassportByMagicToken, readClaimStatus, followClaim]
