import { networkNames } from '../../../../features/accounts/index.ts'
import type { Assignment } from '../../../../features/loyalty/index.ts'
import type { PageResult } from '../../../../kernel/page.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { html, type Markup } from '../../../site/html.ts'
import { renderField, renderRefusal, renderSelect } from '../../frame/forms.views.ts'
import { formatAddress, isGiven } from '../../frame/lists.ts'
import {
  formatPoints,
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
import type { ConsoleWords } from '../../words/words.ts'

export const assignmentsPath = '/console/assignments'

/** The fields of the list's form, as the address of the page has them. */
export interface AssignmentQuery {
  search?: string
  application?: string
  network?: string
  status?: 'pending' | 'consumed' | ''
  cursor?: string
}

/** Names of tiers by their ids. */
export type TierNames = ReadonlyMap<string, string>

interface Reading {
  language: ConsoleLanguage
  words: ConsoleWords
}

interface ListView extends Reading {
  query: AssignmentQuery
  applications: readonly ApplicationChoice[]
  tiers: TierNames
  mayCreate: boolean
}

/** Returns what the person of an assignment is called. */
export const getPerson = ({ email, phoneNumber }: Assignment): string => email ?? phoneNumber ?? ''

function createColumns({ language, words, applications, tiers }: ListView): TableColumn<Assignment>[] {
  const { assignments: phrases } = words
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  return [
    {
      head: phrases.person,
      cell: (one) =>
        html`<a href="${assignmentsPath}/${one.id}">${getPerson(one)}</a>${one.email !== undefined && one.phoneNumber !== undefined && html`<br><span class="quiet">${one.phoneNumber}</span>`}`,
    },
    {
      head: phrases.points,
      cell: ({ optimisticBalance }) => formatPoints(optimisticBalance, language),
      isNumber: true,
    },
    { head: phrases.tier, cell: ({ rewardTier }) => (rewardTier === undefined ? '' : (tiers.get(rewardTier) ?? '')) },
    { head: phrases.status, cell: ({ status }) => phrases.states[status] },
    { head: words.list.application, cell: ({ application }) => names.get(application) ?? '' },
    { head: phrases.created, cell: ({ createdAt }) => renderDay(createdAt) },
  ]
}

/** Renders the list of assignments with its filters. */
export function renderAssignments(found: PageResult<Assignment>, view: ListView): Markup {
  const { words } = view
  const { assignments: phrases } = words
  const { cursor, ...filters } = view.query
  const getAddress = (path: string, more: Record<string, string> = {}) => formatAddress(path, { ...filters, ...more })
  const isFiltered = Object.values(filters).some(isGiven)
  const next = found.nextCursor === null ? null : getAddress(assignmentsPath, { cursor: found.nextCursor })
  const count = phrases.count(found.total)
  return html`<div class="row"><h1>${phrases.title}</h1>${
    view.mayCreate
    && html`<p class="buttons"><a class="button small" href="${assignmentsPath}/new">${phrases.add}</a> <a class="button small plain" href="${assignmentsPath}/table">${phrases.paste}</a></p>`
  }</div>
<p>${phrases.intro}</p>
${renderFilters(filters, view)}
${
  found.data.length === 0
    ? isFiltered
      ? html`<p role="status">${words.list.nobody} <a href="${assignmentsPath}">${phrases.seeAll}</a></p>`
      : renderWhatNext(words, phrases.emptyHead, phrases.emptyText)
    : html`${renderListHead(found.totalIsEstimate ? words.list.about(count) : count, getAddress(`${assignmentsPath}.csv`), words)}
${renderTable(phrases.title, createColumns(view), found.data)}
${renderPager(getAddress(assignmentsPath), next, { isFirst: !isGiven(cursor), words })}`
}`
}

function renderFilters(query: AssignmentQuery, { applications, words }: ListView): Markup {
  const { application = '', network = '', status = '', search = '' } = query
  const { list, assignments: phrases } = words
  const isOpen = [application, network, status].some(isGiven)
  return html`<form class="card" method="get" action="${assignmentsPath}" role="search" aria-label="${phrases.title}">
<label for="search">${phrases.email}, ${phrases.phone}</label>
<div class="search"><input id="search" name="search" type="search" maxlength="200" value="${search}">
<button>${list.search}</button></div>
<details class="more"${isOpen && html` open`}><summary>${list.filters}</summary>
<div class="filters">
<p><label for="application">${list.application}</label>
<select id="application" name="application">${renderApplicationOptions(applications, application, [['', list.all]])}</select></p>
<p><label for="network">${list.network}</label>
<select id="network" name="network">${renderOptions([['', list.all], ...networkNames.map((name) => [name, name] as const)], network)}</select></p>
<p><label for="status">${phrases.status}</label>
<select id="status" name="status">${renderOptions(
    [
      ['', phrases.states.pending],
      ['consumed', phrases.states.consumed],
    ],
    status,
  )}</select></p>
</div></details>
</form>`
}

/** What the form of an assignment has in its fields. */
export interface AssignmentForm {
  application: string
  email: string
  phoneNumber: string
  optimisticBalance: string
  rewardTier: string
  upsert?: string
}

interface FormView extends Reading {
  applications: readonly ApplicationChoice[]
  /** Ids and names of tiers, those of several applications with the name of theirs. */
  tiers: readonly (readonly [id: string, name: string])[]
  problem: ProblemError | undefined
}

/** Returns what the members of an assignment are called. */
const getLabels = ({ assignments, list }: ConsoleWords): Record<string, string> => ({
  application: list.application,
  email: assignments.email,
  phoneNumber: assignments.phone,
  optimisticBalance: assignments.points,
  rewardTier: assignments.tier,
  status: assignments.status,
})

const renderGift = (form: Pick<AssignmentForm, 'optimisticBalance' | 'rewardTier'>, { words, tiers }: FormView) => {
  const { assignments: phrases } = words
  return html`<div class="pair">${renderField({ name: 'optimisticBalance', label: phrases.points, value: form.optimisticBalance, type: 'number', isRequired: true })}
${renderSelect({ name: 'rewardTier', label: phrases.tier }, renderOptions([['', phrases.noTier], ...tiers], form.rewardTier))}</div>`
}

/** Renders the form of a new assignment. */
export function renderNewAssignment(form: AssignmentForm, view: FormView): Markup {
  const { words } = view
  const { assignments: phrases, list } = words
  return html`<p><a href="${assignmentsPath}">${phrases.all}</a></p>
<h1>${phrases.newTitle}</h1>
${renderRefusal(view.problem, words, getLabels(words))}
<form class="card" method="post" action="${assignmentsPath}">
${renderSelect({ name: 'application', label: list.application }, renderApplicationOptions(view.applications, form.application))}
<p class="quiet">${phrases.contactUse}</p>
<div class="pair">${renderField({ name: 'email', label: phrases.email, value: form.email, type: 'email', maxLength: 254 })}
${renderField({ name: 'phoneNumber', label: phrases.phone, value: form.phoneNumber, type: 'tel', maxLength: 40, hint: phrases.phoneUse })}</div>
${renderGift(form, view)}
<label class="option"><input type="checkbox" name="upsert" value="true"${form.upsert === 'true' && html` checked`}> ${phrases.upsert}</label>
<button>${list.save}</button>
</form>`
}

interface EditView extends FormView {
  mayUpdate: boolean
  mayDelete: boolean
}

/** Renders one assignment, with a form while it waits. */
export function renderAssignment(
  assignment: Assignment,
  form: Pick<AssignmentForm, 'optimisticBalance' | 'rewardTier'>,
  view: EditView,
): Markup {
  const { words, language, applications, tiers } = view
  const { assignments: phrases, list } = words
  const { id, application, email, phoneNumber, optimisticBalance, rewardTier, status, createdAt } = assignment
  const address = `${assignmentsPath}/${id}`
  const isOpen = status === 'pending' && view.mayUpdate
  const tier = tiers.find(([tier]) => tier === rewardTier)?.[1]
  const renderFact = (name: string, value: Markup | string | undefined) =>
    value !== undefined && html`<div><dt>${name}</dt><dd>${value}</dd></div>`
  return html`<p><a href="${assignmentsPath}">${phrases.all}</a></p>
<h1>${getPerson(assignment)}</h1>
${renderRefusal(view.problem, words, getLabels(words))}
<section class="card" aria-label="${phrases.editTitle}"><dl>
${renderFact(phrases.email, email)}
${renderFact(phrases.phone, phoneNumber)}
${renderFact(phrases.points, formatPoints(optimisticBalance, language))}
${renderFact(phrases.tier, tier)}
${renderFact(phrases.status, phrases.states[status])}
${renderFact(list.application, applications.find((one) => one.id === application)?.name)}
${renderFact(phrases.created, renderDay(createdAt))}
</dl></section>
${isOpen && html`<form class="card" method="post" action="${address}">${renderGift(form, view)}<button class="small">${list.save}</button></form>`}
${view.mayDelete && html`<p><a href="${address}/delete">${phrases.deleteButton}</a></p>`}`
}
