import { granularities, passportSources, passportStatuses, type Passport } from '../../../../features/dpp/index.ts'
import { jobStatuses } from '../../../../kernel/job.ts'
import type { PageResult } from '../../../../kernel/page.ts'
import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { formatAddress, isGiven } from '../../frame/lists.ts'
import {
  formatCount,
  renderApplicationOptions,
  renderDay,
  renderListHead,
  renderOptions,
  renderPager,
  renderTable,
  renderWhatNext,
  type ApplicationChoice,
  type TableColumn,
} from '../../frame/lists.views.ts'
import { passportWords, type PassportWords } from '../words/words.ts'
import { listBulkActs } from '../bulk/acts.ts'
import { filterNames, getBoxName, passportOrders, type FilterName, type PassportQuery } from './filters.ts'
import { formatTitle, getPassportAddress, passportsPath, type PassportTitle } from './titles.ts'

interface ListView {
  found: PageResult<Passport>
  /** The titles of the passports, in their order. */
  titles: readonly PassportTitle[]
  query: PassportQuery
  cursor: string | undefined
  applications: readonly ApplicationChoice[]
  sheets: readonly ApplicationChoice[]
  mayCreate: boolean
  mayUpdate: boolean
  mayDelete: boolean
}

/** Renders the state of a passport, and that of its certificate. */
export function renderBadges({ status, certificationStatus }: Passport, phrases: PassportWords): Markup {
  const tone = certificationStatus === 'certified' ? ' good' : certificationStatus === 'error' ? ' bad' : ''
  return html`<span class="badge${status === 'archived' ? ' bad' : status !== 'draft' && ' good'}">${phrases.statuses[status]}</span>${certificationStatus !== 'none' && html` <span class="badge${tone}">${phrases.certificationStates[certificationStatus]}</span>`}`
}

/** Renders hidden fields that keep the filters of a list. */
export const renderHiddenFilters = (query: PassportQuery): Markup =>
  html`${filterNames.map((name) => isGiven(query[name]) && html`<input type="hidden" name="${name}" value="${query[name]}">`)}`

/** Renders the list of passports with its search and filters, and what can be done with many of them. */
export function renderPassportList(page: ConsolePage, view: ListView): Markup {
  const { words, language } = page
  const { found, query, cursor } = view
  const phrases = passportWords[language]
  const getAddress = (path: string, more: Record<string, string> = {}) => formatAddress(path, { ...query, ...more })
  const isFiltered = filterNames.some((name) => name !== 'order' && isGiven(query[name]))
  const next = found.nextCursor === null ? null : getAddress(passportsPath, { cursor: found.nextCursor })
  const create = html`<p class="buttons"><a class="button small" href="${passportsPath}/new">${phrases.create}</a>
<a class="button small plain" href="/console/imports/new">${phrases.import}</a></p>`
  return html`<div class="row"><h1>${phrases.title}</h1>${view.mayCreate && create}</div>
${renderFilters(view, page)}
${
  found.data.length === 0
    ? isFiltered || isGiven(cursor)
      ? html`<p role="status">${words.list.nobody} <a href="${passportsPath}">${phrases.seeAll}</a></p>`
      : renderWhatNext(words, phrases.emptyHead, renderEmpty(view.mayCreate, phrases))
    : html`${renderListHead(formatTotal(found, page), getAddress(`${passportsPath}.csv`), words)}
${renderRows(view, page)}
<p><a href="${getAddress(`${passportsPath}/readiness`)}">${phrases.readinessOfMany}</a></p>
${renderPager(getAddress(passportsPath), next, { isFirst: !isGiven(cursor), words })}`
}`
}

const renderEmpty = (mayCreate: boolean, phrases: PassportWords): Markup =>
  mayCreate
    ? html`${phrases.emptyText} <a href="${passportsPath}/new">${phrases.emptyCreate}</a> ${phrases.or} <a href="/console/imports/new">${phrases.emptyImport}</a>.`
    : html`${phrases.emptyViewer}`

/** Formats the number of passports that a list finds. */
function formatTotal({ total, totalIsEstimate }: PageResult<Passport>, { words, language }: ConsolePage): string {
  const text = passportWords[language].count(total)
  return totalIsEstimate ? words.list.about(text) : text
}

