import type { OrganizationCaller } from '../../kernel/caller.ts'
import type { Page } from '../../kernel/page.ts'
import type { Work } from '../../kernel/work.ts'
import { PassportRow } from './passports.model.ts'
import { startUnits, type Started } from './units.ts'

/**
 * Starts to certify what the list parameters match: without filters every published or claimed passport that is not
 * certified or whose certification failed; batches and items come along with their models. The set is fixed now.
 * @throws VALIDATION_FAILED past 100,000, and where a passport is on a network nothing can be sent on
 */
export async function startCertify(work: Work, { organization }: OrganizationCaller, page: Page): Promise<Started> {
  const mine = PassportRow.query(work.trx).modify('ofOrganization', organization)
  const matching = page.filters.value.length > 0 ? mine : mine
    .whereIn('passports.status', ['published', 'claimed']).whereIn('passports.certification_status', ['none', 'error'])
  return startUnits(work, { organization, step: 'certify', payload: {}, page, matching, certifies: true })
}
