import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { isFiltered, type PageRequest } from '../../../kernel/page.ts'
import type { Work } from '../../../kernel/work.ts'
import { PassportRow } from '../passports/index.ts'
import { type StartedUnitsJob, startUnitsJob, type UnitsJobSelection } from '../selection/index.ts'

/**
 * Starts a job that certifies the passports that match the list parameters. Without filters it certifies every
 * published or claimed passport that is not certified or whose certification failed. Batches and items are certified
 * along with their models. The set of passports is fixed now.
 * @throws VALIDATION_FAILED for more than 100,000 passports, and for a passport on a network on which nothing can be
 * sent
 */
export function startCertification(
  work: Work,
  caller: OrganizationCaller,
  page: PageRequest,
): Promise<StartedUnitsJob> {
  return startUnitsJob(work, selectForCertification(work, caller, page))
}

/** Selects the passports that the list parameters certify. */
export function selectForCertification(
  { trx }: Work,
  { organization }: OrganizationCaller,
  page: PageRequest,
): UnitsJobSelection {
  const mine = PassportRow.query(trx).modify('ofOrganization', organization)
  const matching = isFiltered(page)
    ? mine
    : mine
        .whereIn('passports.status', ['published', 'claimed'])
        .whereIn('passports.certification_status', ['none', 'error'])
  return { organization, step: 'certify', payload: {}, page, matching, certifies: true }
}
