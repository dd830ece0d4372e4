import { listPage } from '../../database/list.ts'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { mapListed, type Listed, type Page } from '../../kernel/page.ts'
import type { Work } from '../../kernel/work.ts'
import { EventModel, eventColumns } from './events.model.ts'
import type { Event } from './events.schema.ts'

export async function listEvents({ trx }: Work, caller: OrganizationCaller, page: Page): Promise<Listed<Event>> {
  const query = EventModel.query(trx).modify('ofOrganization', caller.organization)
  return mapListed(await listPage(query, page, eventColumns), eventView)
}

function eventView({ id, subject, type, application, applicationName, passport, createdAt }: EventModel): Event {
  return {
    id, subject, type,
    application: { id: application, name: applicationName },
    ...(passport && { passport }),
    createdAt, updatedAt: createdAt,
  }
}
