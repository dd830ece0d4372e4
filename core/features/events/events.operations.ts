import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { EventList, eventList } from './events.schema.ts'
import { listEvents } from './events.ts'

const listEventsOperation = declareOperation({
  id: 'list_events_v1',
  method: 'GET',
  path: '/v1/events',
  access: 'organization:read',
  scope: { list: 'application.id' },
  list: eventList,
  returns: { 200: EventList },
  document: {
    tag: 'Events',
    summary: 'List events',
    description: 'What happened to applications, passports and wallets of the organization, the newest first.',
    mcpName: 'list_events',
  },
}).withReadHandler(({ caller, page, work }) => listEvents(work, caller, page))

export const eventOperations: Operation[] = [listEventsOperation]
