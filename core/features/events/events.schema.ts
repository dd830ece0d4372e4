import {
  enumFilter,
  uuidFilter,
  textFilter,
  commonFilters,
  commonSorters,
  createListSchema,
  type ListDeclaration,
} from '../../kernel/page.ts'
import {
  boolean,
  instant,
  nullable,
  object,
  oneOfWords,
  optional,
  record,
  uuid,
  type Static,
} from '../../kernel/schema.ts'
import { ApplicationRef } from '../applications/index.ts'
import { eventSubjects, eventTypes } from '../../kernel/words.ts'

export const Event = object(
  {
    id: uuid('Identifier of the event.'),
    subject: oneOfWords(eventSubjects, 'What it happened to.'),
    type: oneOfWords(eventTypes, 'What happened.'),
    application: ApplicationRef,
    passport: optional(
      nullable(
        record(
          'The public part of the passport as it was then, of a draft only its `id`; only where the subject is dppPassport. '
            + 'Null for callers without `dpp:read`.',
        ),
      ),
    ),
    unknown: optional(
      boolean(
        'True of a scan whose serial or batch number the maker has not registered; `passport` is the nearest known level.',
      ),
    ),
    createdAt: instant('When it happened.'),
    updatedAt: instant('The same instant: events never change.'),
  },
  { title: 'Event', description: 'Something that happened, written in the transaction of the change itself.' },
)
export type Event = Static<typeof Event>

export const EventList = createListSchema(Event, 'EventList')

export const eventList: ListDeclaration = {
  rowSchema: Event,
  filters: {
    ...commonFilters,
    subject: enumFilter(eventSubjects, 'eq'),
    type: enumFilter(eventTypes, 'eq'),
    'application.id': uuidFilter('eq'),
    'passport.id': uuidFilter('eq'),
    'passport.product.idGranularity': enumFilter(['model', 'batch', 'item'], 'eq'),
    'passport.product.name': textFilter('contains'),
    'passport.product.itemNumber': textFilter('contains'),
  },
  sorters: commonSorters,
}
