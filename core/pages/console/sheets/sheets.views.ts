import { networkNames } from '../../../features/accounts/index.ts'
import { sheetStatuses, type Sheet, type SheetsStats, type SheetStatus } from '../../../features/dpp/index.ts'
import type { PageResult } from '../../../kernel/page.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatAddress, isGiven } from '../frame/lists.ts'
import {
  formatCount,
  renderApplicationOptions,
  renderDay,
  renderInstant,
  renderListHead,
  renderOptions,
  renderPager,
  renderTable,
  renderWhatNext,
  type ApplicationChoice,
} from '../frame/lists.views.ts'
import { sheetWords, type SheetWords } from './words.ts'

export const sheetsPath = '/console/sheets'
export const getSheetAddress = (id: string, step = ''): string => `${sheetsPath}/${id}${step}`

export const sheetOrders = ['newest', 'changed', 'name'] as const

/** The fields of the list's form, as the address of the page has them. */
export interface SheetQuery {
  search?: string
  application?: string
  status?: string
  network?: string
  since?: string
  order?: (typeof sheetOrders)[number]
  cursor?: string
}

interface ListView {
  query: SheetQuery
  applications: readonly ApplicationChoice[]
  mayCreate: boolean
}

/** Renders the state of a sheet as a badge. */
export const renderStatus = (status: SheetStatus, phrases: SheetWords): Markup =>
  html`<span class="badge${status === 'ACTIVE' && ' good'}">${phrases.states[status]}</span>`

/** Renders the list of sheets with its search and filters. */
export function renderSheets(page: ConsolePage, found: PageResult<Sheet>, view: ListView): Markup {
  const { language, words } = page
  const phrases = sheetWords[language]
  const { cursor, ...filters } = view.query
  const getAddress = (path: string, more: Record<string, string> = {}) => formatAddress(path, { ...filters, ...more })
  const { search, application, status, network, since } = filters
  const isFiltered = [search, application, status, network, since].some(isGiven)
  const next = found.nextCursor === null ? null : getAddress(sheetsPath, { cursor: found.nextCursor })
  const names = new Map(view.applications.map(({ id, name }) => [id, name]))
  const columns = [
    { head: phrases.name, cell: ({ id, name }: Sheet) => html`<a href="${getSheetAddress(id)}">${name}</a>` },
    { head: phrases.state, cell: (sheet: Sheet) => renderStatus(sheet.status, phrases) },
    { head: words.list.application, cell: (sheet: Sheet) => names.get(sheet.application) ?? '' },
    { head: words.list.network, cell: (sheet: Sheet) => sheet.network },
    { head: phrases.changed, cell: ({ updatedAt }: Sheet) => renderDay(updatedAt) },
    { head: phrases.created, cell: ({ createdAt }: Sheet) => renderDay(createdAt) },
  ]
  const add = view.mayCreate && html`<p><a class="button small" href="${sheetsPath}/new">${phrases.add}</a></p>`
  const count = phrases.count(found.total)
  return html`<div class="row"><h1>${phrases.title}</h1>${add}</div>
<p>${phrases.intro} <a href="${sheetsPath}/statistics">${phrases.statistics}</a></p>
${renderFilters(page, view)}
${
  found.data.length === 0
    ? isFiltered
      ? html`<p role="status">${phrases.nothing} <a href="${sheetsPath}">${phrases.seeAll}</a></p>`
      : renderWhatNext(
          words,
          phrases.emptyHead,
          view.mayCreate
            ? html`${phrases.emptyText} <a href="${sheetsPath}/new">${phrases.add}</a>`
            : phrases.emptyReader,
        )
    : html`${renderListHead(found.totalIsEstimate ? words.list.about(count) : count, getAddress(`${sheetsPath}.csv`), words)}
${renderTable(phrases.title, columns, found.data)}
${renderPager(getAddress(sheetsPath), next, { isFirst: !isGiven(cursor), words })}`
}`
}

