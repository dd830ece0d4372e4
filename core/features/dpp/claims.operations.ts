import { events } from '../../kernel/answer.ts'
import type { EndUserCaller } from '../../kernel/caller.ts'
import { Accepted, Job } from '../../kernel/job.ts'
import { operation, type Operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { findJob, jobEvents, jobView, type JobRow } from '../jobs/index.ts'
import { NewClaim, NewTokenClaim } from './claims.schema.ts'
import { claimByContact, claimByToken } from './claims.ts'

const tag = 'Claims'

const claim = operation({
  id: 'claim_dpp_passport_v1',
  method: 'POST',
  path: '/v1/dpp/claim',
  summary: 'Claim a passport by e-mail or phone',
  description:
    'For a buyer whose verified e-mail equals `allowedClaimEmail`, or whose verified phone equals ' +
    '`allowedClaimPhoneNumber`. The job mints ' +
    "the token to the buyer's wallet; its result is `{transactionHash, tokenId, passport}`.",
  tag,
  access: 'endUser',
  body: NewClaim,
  returns: { 202: Accepted },
  problems: ['NOT_FOUND', 'DPP_CLAIM_NOT_ALLOWED', 'DPP_PASSPORT_NOT_CLAIMABLE'],
}).handledBy(({ body, caller, work }) => claimByContact(work, caller, body))

const claimMagicToken = operation({
  id: 'claim_dpp_passport_by_magic_token_v1',
  method: 'POST',
  path: '/v1/dpp/claim/magicToken',
  summary: 'Claim a passport by magic token',
  description: 'Spends the token. It is given back when the job fails for good.',
  tag,
  access: 'endUser',
  body: NewTokenClaim,
  returns: { 202: Accepted },
  problems: ['DPP_MAGIC_TOKEN_INVALID', 'NOT_FOUND', 'DPP_PASSPORT_NOT_CLAIMABLE'],
}).handledBy(({ body, caller, work }) => claimByToken(work, caller, body))

/** A claim job of this buyer. @throws NOT_FOUND for any other */
export async function findClaimJob({ trx }: Work, caller: EndUserCaller, id: string): Promise<JobRow> {
  const row = await findJob(trx, id)
  if (row?.type !== 'claim' || row.end_user !== caller.user || row.application !== caller.application) throw notFound()
  return row
}

const status = operation({
  id: 'get_dpp_claim_job_v1',
  method: 'GET',
  path: '/v1/dpp/claim/:jobId/status',
  summary: 'Read your claim',
  description: 'How far the claim is, as a job. Only the buyer who made it sees it.',
  tag,
  access: 'endUser',
  returns: { 200: Job },
}).readBy(async ({ caller, params, work }) => jobView(await findClaimJob(work, caller, params.jobId)))

const follow = operation({
  id: 'follow_dpp_claim_job_v1',
  method: 'GET',
  path: '/v1/dpp/claim/:jobId/status/sse',
  summary: 'Follow your claim',
  description: 'Each event carries the same JSON as the status route; the stream ends when the claim has ended.',
  tag,
  access: 'endUser',
  returns: {
    200: { type: 'text/event-stream', description: 'An event with the present state at once, then one a change.' },
  },
}).readBy(async ({ caller, params, work }) => {
  await findClaimJob(work, caller, params.jobId)
  return events(jobEvents(work.context, params.jobId))
})

export const claimOperations: Operation[] = [claim, claimMagicToken, status, follow]
