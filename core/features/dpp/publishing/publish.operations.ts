import { answerJson } from '../../../kernel/answer.ts'
import { DryRun, dryRunQuery } from '../../../kernel/dry-run.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { boolean, integer, object, optional, uuid } from '../../../kernel/schema.ts'
import { passportList } from '../passports/index.ts'
import { previewPublish } from './preview.ts'
import { startPublish } from './publish.ts'
import { maxJobUnits } from '../selection/index.ts'

export const PassportJobStarted = object(
  {
    jobId: uuid('The job to follow at /v1/jobs/:jobId.'),
    matched: integer('Passports that are taken: what the filters match, and batches and items of their models.', {
      minimum: 0,
    }),
  },
  { title: 'PassportJobStarted', description: 'The work goes on as a job.' },
)

/**
 * The empty body. Filters that are sent in the body by mistake are refused: if they were ignored, every passport would
 * match.
 */
export const NoBody = object(
  {},
  {
    title: 'NoBody',
    description: 'Has no members: what is taken stands in the query.',
    default: {},
  },
)

/** The limit of operations that change what the filters match. */
export const limitDescription = `At most ${maxJobUnits.toLocaleString('en')} (422).`

const publishPassports = declareOperation({
  id: 'publish_dpp_passports_v1',
  method: 'POST',
  path: '/v1/dpp/passports/publish',
  access: 'dpp:update',
  scope: { list: 'application.id' },
  query: {
    skipCertification: optional(boolean('Publish only.')),
    ...dryRunQuery,
  },
  list: { filters: passportList.filters, sorters: passportList.sorters },
  body: NoBody,
  returns: { 200: DryRun, 202: PassportJobStarted },
  problemCodes: ['VALIDATION_FAILED', 'QUOTA_EXCEEDED'],
  execution: { startsJobType: 'publish', hasDryRun: true },
  document: {
    tag: 'Passports',
    summary: 'Publish passports',
    description: `Publishes and certifies drafts, with the batches and items of models. ${limitDescription}`,
    mcpName: 'publish_dpp_passports',
    mcpHints: { destructiveHint: true, idempotentHint: true, openWorldHint: true },
    needsConfirmation: true,
    preview: 'always',
  },
}).withTransactionHandler(async ({ caller, page, query: { dryRun, skipCertification = false }, work }) =>
  dryRun
    ? previewPublish(work, caller, page, { skipCertification })
    : answerJson(await startPublish(work, caller, page, { skipCertification }), undefined, 202),
)

export const publishOperations: Operation[] = [publishPassports]
