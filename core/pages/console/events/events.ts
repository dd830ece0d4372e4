import { listApplicationChoices } from '../../../features/applications/index.ts'
import { granularities, listPassports } from '../../../features/dpp/index.ts'
import { listEvents, type Event } from '../../../features/events/index.ts'
import { isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { FilterNode } from '../../../kernel/page.ts'
import { oneOf, optional } from '../../../kernel/schema.ts'
import { may, memberPageOptions } from '../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { declareListFile } from '../frame/list-file.ts'
import {
  createFilter,
  createPageRequest,
  cursorField,
  dayField,
  parseDay,
  readPages,
  textField,
  uuidField,
  type CsvColumns,
} from '../frame/lists.ts'
import { createChoiceRequest } from '../passports/list/filters.ts'
import { formatTitle, readTitles } from '../passports/list/titles.ts'
import { eventsPath, getPassport, renderEvents, types, type EventQuery } from './events.views.ts'
import { eventWords, subjects } from './words.ts'

const permission = 'organization:read'
const newestFirst = { field: 'createdAt', order: 'desc' } as const

/** The fields of the form above the list, as the address of the page has them. Each is a filter of the API's list. */
const fields = {
  subject: optional(oneOf(['', ...subjects], 'What it happened to, if not all.')),
  type: optional(oneOf(['', ...types], 'What happened, if not all.')),
  application: uuidField('The application, if not all.'),
  passport: uuidField('The passport, if not all.'),
  product: textField('Part of the name of the product.'),
  item: textField('Part of the number of the item.'),
  granularity: optional(oneOf(['', ...granularities], 'What the product stands for, if not all.')),
  since: dayField('The first day, as 2026-03-01, in UTC.'),
  until: dayField('The last day.'),
}

const dayMs = 86_400_000

function createFilters(query: EventQuery): FilterNode[] {
  const last = parseDay(query.until, 'until')
  const end = last === undefined ? undefined : new Date(Date.parse(last) + dayMs).toISOString()
  return [
    ...createFilter('subject', 'eq', query.subject),
    ...createFilter('type', 'eq', query.type),
    ...createFilter('application.id', 'eq', query.application?.toLowerCase()),
    ...createFilter('passport.id', 'eq', query.passport?.toLowerCase()),
    ...createFilter('passport.product.name', 'contains', query.product?.trim()),
    ...createFilter('passport.product.itemNumber', 'contains', query.item?.trim()),
    ...createFilter('passport.product.idGranularity', 'eq', query.granularity),
    ...createFilter('createdAt', 'gte', parseDay(query.since, 'since')),
    ...createFilter('createdAt', 'lt', end),
  ]
}

/** The events of the organization, the newest first. Its address has the filters, so that it can be shared. */
const listOperation = declareOperation({
  id: 'console_events_page_v1',
  method: 'GET',
  path: eventsPath,
  ...memberPageOptions,
  query: { ...fields, cursor: cursorField },
  document: { tag: 'Pages', summary: 'Events of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, eventsPath, permission)
  if (isAnswer(page)) return page
  const { member, work } = page
  const { cursor, ...query } = input.query
  const request = createPageRequest(createFilters(query), { sorter: newestFirst, cursor })
  const [applications, found] = await Promise.all([
    listApplicationChoices(work.trx, member.organization),
    listEvents(work, member, request),
  ])
  const titles = await readPresentTitles(page, found.data)
  const content = renderEvents(page, { query, cursor, applications, found, titles })
  return renderFramed(page, { title: eventWords[page.language].title }, content)
})

/** Reads the titles of the passports that events are about, by id; one that was deleted since is left out. */
async function readPresentTitles(
  { member, work }: ConsolePage,
  events: readonly Event[],
): Promise<Map<string, string>> {
  const ids = [...new Set(events.flatMap((event) => getPassport(event)?.id ?? []))]
  if (ids.length === 0 || !may(member, 'dpp:read')) return new Map()
  const { data } = await listPassports(work, member, createChoiceRequest(ids))
  const titles = await readTitles(work.trx, data)
  return new Map(data.map(({ id }, at) => [id, formatTitle(titles[at] ?? { name: id, mark: null })]))
}

const columns: CsvColumns<Event> = [
  ['id', ({ id }) => id],
  ['created_at', ({ createdAt }) => createdAt],
  ['subject', ({ subject }) => subject],
  ['type', ({ type }) => type],
  ['application', ({ application }) => application.id],
  ['application_name', ({ application }) => application.name],
  ['passport', (event) => getPassport(event)?.id ?? null],
  ['product', (event) => getPassport(event)?.name ?? null],
  ['unknown_number', ({ unknown }) => (unknown === true ? 'true' : null)],
]

/** The CSV file of all events that the filters of the list find. */
const fileOperation = declareListFile({
  id: 'console_events_file_v1',
  listPath: eventsPath,
  permission,
  fileName: 'events',
  description: 'The events.',
  summary: 'Events as CSV',
  query: fields,
  columns,
  readRows: ({ member, work }, query) =>
    readPages(newestFirst, (request) => listEvents(work, member, request), createFilters(query)),
})

/** The list of events as a page and as a file. */
export const eventPages: Operation[] = [listOperation, fileOperation]
