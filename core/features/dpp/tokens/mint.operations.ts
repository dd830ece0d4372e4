import { answerEvents, answerJson } from '../../../kernel/answer.ts'
import { DryRun, dryRunQuery } from '../../../kernel/dry-run.ts'
import { AcceptedJob } from '../../../kernel/job.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { integer, optional } from '../../../kernel/schema.ts'
import { createJobStateSource, jobEntity } from '../../jobs/index.ts'
import { MintJob, MintRows, maxBodyBytes } from './mint.schema.ts'
import { readMintJob, readMintView, readSharedMintView, defaultPageSize } from './mint.status.ts'
import { previewMint, startMint } from './mint.ts'
import { sheetEntity } from '../sheets/index.ts'

const tag = 'Minting'
const query = {
  currentPage: optional(integer('Page of `results`, from 1.', { minimum: 1, maximum: 10_000, default: 1 })),
  pageSize: optional(integer('Rows of `results` a page.', { minimum: 1, maximum: 1000, default: defaultPageSize })),
}

const mintPassports = declareOperation({
  id: 'mint_dpp_product_v1',
  method: 'POST',
  path: '/v1/dpp/products/:id/mint',
  access: 'dpp:create',
  scope: { params: { id: sheetEntity } },
  query: dryRunQuery,
  body: MintRows,
  returns: { 200: DryRun, 202: AcceptedJob },
  problemCodes: ['MINT_BATCH_TOO_LARGE', 'NOT_FOUND', 'DPP_PRODUCT_NOT_MINTABLE', 'QUOTA_EXCEEDED'],
  transport: { maxBodyBytes: maxBodyBytes, tooLargeCode: 'MINT_BATCH_TOO_LARGE' },
  execution: { startsJobType: 'mint', hasDryRun: true },
  document: {
    tag,
    summary: 'Create and mint many passports',
    description:
      "Makes one published passport a row and mints the tokens to the application's issuer, as one job. One "
      + 'invalid row refuses all (422, `errors` at `[line].field`). At most 16 MiB.',
    mcpName: 'mint_dpp_product',
    mcpHints: { openWorldHint: true },
    needsConfirmation: true,
  },
}).withTransactionHandler(async ({ body, caller, params, query, work }) =>
  query.dryRun
    ? previewMint(work, caller, params.id, body)
    : answerJson(await startMint(work, caller, params.id, body), undefined, 202),
)

const readMintStatus = declareOperation({
  id: 'get_dpp_mint_job_v1',
  method: 'GET',
  path: '/v1/dpp/products/:id/mint/:jobId/status',
  access: 'dpp:read',
  scope: { params: { id: sheetEntity, jobId: jobEntity }, missingCode: 'DPP_MINT_JOB_NOT_FOUND' },
  query,
  returns: { 200: MintJob },
  problemCodes: ['DPP_MINT_JOB_NOT_FOUND'],
  document: {
    tag,
    summary: 'Read a mint job',
    description: 'How far the job is, with a page of what became of its rows.',
    mcpName: 'get_dpp_mint_job',
  },
}).withReadHandler(async ({ caller, params, query, work }) =>
  readMintView(work.trx, await readMintJob(work, caller, params.id, params.jobId), query),
)

const followMint = declareOperation({
  id: 'follow_dpp_mint_job_v1',
  method: 'GET',
  path: '/v1/dpp/products/:id/mint/:jobId/status/sse',
  access: 'dpp:read',
  scope: { params: { id: sheetEntity, jobId: jobEntity }, missingCode: 'DPP_MINT_JOB_NOT_FOUND' },
  query,
  returns: {
    200: { type: 'text/event-stream', description: 'An event with the present state at once, then one a change.' },
  },
  problemCodes: ['DPP_MINT_JOB_NOT_FOUND'],
  document: {
    tag,
    summary: 'Follow a mint job',
    description: 'Each event carries the same JSON as the status route; the stream ends when the job has ended.',
  },
}).withReadHandler(async ({ caller, params, query, work }) => {
  await readMintJob(work, caller, params.id, params.jobId)
  return answerEvents(
    createJobStateSource(work.context, params.jobId, (row) => readSharedMintView(work.context.db, row, query)),
  )
})

export const mintOperations: Operation[] = [mintPassports, readMintStatus, followMint]
