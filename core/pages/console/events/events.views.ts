import { granularities } from '../../../features/dpp/index.ts'
import type { Event } from '../../../features/events/index.ts'
import { isObject } from '../../../kernel/json/values.ts'
import type { PageResult } from '../../../kernel/page.ts'
import type { EventType } from '../../../kernel/words.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatAddress, isGiven } from '../frame/lists.ts'
import {
  formatCount,
  renderApplicationOptions,
  renderInstant,
  renderListHead,
  renderOptions,
  renderPager,
  renderTable,
  renderWhatNext,
  type ApplicationChoice,
  type TableColumn,
} from '../frame/lists.views.ts'
import { getPassportAddress } from '../passports/list/titles.ts'
import { eventWords, subjects } from './words.ts'

export const eventsPath = '/console/events'

/** What can happen. */
export const types = [
  'create',
  'update',
  'delete',
  'publish',
  'claim',
  'scan',
  'transfer',
] as const satisfies EventType[]

/** The fields of the form above the list, as the address of the page has them. */
export type EventQuery = Partial<
  Record<
    'subject' | 'type' | 'application' | 'passport' | 'product' | 'item' | 'granularity' | 'since' | 'until',
    string
  >
>

interface EventsView {
  query: EventQuery
  cursor: string | undefined
  applications: readonly ApplicationChoice[]
  found: PageResult<Event>
  /** The titles of the passports that are still there, by id. */
  titles: ReadonlyMap<string, string>
}

/** Returns the passport that an event is about, with the name that its product had; undefined for another event. */
export function getPassport({ passport }: Event): { id: string; name: string | null } | undefined {
  if (!isObject(passport)) return undefined
  const { id, product } = passport
  const name = isObject(product) && typeof product['name'] === 'string' ? product['name'] : null
  return typeof id === 'string' ? { id, name } : undefined
}

/** Renders the list of events with its filters. */
export function renderEvents(page: ConsolePage, view: EventsView): Markup {
  const { words, language } = page
  const { query, cursor, found } = view
  const phrases = eventWords[language]
  const isFiltered = Object.values(query).some(isGiven)
  const next = found.nextCursor === null ? null : formatAddress(eventsPath, { ...query, cursor: found.nextCursor })
  const count = phrases.count(formatCount(found.total, language))
  return html`<h1>${phrases.title}</h1>
<p>${phrases.intro}</p>
${renderFilters(view, page)}
${
  found.data.length === 0
    ? isFiltered || isGiven(cursor)
      ? html`<p role="status">${words.list.nobody} <a href="${eventsPath}">${phrases.seeAll}</a></p>`
      : renderWhatNext(words, phrases.emptyHead, phrases.emptyText)
    : html`${renderListHead(found.totalIsEstimate ? words.list.about(count) : count, formatAddress(`${eventsPath}.csv`, { ...query }), words)}
${renderTable(phrases.title, createColumns(view, page), found.data)}
${renderPager(formatAddress(eventsPath, { ...query }), next, { isFirst: !isGiven(cursor), words })}`
}`
}

function createColumns({ titles }: EventsView, { words, language }: ConsolePage): TableColumn<Event>[] {
  const phrases = eventWords[language]
  const happened: Readonly<Record<string, Readonly<Record<string, string>>>> = phrases.happened
  const describe = ({ subject, type }: Event): string => happened[subject]?.[type] ?? `${subject} ${type}`
  const renderPassport = (event: Event) => {
    const passport = getPassport(event)
    if (!passport) return null
    const title = titles.get(passport.id)
    return title === undefined
      ? html`${passport.name ?? html`<code>${passport.id.slice(-12)}</code>`} <span class="quiet">${phrases.gone}</span>`
      : html`<a href="${getPassportAddress(passport.id)}">${title}</a>`
  }
  return [
    { head: phrases.when, cell: ({ createdAt }) => renderInstant(createdAt) },
    {
      head: phrases.what,
      cell: (event) =>
        html`${describe(event)}${event.unknown === true && html` <span class="badge bad">${phrases.unknown}</span>`}`,
    },
    { head: phrases.about, cell: renderPassport },
    { head: words.list.application, cell: ({ application }) => application.name },
  ]
}

function renderFilters({ query, applications }: EventsView, { words, language }: ConsolePage): Markup {
  const phrases = eventWords[language]
  const { list } = words
  const all = [['', list.all]] as const
  const select = (name: keyof EventQuery, label: string, options: Markup) =>
    html`<p><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${options}</select></p>`
  const choices = <T extends string>(names: readonly T[], texts: Readonly<Record<T, string>>, chosen = '') =>
    renderOptions([...all, ...names.map((name) => [name, texts[name]] as const)], chosen)
  const input = (name: keyof EventQuery, label: string, type: 'text' | 'date' = 'text') =>
    html`<p><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}"${type === 'text' && html` maxlength="200"`} value="${query[name] ?? ''}"></p>`
  const isOpen = [query.passport, query.product, query.item, query.granularity].some(isGiven)
  return html`<form class="card" method="get" action="${eventsPath}" role="search" aria-label="${phrases.title}">
<div class="filters">
${select('subject', phrases.subject, choices(subjects, phrases.subjects, query.subject))}
${select('type', phrases.type, choices(types, phrases.types, query.type))}
${select('application', list.application, renderApplicationOptions(applications, query.application?.toLowerCase() ?? '', all))}
${input('since', phrases.since, 'date')}
${input('until', phrases.until, 'date')}
</div>
<details class="more"${isOpen && html` open`}><summary>${phrases.subjects.dppPassport}</summary>
<div class="filters">
${input('passport', phrases.passport)}
${input('product', phrases.product)}
${input('item', phrases.item)}
${select('granularity', phrases.granularity, choices(granularities, phrases.granularities, query.granularity))}
</div></details>
<button>${list.search}</button></form>`
}
