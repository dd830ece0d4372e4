import { reportKinds, type PassportReport } from '../../../features/dpp/index.ts'
import type { PageResult } from '../../../kernel/page.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderHiddenFields, renderSelect } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatAddress, isGiven } from '../frame/lists.ts'
import {
  formatCount,
  renderApplicationOptions,
  renderInstant,
  renderListHead,
  renderOptions,
  renderPager,
  renderWhatNext,
  type ApplicationChoice,
} from '../frame/lists.views.ts'
import { getPassportAddress } from '../passports/list/titles.ts'
import { reportListWords, reportStates } from './words.ts'

export const reportsPath = '/console/reports'

/** The fields of the form above the list, as the address of the page has them. */
export type ReportQuery = Partial<Record<'state' | 'kind' | 'application' | 'passport', string>>

/** Returns the address of all reports of a passport. */
export const getReportsAddress = (passport: string): string => formatAddress(reportsPath, { state: 'all', passport })

interface ReportsView {
  query: ReportQuery
  cursor: string | undefined
  applications: readonly ApplicationChoice[]
  found: PageResult<PassportReport>
  mayUpdate: boolean
}

/** Renders the reports with their filters, each with its text, because members read them one after the other. */
export function renderReports(page: ConsolePage, view: ReportsView): Markup {
  const { words, language } = page
  const { query, cursor, found } = view
  const phrases = reportListWords[language]
  const next = found.nextCursor === null ? null : formatAddress(reportsPath, { ...query, cursor: found.nextCursor })
  const isFiltered = [query.state, query.kind, query.application, query.passport, cursor].some(isGiven)
  return html`<h1>${phrases.title}</h1>
<p>${phrases.intro}</p>
${renderFilters(page, view)}
${
  found.data.length === 0
    ? isFiltered
      ? html`<p role="status">${words.list.nobody} <a href="${reportsPath}?state=all">${phrases.seeAll}</a></p>`
      : renderWhatNext(words, phrases.emptyHead, phrases.emptyText)
    : html`${renderListHead(phrases.count(formatCount(found.total, language)), formatAddress(`${reportsPath}.csv`, { ...query }), words)}
${found.data.map((report) => renderReport(page, view, report))}
${renderPager(formatAddress(reportsPath, { ...query }), next, { isFirst: !isGiven(cursor), words })}`
}`
}

function renderReport({ language }: ConsolePage, { query, mayUpdate }: ReportsView, report: PassportReport): Markup {
  const phrases = reportListWords[language]
  const { id, kind, passport, text, email, createdAt, handledAt } = report
  return html`<section class="card" aria-label="${phrases.kinds[kind]}, ${passport.name}">
<div class="row"><p><span class="badge${handledAt === null && kind !== 'other' && ' bad'}">${phrases.kinds[kind]}</span> <a href="${getPassportAddress(passport.id)}">${passport.name}</a></p><p class="quiet">${renderInstant(createdAt)}</p></div>
<p>${text.split('\n').map((line, at) => html`${at > 0 && html`<br>`}${line}`)}</p>
<p class="quiet">${email ?? phrases.anonymous}${handledAt !== null && html`<br>${phrases.handledOn} ${renderInstant(handledAt)}`}</p>
${
  mayUpdate
  && html`<form method="post" action="${reportsPath}/${id}">${renderHiddenFields({ handled: handledAt === null ? 'yes' : 'no', next: formatAddress(reportsPath, { ...query }) })}<button class="small plain">${handledAt === null ? phrases.handle : phrases.reopen}</button></form>`
}
</section>`
}

function renderFilters({ words, language }: ConsolePage, { query, applications, found }: ReportsView): Markup {
  const phrases = reportListWords[language]
  const all = [['', words.list.all]] as const
  const { passport = '' } = query
  const name = found.data[0]?.passport.name ?? passport
  return html`<form class="card" method="get" action="${reportsPath}" role="search" aria-label="${phrases.title}">
<div class="filters">
${renderSelect(
  { name: 'state', label: phrases.state },
  renderOptions(
    reportStates.map((state) => [state, phrases.states[state]] as const),
    query.state ?? 'open',
  ),
)}
${renderSelect(
  { name: 'kind', label: phrases.kind },
  renderOptions([...all, ...reportKinds.map((kind) => [kind, phrases.kinds[kind]] as const)], query.kind ?? ''),
)}
${renderSelect({ name: 'application', label: words.list.application }, renderApplicationOptions(applications, query.application?.toLowerCase() ?? '', all))}
</div>
${isGiven(passport) && html`<p>${phrases.onlyOf} <a href="${getPassportAddress(passport)}">${name}</a>. <a href="${reportsPath}?state=all">${phrases.seeAll}</a></p>${renderHiddenFields({ passport })}`}
<button>${words.list.search}</button></form>`
}
