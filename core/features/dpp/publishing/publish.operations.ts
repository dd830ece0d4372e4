import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { boolean, integer, object, optional, uuid } from '../../../kernel/schema.ts'
import { passportList } from '../passports/index.ts'
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

const publishPassports = declareOperation({
  id: 'publish_dpp_passports_v1',
  method: 'POST',
  path: '/v1/dpp/passports/publish',
  access: 'dpp:update',
  query: {
    skipCertification: optional(boolean('Publish without certifying.', { default: false })),
  },
  list: { filters: passportList.filters, sorters: passportList.sorters },
  body: NoBody,
  returns: { 202: PassportJobStarted },
  problemCodes: ['VALIDATION_FAILED'],
  execution: { startsJobType: 'publish' },
  document: {
    tag: 'Passports',
    summary: 'Publish passports',
    description:
      'Publishes and certifies the drafts that the filters match, with the batches and items of models: all drafts '
      + 'without a filter; every match, or with currentPage or pageSize that page. '
      + `At most ${maxJobUnits.toLocaleString('en')} at once (422).`,
    mcpName: 'publish_dpp_passports',
    mcpHints: { idempotentHint: true },
    needsConfirmation: true,
  },
}).withTransactionHandler(({ caller, page, query, work }) =>
  startPublish(work, caller, page, query.skipCertification ?? false),
)

export const publishOperations: Operation[] = [publishPassports]
