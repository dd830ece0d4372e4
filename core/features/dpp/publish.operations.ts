import { operation, type Operation } from '../../kernel/operation.ts'
import { boolean, integer, object, optional, uuid } from '../../kernel/schema.ts'
import { passportList } from './passports.schema.ts'
import { startPublish } from './publish.ts'
import { mostUnits } from './units.ts'

export const JobStarted = object(
  {
    jobId: uuid('The job to follow at /v1/jobs/:jobId.'),
    matched: integer('Passports that are taken: what the filters match, and batches and items of their models.', {
      minimum: 0,
    }),
  },
  { title: 'PassportJobStarted', description: 'The work goes on as a job.' },
)

/** Filters sent here by mistake are refused: taken for none, they would take every passport. */
export const Nothing = object({}, {
  title: 'NoBody', description: 'Has no members: what is taken stands in the query.', default: {},
})

const publish = operation({
  id: 'publish_dpp_passports_v1',
  method: 'POST',
  path: '/v1/dpp/passports/publish',
  summary: 'Publish passports',
  description:
    'Publishes and certifies the drafts that the filters match, with the batches and items of models: all drafts ' +
    'without a filter; every match, or with currentPage or pageSize that page. ' +
    `At most ${mostUnits.toLocaleString('en')} at once (422).`,
  tag: 'Passports',
  access: 'dpp:update',
  list: { filters: passportList.filters, sorters: passportList.sorters },
  query: {
    skipCertification: optional(boolean('Publish without certifying.', { default: false })),
  },
  starts: 'publish',
  body: Nothing,
  returns: { 202: JobStarted },
  problems: ['VALIDATION_FAILED'],
  mcp: 'publish_dpp_passports',
  hints: { idempotentHint: true },
  confirm: true,
}).handledBy(({ caller, page, query, work }) => startPublish(work, caller, page, query.skipCertification ?? false))

export const publishOperations: Operation[] = [publish]
