import { byEnum, byId, byText, commonFilters, commonSorters, listOf, type ListDeclaration } from '../../kernel/page.ts'
import { boolean, instant, nullable, object, oneOf, optional, record, uuid, type Static } from '../../kernel/schema.ts'
import { ApplicationRef } from '../applications/index.ts'
import { eventSubjects, eventTypes } from './events.words.ts'

export const Event = object({
  id: uuid('Identifier of the event.'),
  subject: oneOf(eventSubjects, 'What it happened to.'),
  type: oneOf(eventTypes, 'What happened.'),
  application: ApplicationRef,
  passport: optional(nullable(record(
    'The public part of the passport as it was then, of a draft only its `id`; only where the subject is dppPassport. ' +
    'Null for callers without `dpp:read`.'))),
  unknown: optional(boolean(
    'True of a scan whose serial or batch number the maker has not registered; `passport` is the nearest known level.')),
  createdAt: instant('When it happened.'),
  updatedAt: instant('The same instant: events never change.'),
}, { title: 'Event', description: 'Something that happened, written in the transaction of the change itself.' })
export type Event = Static<typeof Event>

export const EventList = listOf(Event, 'EventList')

export const eventList: ListDeclaration = {
  of: Event,
  filters: {
    ...commonFilters,
    subject: byEnum(eventSubjects, 'eq'),
    type: byEnum(eventTypes, 'eq'),
    'application.id': byId('eq'),
    'passport.id': byId('eq'),
    'passport.product.idGranularity': byEnum(['model', 'batch', 'item'], 'eq'),
    'passport.product.name': byText('contains'),
    'passport.product.itemNumber': byText('contains'),
  },
  sorters: commonSorters,
}
