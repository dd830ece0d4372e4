import { events } from '../../kernel/answer.ts'
import { Accepted } from '../../kernel/job.ts'
import { operation, type Operation } from '../../kernel/operation.ts'
import { integer, optional } from '../../kernel/schema.ts'
import { jobEvents } from '../jobs/index.ts'
import { MintJob, MintRows, mostBytes } from './mint.schema.ts'
import { findMintJob, mintView, sharedMintView, standardRows } from './mint.status.ts'
import { startMint } from './mint.ts'

const tag = 'Minting'
const query = {
  currentPage: optional(integer('Page of `results`, from 1.', { minimum: 1, maximum: 10_000, default: 1 })),
  pageSize: optional(integer('Rows of `results` a page.', { minimum: 1, maximum: 1000, default: standardRows })),
}

const mint = operation({
  id: 'mint_dpp_product_v1',
  method: 'POST',
  path: '/v1/dpp/products/:id/mint',
  summary: 'Create and mint many passports',
  description:
    'Makes one published passport a row and mints their tokens to the issuer of the application, as one job. ' +
    'One invalid row refuses all (422, `errors` at `[line].field`). At most 16 MiB.',
  tag,
  access: 'dpp:create',
  body: MintRows,
  starts: 'mint',
  bodyLimit: mostBytes,
  tooLarge: 'MINT_BATCH_TOO_LARGE',
  returns: { 202: Accepted },
  problems: ['MINT_BATCH_TOO_LARGE', 'NOT_FOUND', 'DPP_PRODUCT_NOT_MINTABLE'],
  mcp: 'mint_dpp_product',
  confirm: true,
  hints: { openWorldHint: true },
}).handledBy(({ body, caller, params, work }) => startMint(work, caller, params.id, body))

const status = operation({
  id: 'get_dpp_mint_job_v1',
  method: 'GET',
  path: '/v1/dpp/products/:id/mint/:jobId/status',
  summary: 'Read a mint job',
  description: 'How far the job is, with a page of what became of its rows.',
  tag,
  access: 'dpp:read',
  query,
  returns: { 200: MintJob },
  problems: ['DPP_MINT_JOB_NOT_FOUND'],
  mcp: 'get_dpp_mint_job',
}).readBy(async ({ caller, params, query, work }) =>
  mintView(work.trx, await findMintJob(work, caller, params.id, params.jobId), query))

const follow = operation({
  id: 'follow_dpp_mint_job_v1',
  method: 'GET',
  path: '/v1/dpp/products/:id/mint/:jobId/status/sse',
  summary: 'Follow a mint job',
  description: 'Each event carries the same JSON as the status route; the stream ends when the job has ended.',
  tag,
  access: 'dpp:read',
  query,
  returns: {
    200: { type: 'text/event-stream', description: 'An event with the present state at once, then one a change.' },
  },
  problems: ['DPP_MINT_JOB_NOT_FOUND'],
}).readBy(async ({ caller, params, query, work }) => {
  await findMintJob(work, caller, params.id, params.jobId)
  return events(jobEvents(work.context, params.jobId, (row) => sharedMintView(work.context.db, row, query)))
})

export const mintOperations: Operation[] = [mint, status, follow]