function createColumns({ titles, found, mayUpdate, mayDelete }: ListView, page: ConsolePage): TableColumn<number>[] {
  const phrases = passportWords[page.language]
  const rows = found.data
  const get = <T>(at: number, read: (passport: Passport, title: PassportTitle) => T): T =>
    read(rows[at] as Passport, titles[at] as PassportTitle)
  const box: TableColumn<number> = {
    head: phrases.choose,
    cell: (at) =>
      get(
        at,
        ({ id }, title) =>
          html`<input type="checkbox" name="${getBoxName(id)}" value="on" aria-label="${phrases.chooseOne(formatTitle(title))}">`,
      ),
  }
  return [
    ...(mayUpdate || mayDelete ? [box] : []),
    {
      head: phrases.passport,
      cell: (at) =>
        get(
          at,
          ({ id }, { name, mark }) =>
            html`<a href="${getPassportAddress(id)}">${name}</a><br><span class="quiet">${mark ?? html`<code>${id.slice(-12)}</code>`}</span>`,
        ),
    },
    { head: phrases.state, cell: (at) => get(at, (passport) => renderBadges(passport, phrases)) },
    { head: page.words.list.application, cell: (at) => get(at, ({ application }) => application.name) },
    { head: phrases.changedHead, cell: (at) => get(at, ({ updatedAt }) => renderDay(updatedAt)) },
  ]
}

/** Renders the rows with boxes, in the form that leads to the question before an act. */
function renderRows(view: ListView, page: ConsolePage): Markup {
  const { found, query, mayUpdate, mayDelete } = view
  const phrases = passportWords[page.language]
  const rows = found.data.map((_, at) => at)
  const table = renderTable(phrases.title, createColumns(view, page), rows)
  if (!mayUpdate && !mayDelete) return table
  const acts = listBulkActs(page.member).map((act) => [act, phrases.acts[act]] as const)
  const total = formatCount(found.total, page.language)
  return html`<form method="get" action="${passportsPath}/bulk" aria-label="${phrases.many}">${renderHiddenFilters(query)}
${table}
<div class="card"><div class="pair"><div class="field"><label for="act">${phrases.act}</label>
<select id="act" name="act">${renderOptions(acts, 'publish')}</select>
<p class="quiet">${phrases.nothingYet}</p></div>
<div class="buttons"><button class="small" name="of" value="chosen">${phrases.forChosen}</button>
<button class="small plain" name="of" value="all">${found.totalIsEstimate ? phrases.forAllAbout(total) : phrases.forAll(total)}</button></div></div></div></form>`
}

function renderFilters({ query, applications, sheets }: ListView, { words, language }: ConsolePage): Markup {
  const phrases = passportWords[language]
  const { list } = words
  const all = [['', list.all]] as const
  const choices = <T extends string>(names: readonly T[], texts: Readonly<Record<T, string>>) =>
    [...all, ...names.map((name) => [name, texts[name]] as const)] as const
  const { search = '', order = 'newest', ...others } = query
  const isOpen = Object.values(others).some(isGiven) || order !== 'newest'
  const select = (name: FilterName, label: string, options: Markup) =>
    html`<p><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${options}</select></p>`
  const input = (name: FilterName, label: string, type: 'text' | 'date') =>
    html`<p><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" maxlength="200" value="${query[name] ?? ''}"></p>`
  return html`<form class="card" method="get" action="${passportsPath}" role="search" aria-label="${phrases.title}">
<label for="search">${phrases.searchLabel}</label>
<div class="search"><input id="search" name="search" type="search" maxlength="200" value="${search}">
<button>${list.search}</button></div>
<details class="more"${isOpen && html` open`}><summary>${list.filters}</summary>
<div class="filters">
${select('status', phrases.state, renderOptions(choices(passportStatuses, phrases.statuses), query.status ?? ''))}
${select('certify', phrases.certifyJob, renderOptions(choices(jobStatuses, phrases.jobStates), query.certify ?? ''))}
${select('application', list.application, renderApplicationOptions(applications, query.application ?? '', all))}
${select('sheet', phrases.sheet, renderApplicationOptions(sheets, query.sheet ?? '', all))}
${select('granularity', phrases.granularity, renderOptions(choices(granularities, phrases.granularities), query.granularity ?? ''))}
${select('source', phrases.source, renderOptions(choices(passportSources, phrases.sources), query.source ?? ''))}
${input('model', phrases.modelNumber, 'text')}
${input('batch', phrases.batchNumber, 'text')}
${input('since', phrases.since, 'date')}
${input('until', phrases.until, 'date')}
${input('changed', phrases.changedSince, 'date')}
${select(
  'order',
  list.order,
  renderOptions(
    passportOrders.map((one) => [one, phrases.orders[one]] as const),
    order,
  ),
)}
</div>${isGiven(query.owner) && html`<input type="hidden" name="owner" value="${query.owner}">`}${isGiven(query.import) && html`<input type="hidden" name="import" value="${query.import}">`}</details>
</form>`
}