function renderFilters({ language, words }: ConsolePage, { query, applications }: ListView): Markup {
  const phrases = sheetWords[language]
  const { list } = words
  const { application = '', status = '', network = '', since = '', order = 'newest' } = query
  const isOpen = [application, status, network, since].some(isGiven) || order !== 'newest'
  const states = sheetStatuses.map((each) => [each, phrases.states[each]] as const)
  return html`<form class="card" method="get" action="${sheetsPath}" role="search" aria-label="${phrases.title}">
<label for="search">${phrases.searchLabel}</label>
<div class="search"><input id="search" name="search" type="search" maxlength="200" value="${query.search ?? ''}">
<button>${list.search}</button></div>
<details class="more"${isOpen && html` open`}><summary>${list.filters}</summary>
<div class="filters">
<p><label for="application">${list.application}</label>
<select id="application" name="application">${renderApplicationOptions(applications, application, [['', list.all]])}</select></p>
<p><label for="status">${phrases.state}</label>
<select id="status" name="status">${renderOptions([['', list.all], ...states], status)}</select></p>
<p><label for="network">${list.network}</label>
<select id="network" name="network">${renderOptions([['', list.all], ...networkNames.map((name) => [name, name] as const)], network)}</select></p>
<p><label for="since">${phrases.since}</label>
<input id="since" name="since" type="date" value="${since}"></p>
<p><label for="order">${list.order}</label>
<select id="order" name="order">${renderOptions(
    sheetOrders.map((one) => [one, phrases.orders[one]] as const),
    order,
  )}</select></p>
</div></details>
</form>`
}

type Activity = Omit<SheetsStats, 'products'>

/** Renders what became of passports, in numbers. @param sheet whose passports they are, if of one */
export function renderFigures(
  { passports, minted, claims, scans, lastActivityAt }: Activity,
  language: ConsoleLanguage,
  sheet?: string,
): Markup {
  const phrases = sheetWords[language]
  const { figures } = phrases
  const linked = (status: 'draft' | 'published' | 'claimed' | 'archived'): Markup =>
    html`<a href="${formatAddress('/console/passports', { sheet, status })}">${formatCount(passports[status], language)}</a>`
  const shown: [string, Markup | string][] = [
    [figures.passports, formatCount(passports.total, language)],
    [figures.draft, linked('draft')],
    [figures.published, linked('published')],
    [figures.claimed, linked('claimed')],
    [figures.archived, linked('archived')],
    [figures.minted, formatCount(minted, language)],
    [figures.pending, formatCount(claims.pending, language)],
    [figures.completed, formatCount(claims.completed, language)],
    [figures.failed, formatCount(claims.failed, language)],
    [figures.scans, formatCount(scans, language)],
  ]
  return html`<section class="card" aria-label="${phrases.statistics}"><dl class="figures">
${shown.map(([name, figure]) => html`<div><dt>${name}</dt><dd>${figure}</dd></div>`)}</dl>
<p class="quiet">${phrases.lastActivity}: ${lastActivityAt === null ? phrases.nothingYet : renderInstant(lastActivityAt)}</p></section>`
}

/** Renders the statistics of all sheets. */
export function renderStatistics({ language }: ConsolePage, { products, ...activity }: SheetsStats): Markup {
  const phrases = sheetWords[language]
  return html`<p><a href="${sheetsPath}">${phrases.all}</a></p>
<h1>${phrases.statisticsTitle}</h1>
<section class="card" aria-label="${phrases.title}"><dl class="figures">
<div><dt>${phrases.title}</dt><dd>${formatCount(products.total, language)}</dd></div>
${sheetStatuses.map((status) => html`<div><dt>${phrases.states[status]}</dt><dd><a href="${sheetsPath}?status=${status}">${formatCount(products[status], language)}</a></dd></div>`)}</dl></section>
${renderFigures(activity, language)}`
}
