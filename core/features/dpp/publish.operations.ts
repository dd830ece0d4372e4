import { operation, type Operation } from '../../kernel/operation.ts'
import { boolean, integer, object, optional, uuid } from '../../kernel/schema.ts'
import { passportList } from './passports.schema.ts'
import { mostPublished, startPublish } from './publish.ts'

const PublishStarted = object(
  {
    jobId: uuid('The job to follow at /v1/jobs/:jobId. Its result is `{published, skipped}`.'),
    matched: integer('Passports that the filters match; those that are no drafts are skipped, and counted as done.', {
      minimum: 0,
    }),
  },
  { title: 'PublishStarted', description: 'Publishing goes on as a job.' },
)

/** Filters sent here by mistake are refused: taken for none, they would publish every draft. */
const Nothing = object({}, {
  title: 'PublishBody', description: 'Has no members: what is published stands in the query.', default: {},
})

const publish = operation({
  id: 'publish_dpp_passports_v1',
  method: 'POST',
  path: '/v1/dpp/passports/publish',
  summary: 'Publish passports',
  description:
    'Publishes the drafts among the passports that the filters match: all drafts without a filter, every match ' +
    'without currentPage and pageSize, exactly that page with either. ' +
    `At most ${mostPublished.toLocaleString('en')} at once (422).`,
  tag: 'Passports',
  access: 'dpp:update',
  list: { filters: passportList.filters, sorters: passportList.sorters },
  query: {
    skipCertification: optional(
      boolean('Publish without certifying. Certification is not offered yet: both values do the same.', {
        default: false,
      }),
    ),
  },
  body: Nothing,
  returns: { 202: PublishStarted },
  problems: ['VALIDATION_FAILED'],
  mcp: 'publish_dpp_passports',
  hints: { idempotentHint: true },
  confirm: true,
}).handledBy(({ caller, page, query, work }) => startPublish(work, caller, page, query.skipCertification ?? false))

export const publishOperations: Operation[] = [publish]
