import { createListSchema } from '../../../kernel/page.ts'
import { Type, instant, nullable, object, string, uuid, type Static } from '../../../kernel/schema.ts'

export const ListedSession = object(
  {
    id: uuid('Identifier of the session.'),
    createdAt: instant('When it began.'),
    lastSeenAt: instant('When it was last used, to the minute.'),
    address: nullable(string('Network address it was begun from.')),
    agent: nullable(string('What the browser or program called itself then.')),
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  },
  { title: 'ListedSession', description: 'A place where the caller is signed in.' },
)
export type ListedSession = Static<typeof ListedSession>

export const SessionList = createListSchema(ListedSession, 'SessionList')

export const EndedSessions = object(
  {
    ended: Type.Integer({ minimum: 0, description: 'How many sessions ended.' }),
  },
  { title: 'EndedSessions', description: 'What came of ending sessions.' },
)
