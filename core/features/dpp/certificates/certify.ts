import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { PageRequest } from '../../../kernel/page.ts'
import type { Work } from '../../../kernel/work.ts'
import { PassportRow } from '../passports/index.ts'
import { type StartedUnitsJob, startUnitsJob } from '../selection/index.ts'

/**
 * Starts a job that certifies the passports that match the list parameters. Without filters it certifies every
 * published or claimed passport that is not certified or whose certification failed. Batches and items are certified
 * along with their models. The set of passports is fixed now.
 * @throws VALIDATION_FAILED for more than 100,000 passports, and for a passport on a network on which nothing can be
 * sent
 */
export async function startCertification(
  work: Work,
  { organization }: OrganizationCaller,
  page: PageRequest,
): Promise<StartedUnitsJob> {
  const mine = PassportRow.query(work.trx).modify('ofOrganization', organization)
  const matching =
    page.filters.value.length > 0
      ? mine
      : mine
          .whereIn('passports.status', ['published', 'claimed'])
          .whereIn('passports.certification_status', ['none', 'error'])
  return startUnitsJob(work, { organization, step: 'certify', payload: {}, page, matching, certifies: true })
}
