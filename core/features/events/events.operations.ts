import { operation, type Operation } from '../../kernel/operation.ts'
import { EventList, eventList } from './events.schema.ts'
import { listEvents } from './events.ts'

const list = operation({
  id: 'list_events_v1',
  method: 'GET',
  path: '/v1/events',
  summary: 'List events',
  description: 'What happened to applications, passports and wallets of the organization, the newest first.',
  tag: 'Events',
  access: 'organization:read',
  list: eventList,
  returns: { 200: EventList },
  mcp: 'list_events',
}).readBy(({ caller, page, work }) => listEvents(work, caller, page))

export const eventOperations: Operation[] = [list]
