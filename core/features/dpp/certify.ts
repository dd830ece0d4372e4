import type { OrganizationCaller } from '../../kernel/caller.ts'
import type { Page } from '../../kernel/page.ts'
import type { Work } from '../../kernel/work.ts'
import { PassportRow } from './passports.model.ts'
import type { Started } from './publish.ts'
import { refuseUnusable, takeUnits } from './units.ts'

/**
 * Starts to certify what the list parameters match: without filters every published or claimed passport that is not
 * certified or whose certification failed; batches and items come along with their models. The set is fixed now.
 * @throws VALIDATION_FAILED past 100,000, and where a passport is on a network nothing can be sent on
 */
export async function startCertify(work: Work, { organization }: OrganizationCaller, page: Page): Promise<Started> {
  const { trx, context } = work
  const jobId = await context.queue.enqueue(trx, { type: 'certify', organization, total: 0, payload: {} })
  const mine = PassportRow.query(trx).modify('ofOrganization', organization)
  const matching = page.filters.value.length > 0 ? mine : mine
    .whereIn('passports.status', ['published', 'claimed']).whereIn('passports.certification_status', ['none', 'error'])
  const matched = await takeUnits(trx, { job: jobId, step: 'certify', page, matching })
  await refuseUnusable(work, jobId, 'certify')
  await context.queue.advance(trx, jobId, { total: matched })
  work.afterCommit(() => context.queue.ring(jobId))
  return { jobId, matched }
}
