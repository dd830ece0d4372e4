import { listPage } from '../../database/list.ts'
import { permissionsOf, type OrganizationCaller } from '../../kernel/caller.ts'
import { grants } from '../../kernel/permission.ts'
import { mapListed, type Listed, type Page } from '../../kernel/page.ts'
import type { Work } from '../../kernel/work.ts'
import { EventModel, columnsWithoutPassports, eventColumns } from './events.model.ts'
import type { Event } from './events.schema.ts'
import { presentSnapshot } from './events.snapshot.ts'

/**
 * Lists the organization's events. Who may not read passports sees none in an event, and none by what a filter on one
 * finds.
 */
export async function listEvents({ trx }: Work, caller: OrganizationCaller, page: Page): Promise<Listed<Event>> {
  const query = EventModel.query(trx).modify('ofOrganization', caller.organization)
  const readsPassports = grants(permissionsOf(caller), 'dpp:read')
  const columns = readsPassports ? eventColumns : columnsWithoutPassports
  return mapListed(await listPage(query, page, columns), (row) => presentEvent(row, readsPassports))
}

function presentEvent(row: EventModel, readsPassports: boolean): Event {
  const { id, subject, type, application, applicationName, passport, unknown, createdAt } = row
  return {
    id, subject, type,
    application: { id: application, name: applicationName },
    ...(passport && { passport: readsPassports ? presentSnapshot(passport) : null }),
    ...(unknown === true && { unknown }),
    createdAt, updatedAt: createdAt,
  }
}
