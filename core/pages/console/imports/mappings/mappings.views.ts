import { mapperTypes, type ImportJob, type Mapper } from '../../../../features/imports/index.ts'
import type { PageResult } from '../../../../kernel/page.ts'
import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { formatAddress, isGiven } from '../../frame/lists.ts'
import {
  formatCount,
  renderApplicationOptions,
  renderDay,
  renderInstant,
  renderListHead,
  renderOptions,
  renderPager,
  renderCards,
  renderWhatNext,
  type ApplicationChoice,
  type TableColumn,
} from '../../frame/lists.views.ts'
import { importsPath, renderProgressBar } from '../imports.views.ts'
import { importWords } from '../words.ts'
import { mappingWords } from './words.ts'

export const mappingsPath = `${importsPath}/mappings`
export const getMappingAddress = (id: string, act = ''): string => `${mappingsPath}/${id}${act}`

/** The fields of the form above the list, as the address of the page has them. */
export type MappingQuery = Partial<Record<'name' | 'application' | 'type', string>>

interface MappingsView {
  query: MappingQuery
  cursor: string | undefined
  applications: readonly ApplicationChoice[]
  found: PageResult<Mapper>
  running: readonly { mapper: Mapper; job: ImportJob }[]
}

/** Renders the list of saved mappings, after the imports that go on with them. */
export function renderMappings(page: ConsolePage, view: MappingsView): Markup {
  const { words, language } = page
  const { query, cursor, found } = view
  const phrases = mappingWords[language]
  const isFiltered = Object.values(query).some(isGiven)
  const next = found.nextCursor === null ? null : formatAddress(mappingsPath, { ...query, cursor: found.nextCursor })
  const count = phrases.count(formatCount(found.total, language))
  return html`<p><a href="${importsPath}">${importWords[language].all}</a></p>
<h1>${phrases.title}</h1>
<p>${phrases.intro}</p>
${renderRunning(page, view.running)}
${(found.data.length > 0 || isFiltered) && renderFilters(page, view)}
${
  found.data.length === 0
    ? isFiltered || isGiven(cursor)
      ? html`<p role="status">${words.list.nobody} <a href="${mappingsPath}">${phrases.seeAll}</a></p>`
      : renderWhatNext(words, phrases.emptyHead, phrases.emptyText)
    : html`${renderListHead(count, formatAddress(`${mappingsPath}.csv`, { ...query }), words)}
${renderCards(phrases.title, createColumns(page, view), found.data)}
${renderPager(formatAddress(mappingsPath, { ...query }), next, { isFirst: !isGiven(cursor), words })}`
}`
}

function createColumns({ words, language }: ConsolePage, { applications }: MappingsView): TableColumn<Mapper>[] {
  const phrases = mappingWords[language]
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  return [
    { head: phrases.name, cell: ({ id, name }) => html`<a href="${getMappingAddress(id)}">${name}</a>` },
    { head: words.list.application, cell: ({ application }) => names.get(application) ?? '' },
    { head: phrases.kind, cell: ({ type }) => phrases.kinds[type] },
    { head: phrases.format, cell: ({ format }) => format.toUpperCase() },
    {
      head: phrases.next,
      cell: ({ type, nextRunAt }) =>
        nextRunAt !== null ? renderInstant(nextRunAt) : type === 'url' ? phrases.byHand : null,
    },
    { head: phrases.changed, cell: ({ updatedAt }) => renderDay(updatedAt) },
  ]
}

function renderRunning({ language }: ConsolePage, running: MappingsView['running']): Markup | false {
  const phrases = mappingWords[language]
  return (
    running.length > 0
    && html`<section class="card" aria-labelledby="running"><h2 id="running">${phrases.running}</h2>
<ul class="links">${running.map(
      ({ mapper, job }) =>
        html`<li><a href="${importsPath}/${job.id}">${mapper.name}</a> <span class="quiet">${renderInstant(job.createdAt)}</span>
${renderProgressBar(job, importWords[language].progressOf(mapper.name))}</li>`,
    )}</ul></section>`
  )
}

function renderFilters({ words, language }: ConsolePage, { query, applications }: MappingsView): Markup {
  const phrases = mappingWords[language]
  const { list } = words
  const all = [['', list.all]] as const
  return html`<form class="card" method="get" action="${mappingsPath}" role="search" aria-label="${phrases.title}">
<div class="filters">
<p><label for="name">${phrases.namePart}</label>
<input id="name" name="name" type="search" maxlength="200" value="${query.name ?? ''}"></p>
<p><label for="application">${list.application}</label>
<select id="application" name="application">${renderApplicationOptions(applications, query.application?.toLowerCase() ?? '', all)}</select></p>
<p><label for="type">${phrases.kind}</label>
<select id="type" name="type">${renderOptions([...all, ...mapperTypes.map((type) => [type, phrases.kinds[type]] as const)], query.type ?? '')}</select></p>
</div>
<button>${list.search}</button></form>`
}
