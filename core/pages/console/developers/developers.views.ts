import type { ProblemError } from '../../../kernel/problem.ts'
import type { ListedFailedJob } from '../../../features/jobs/index.ts'
import type { LoggedRequest, RequestPage } from '../../../features/requests/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { may } from '../console.ts'
import { addRefusals, renderRefusal } from '../frame/forms.views.ts'
import { eventsPath } from '../events/events.views.ts'
import { eventWords } from '../events/words.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatAddress, isGiven } from '../frame/lists.ts'
import {
  formatCount,
  renderCards,
  renderInstant,
  renderListHead,
  renderOptions,
  renderPager,
  renderWhatNext,
  type TableColumn,
} from '../frame/lists.views.ts'
import { formatKeyFormAddress } from '../keys/keys.views.ts'
import { developerWords, type DeveloperWords } from './words.ts'

export const developersPath = '/console/developers'

/** The fields of the form above the requests, as the address of the page has them. */
export interface RequestQuery {
  failed?: '' | 'yes'
  operation?: string
  credential?: string
  cursor?: string
}

interface DevelopersView {
  found: RequestPage
  query: RequestQuery
  next: string | null
  isFirst: boolean
  jobs: readonly ListedFailedJob[]
  /** Why a job was not run again. */
  problem: ProblemError | undefined
}

/** Renders the newest requests of an organization, and its jobs that failed. */
export function renderDevelopers(page: ConsolePage, view: DevelopersView): Markup {
  const phrases = developerWords[page.language]
  return html`<h1>${phrases.title}</h1>
<p>${phrases.intro} <a href="${eventsPath}">${eventWords[page.language].link}</a></p>
${renderProblem(page, view.problem, phrases)}
<section aria-labelledby="requests"><h2 id="requests">${phrases.requests}</h2>
${renderRequests(page, view, phrases)}</section>
<section aria-labelledby="jobs"><h2 id="jobs">${phrases.jobs}</h2>
${renderJobs(page, view.jobs, phrases)}</section>`
}

const renderProblem = (
  { words }: ConsolePage,
  problem: ProblemError | undefined,
  phrases: DeveloperWords,
): Markup | false =>
  problem !== undefined
  && html`<p>${phrases.refusedTitle}.</p>
${renderRefusal(problem, addRefusals(words, phrases.refusals), { job: phrases.type })}`

function renderRequests(page: ConsolePage, { found, query, next, isFirst }: DevelopersView, phrases: DeveloperWords) {
  const { words, language, member } = page
  const { cursor: _, ...filters } = query
  const isFiltered = Object.values(filters).some(isGiven)
  if (found.operations.length === 0)
    return renderWhatNext(
      words,
      phrases.emptyHead,
      html`${phrases.emptyText}${may(member, 'apiKey:create') && html` <a href="${formatKeyFormAddress('read')}">${phrases.emptyLink}</a>`}`,
    )
  const form = renderFilters(found, query, phrases)
  if (found.total === 0)
    return html`${form}<p role="status">${phrases.nothing} <a href="${developersPath}">${phrases.seeAll}</a></p>`
  const count = phrases.count(formatCount(found.total, language))
  return html`${form}
${renderListHead(count, formatAddress(`${developersPath}.csv`, filters), words)}
${isFiltered && html`<p><a href="${developersPath}">${phrases.seeAll}</a></p>`}
${renderCards(phrases.requests, createColumns(phrases), found.requests)}
${renderPager(formatAddress(developersPath, filters), next, { isFirst, words })}`
}

const createColumns = (phrases: DeveloperWords): TableColumn<LoggedRequest>[] => [
  { head: phrases.time, cell: ({ at }) => renderMoment(at) },
  { head: phrases.operation, cell: ({ operation }) => html`<code>${operation}</code>` },
  {
    head: phrases.status,
    cell: ({ status }) => html`<span class="${status < 400 ? 'good' : 'bad'}">${status}</span>`,
  },
  { head: phrases.code, cell: ({ code }) => code !== null && html`<code>${code}</code>` },
  { head: phrases.duration, cell: ({ ms }) => phrases.milliseconds(String(ms)), isNumber: true },
  { head: phrases.credential, cell: ({ label }) => label ?? phrases.gone },
  { head: phrases.requestId, cell: ({ requestId }) => html`<code>${requestId}</code>` },
]

/** Renders an instant to the second, as requests follow each other closely. */
const renderMoment = (instant: string): Markup =>
  html`<time datetime="${instant}">${instant.slice(0, 19).replace('T', ' ')} UTC</time>`

const renderFilters = (found: RequestPage, query: RequestQuery, phrases: DeveloperWords): Markup => {
  const { failed, operation = '', credential = '' } = query
  const credentials = found.credentials.map(({ id, label }) => [id, label ?? phrases.gone] as const)
  return html`<form class="card" method="get" action="${developersPath}" aria-label="${phrases.requests}">
<div class="filters">
<p><label for="operation">${phrases.operation}</label>
<select id="operation" name="operation">${renderOptions([['', phrases.all], ...found.operations.map((id) => [id, id] as const)], operation)}</select></p>
<p><label for="credential">${phrases.credential}</label>
<select id="credential" name="credential">${renderOptions([['', phrases.all], ...credentials], credential.toLowerCase())}</select></p>
</div>
<label class="option"><input type="checkbox" name="failed" value="yes"${failed === 'yes' && html` checked`}>${phrases.failedOnly}</label>
<button class="small">${phrases.show}</button>
</form>`
}

function renderJobs({ language }: ConsolePage, jobs: readonly ListedFailedJob[], phrases: DeveloperWords): Markup {
  if (jobs.length === 0) return html`<p>${phrases.noJobs}</p>`
  const columns: TableColumn<ListedFailedJob>[] = [
    { head: phrases.failedAt, cell: ({ failedAt }) => renderInstant(failedAt) },
    { head: phrases.type, cell: ({ type }) => html`<code>${type}</code>` },
    {
      head: phrases.units,
      cell: ({ failed, total }) => phrases.unitsOf(formatCount(failed, language), formatCount(total, language)),
    },
    {
      head: phrases.cause,
      cell: ({ cause }) =>
        cause === null
          ? phrases.unknownCause
          : html`<span><code>${cause.code}</code> <span lang="en">${cause.message}</span></span>`,
    },
    { head: phrases.action, cell: (job) => job.mayRetry && renderRetry(job, phrases) },
  ]
  return html`<p>${phrases.jobsIntro}</p>
${renderCards(phrases.jobs, columns, jobs)}`
}

const renderRetry = ({ id, type, failedAt }: ListedFailedJob, phrases: DeveloperWords): Markup =>
  html`<form class="inline" method="post" action="${developersPath}/jobs/${id}/retry"><button class="small plain" aria-label="${phrases.retryOf(type, failedAt.slice(0, 16).replace('T', ' '))}">${phrases.retry}</button></form>`
