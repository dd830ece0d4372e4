import { createModelSource, listPage } from '../../database/list/index.ts'
import { getCallerPermissions, type OrganizationCaller } from '../../kernel/caller.ts'
import { hasPermission } from '../../kernel/permission.ts'
import { mapPageResult, type PageResult, type PageRequest } from '../../kernel/page.ts'
import type { Work } from '../../kernel/work.ts'
import { EventModel, columnsWithoutPassports, eventColumns } from './events.model.ts'
import type { Event } from './events.schema.ts'
import { presentSnapshot } from './events.snapshot.ts'

/**
 * Lists the organization's events. Callers who may not read passports get every event without its passport, and their
 * filters on passports find nothing.
 */
export async function listEvents(
  { trx }: Work,
  caller: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<Event>> {
  const events = createModelSource(EventModel.query(trx).modify('ofOrganization', caller.organization))
  const mayReadPassports = hasPermission(getCallerPermissions(caller), 'dpp:read')
  const columns = mayReadPassports ? eventColumns : columnsWithoutPassports
  return mapPageResult(await listPage(events, page, columns), (row) => presentEvent(row, mayReadPassports))
}

function presentEvent(row: EventModel, mayReadPassports: boolean): Event {
  const { id, subject, type, application, applicationName, passport, unknown, createdAt } = row
  return {
    id,
    subject,
    type,
    application: { id: application, name: applicationName },
    ...(passport && { passport: mayReadPassports ? presentSnapshot(passport) : null }),
    ...(unknown === true && { unknown }),
    createdAt,
    updatedAt: createdAt,
  }
}
