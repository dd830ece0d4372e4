import type { ClaimRequest } from '../../../features/dpp/index.ts'
import type { PageResult } from '../../../kernel/page.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderHiddenFields, renderSelect } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatAddress, isGiven } from '../frame/lists.ts'
import {
  formatCount,
  renderApplicationOptions,
  renderInstant,
  renderOptions,
  renderPager,
  renderWhatNext,
  type ApplicationChoice,
} from '../frame/lists.views.ts'
import { getPassportAddress } from '../passports/list/titles.ts'
import { claimRequestWords, requestStates } from './words.ts'

export const claimRequestsPath = '/console/claim-requests'

/** The fields of the form above the list, as the address of the page has them. */
export type ClaimRequestQuery = Partial<Record<'state' | 'application', string>>

interface ClaimRequestsView {
  query: ClaimRequestQuery
  cursor: string | undefined
  applications: readonly ApplicationChoice[]
  found: PageResult<ClaimRequest>
  mayUpdate: boolean
  /** Why the last decision was refused. */
  problem?: ProblemError | undefined
}

/** Renders the requests with their filters, each with its text, because members read them one after the other. */
export function renderClaimRequests(page: ConsolePage, view: ClaimRequestsView): Markup {
  const { words, language } = page
  const { query, cursor, found, problem } = view
  const phrases = claimRequestWords[language]
  const next =
    found.nextCursor === null ? null : formatAddress(claimRequestsPath, { ...query, cursor: found.nextCursor })
  const isFiltered = [query.state, query.application, cursor].some(isGiven)
  return html`<h1>${phrases.title}</h1>
<p>${phrases.intro}</p>
${problem && html`<p class="bad" role="alert">${problem.code === 'RATE_LIMITED' ? phrases.tooMany : phrases.notClaimable}</p>`}
${renderFilters(page, view)}
${
  found.data.length === 0
    ? isFiltered
      ? html`<p role="status">${words.list.nobody} <a href="${claimRequestsPath}?state=all">${phrases.seeAll}</a></p>`
      : renderWhatNext(words, phrases.emptyHead, phrases.emptyText)
    : html`<p>${phrases.count(formatCount(found.total, language))}</p>
${found.data.map((request) => renderRequest(page, view, request))}
${renderPager(formatAddress(claimRequestsPath, { ...query }), next, { isFirst: !isGiven(cursor), words })}`
}`
}

function renderRequest({ language }: ConsolePage, { query, mayUpdate }: ClaimRequestsView, request: ClaimRequest) {
  const phrases = claimRequestWords[language]
  const { id, passport, status, text, email, phoneNumber, createdAt, decidedAt } = request
  const fields = renderHiddenFields({ next: formatAddress(claimRequestsPath, { ...query }) })
  return html`<section class="card" aria-label="${[passport.name, email ?? phoneNumber ?? createdAt].join(', ')}">
<div class="row"><p><span class="badge">${phrases.states[status]}</span> <a href="${getPassportAddress(passport.id)}">${passport.name}</a></p><p class="quiet">${renderInstant(createdAt)}</p></div>
<p>${text === '' ? phrases.nothingSaid : text.split('\n').map((line, at) => html`${at > 0 && html`<br>`}${line}`)}</p>
<p class="quiet">${email ?? phoneNumber ?? phrases.erased}${decidedAt !== null && html`<br>${phrases.decidedOn} ${renderInstant(decidedAt)}`}</p>
${
  mayUpdate
  && status === 'waiting'
  && html`<form class="row" method="post" action="${claimRequestsPath}/${id}">${fields}<button class="small" name="decision" value="approve">${phrases.approve}</button> <button class="small plain" name="decision" value="decline">${phrases.decline}</button></form>`
}
</section>`
}

function renderFilters({ words, language }: ConsolePage, { query, applications }: ClaimRequestsView): Markup {
  const phrases = claimRequestWords[language]
  const all = [['', words.list.all]] as const
  return html`<form class="card" method="get" action="${claimRequestsPath}" role="search" aria-label="${phrases.title}">
<div class="filters">
${renderSelect(
  { name: 'state', label: phrases.state },
  renderOptions(
    requestStates.map((state) => [state, phrases.states[state]] as const),
    query.state ?? 'waiting',
  ),
)}
${renderSelect({ name: 'application', label: words.list.application }, renderApplicationOptions(applications, query.application?.toLowerCase() ?? '', all))}
</div>
<button>${words.list.search}</button></form>`
}
