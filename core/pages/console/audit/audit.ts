import { isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { FilterNode, PageRequest } from '../../../kernel/page.ts'
import { oneOf, optional } from '../../../kernel/schema.ts'
import { listSegmentAnchors, listTrail, readTrail, type TrailEntry } from '../../../features/audit/index.ts'
import { readOrganization } from '../../../features/identity/index.ts'
import { memberPageOptions } from '../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import {
  answerCsv,
  createFilter,
  createPageRequest,
  cursorField,
  dayField,
  parseDay,
  textField,
  type CsvColumns,
} from '../frame/lists.ts'
import { auditFilePath, auditPath, renderAudit, type AuditQuery } from './audit.views.ts'
import { getDayStart } from './days.ts'
import { auditActions, auditWords } from './words.ts'

/** Only owners and administrators may change the organization, and see who did what to it. */
const permission = 'organization:update'

/** The number of months whose anchors are shown: all that are kept. */
const maxMonths = 14

const fields = {
  action: optional(oneOf(['', ...auditActions], 'What was done, if not all.')),
  actor: textField('Part of the name of who did it.'),
  from: dayField('The first day, as 2026-03-01, in the time zone of the organization.'),
  to: dayField('The last day.'),
}

const createDayFilter = (
  operator: 'gte' | 'lt',
  path: 'from' | 'to',
  { query, timeZone }: { query: AuditQuery; timeZone: string },
): FilterNode[] => {
  const midnight = parseDay(query[path], path)
  if (midnight === undefined) return []
  return [{ field: 'at', operator, value: getDayStart(midnight, timeZone, operator === 'lt' ? 1 : 0), path }]
}

function createRequest(query: AuditQuery, timeZone: string): PageRequest {
  const filters = [
    ...createFilter('action', 'eq', query.action),
    ...createFilter('actor', 'contains', query.actor?.trim()),
    ...createDayFilter('gte', 'from', { query, timeZone }),
    ...createDayFilter('lt', 'to', { query, timeZone }),
  ]
  return createPageRequest(filters, { sorter: { field: 'at', order: 'desc' }, cursor: query.cursor })
}

const readTimeZone = async ({ work, member }: ConsolePage): Promise<string> =>
  (await readOrganization(work, member, member.organization)).timeZone

/** The audit trail of the organization, the newest first. Its address has the filters, so that it can be shared. */
const listOperation = declareOperation({
  id: 'console_audit_page_v1',
  method: 'GET',
  path: auditPath,
  ...memberPageOptions,
  query: { ...fields, cursor: cursorField },
  document: { tag: 'Pages', summary: 'Audit trail of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, auditPath, permission)
  if (isAnswer(page)) return page
  const timeZone = await readTimeZone(page)
  const request = createRequest(input.query, timeZone)
  const found = await listTrail(page.work.trx, page.member.organization, request)
  const anchors = await listSegmentAnchors(page.work.trx, page.member.organization, maxMonths)
  const content = renderAudit(page, { query: input.query, found, timeZone, anchors })
  return renderFramed(page, { title: auditWords[page.language].title }, content)
})

const columns: CsvColumns<TrailEntry> = [
  ['at', ({ at }) => at],
  ['actor_kind', ({ actor }) => actor.kind],
  ['actor_id', ({ actor }) => actor.id],
  ['actor', ({ actor }) => actor.label],
  ['action', ({ action }) => action],
  ['change', ({ change }) => change],
  ['target_kind', ({ target }) => target.kind],
  ['target_id', ({ target }) => target.id],
  ['target', ({ target }) => target.label],
  ['address', ({ address }) => address],
  ['request_id', ({ requestId }) => requestId],
]

/** The CSV file of all entries that the filters of the list find. Its times are in UTC. */
const fileOperation = declareOperation({
  id: 'console_audit_file_v1',
  method: 'GET',
  path: auditFilePath,
  ...memberPageOptions,
  query: fields,
  returns: { 200: { type: 'text/csv', description: 'The entries.' } },
  document: { tag: 'Pages', summary: 'Audit trail as CSV' },
}).withReadHandler(async (input) => {
  const page = openPage(input, auditPath, permission)
  if (isAnswer(page)) return page
  const request = createRequest(input.query, await readTimeZone(page))
  return answerCsv('audit', columns, readTrail(page.work.context.db, page.member.organization, request))
})

export const auditPages: Operation[] = [listOperation, fileOperation]
