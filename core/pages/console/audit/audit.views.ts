import type { PageResult } from '../../../kernel/page.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { SegmentAnchor, TrailEntry } from '../../../features/audit/index.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatAddress, isGiven } from '../frame/lists.ts'
import { renderListHead, renderOptions, renderPager, renderTable, type TableColumn } from '../frame/lists.views.ts'
import { auditActions, auditWords, type AuditWords } from './words.ts'

export const auditPath = '/console/audit'
export const auditFilePath = '/console/audit.csv'

/** The fields of the form above the list, as the address of the page has them. */
export interface AuditQuery {
  action?: string
  actor?: string
  from?: string
  to?: string
  cursor?: string
}

interface AuditView {
  query: AuditQuery
  found: PageResult<TrailEntry>
  /** IANA time zone of the organization. */
  timeZone: string
  anchors: readonly SegmentAnchor[]
}

/** Renders the audit trail with its filters. */
export function renderAudit({ language, words }: ConsolePage, { query, found, timeZone, anchors }: AuditView): Markup {
  const phrases = auditWords[language]
  const { cursor, ...filters } = query
  const isFiltered = Object.values(filters).some(isGiven)
  const next = found.nextCursor === null ? null : formatAddress(auditPath, { ...filters, cursor: found.nextCursor })
  const count = phrases.count(found.total)
  const total = found.totalIsEstimate ? words.list.about(count) : count
  return html`<h1>${phrases.title}</h1>
<p>${phrases.intro} ${phrases.zone(timeZone)}</p>
${renderFilters(filters, phrases, words.list.search)}
${
  found.data.length === 0
    ? html`<p role="status">${phrases.nothing} ${isFiltered && html`<a href="${auditPath}">${phrases.seeAll}</a>`}</p>`
    : html`${renderListHead(total, formatAddress(auditFilePath, filters), words)}
${renderTable(phrases.title, createColumns(phrases, createTimeFormat(language, timeZone)), found.data)}
${renderPager(formatAddress(auditPath, filters), next, { isFirst: !isGiven(cursor), words })}`
}
${anchors.length > 0 && renderAnchors(anchors, phrases)}`
}

const renderAnchors = (anchors: readonly SegmentAnchor[], phrases: AuditWords): Markup =>
  html`<h2>${phrases.anchored}</h2>
<p>${phrases.anchoredIntro}</p>
${renderTable(
  phrases.anchored,
  [
    { head: phrases.month, cell: ({ month }) => month },
    { head: phrases.entries, cell: ({ length }) => String(length) },
    { head: phrases.network, cell: ({ network }) => network },
    {
      head: phrases.transaction,
      cell: ({ transactionHash }) =>
        transactionHash === null ? phrases.onItsWay : html`<code>${transactionHash}</code>`,
    },
  ],
  anchors,
)}`

const createTimeFormat = (language: ConsoleLanguage, timeZone: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone })

const createColumns = (phrases: AuditWords, times: Intl.DateTimeFormat): TableColumn<TrailEntry>[] => [
  { head: phrases.at, cell: ({ at }) => renderTime(at, times) },
  { head: phrases.who, cell: ({ actor }) => renderActor(actor, phrases) },
  { head: phrases.what, cell: ({ action, change }) => renderLines(phrases.actions[action], change) },
  { head: phrases.target, cell: ({ target }) => renderLines(target.label ?? '', target.id) },
  { head: phrases.address, cell: ({ address }) => address },
  { head: phrases.request, cell: ({ requestId }) => requestId },
]

/** The time in the zone of the organization; its title says it in UTC. */
const renderTime = (at: string, times: Intl.DateTimeFormat): Markup =>
  html`<time datetime="${at}" title="${at.slice(0, 19).replace('T', ' ')} UTC">${times.format(new Date(at))}</time>`

const renderActor = ({ kind, label }: TrailEntry['actor'], { actors, erased }: AuditWords): Markup =>
  renderLines(label ?? erased, actors[kind])

const renderLines = (first: string, second: string | null): Markup =>
  html`${first}${second !== null && html`<br><span class="quiet">${second}</span>`}`

const renderFilters = (
  { action = '', actor = '', from = '', to = '' }: AuditQuery,
  phrases: AuditWords,
  search: string,
): Markup => html`<form class="card" method="get" action="${auditPath}" role="search" aria-label="${phrases.title}">
<div class="filters">
<p><label for="action">${phrases.actionField}</label>
<select id="action" name="action">${renderOptions([['', ''], ...auditActions.map((one) => [one, phrases.actions[one]] as const)], action)}</select></p>
<p><label for="actor">${phrases.actorField}</label>
<input id="actor" name="actor" type="search" maxlength="200" value="${actor}"></p>
<p><label for="from">${phrases.from}</label>
<input id="from" name="from" type="date" value="${from}"></p>
<p><label for="to">${phrases.to}</label>
<input id="to" name="to" type="date" value="${to}"></p>
</div>
<button>${search}</button></form>`
