import type { PointOfSale } from '../../../../features/loyalty/index.ts'
import { createValidationProblem, type ProblemError } from '../../../../kernel/problem.ts'
import { html, type Markup } from '../../../site/html.ts'
import { listNameIssues, renderField, renderRefusal, renderSelect } from '../../frame/forms.views.ts'
import {
  renderApplicationOptions,
  renderOptions,
  renderPager,
  renderTable,
  renderWhatNext,
  type ApplicationChoice,
} from '../../frame/lists.views.ts'
import type { ConsoleWords } from '../../words/words.ts'

export const pointsOfSalePath = '/console/points-of-sale'
export const getPointOfSaleAddress = (id: string): string => `${pointsOfSalePath}/${id}`

interface ListView {
  words: ConsoleWords
  applications: readonly ApplicationChoice[]
  isFirst: boolean
  /** Address of the next page, null on the last one. */
  next: string | null
  mayCreate: boolean
  mayUpdate: boolean
}

/** Renders the points of sale of an organization. */
export function renderPointsOfSale(rows: readonly PointOfSale[], total: number, view: ListView): Markup {
  const { words, mayCreate, mayUpdate, next, isFirst } = view
  const { pointsOfSale: phrases } = words
  const actions = html`<p>${mayCreate && html`<a class="button small" href="${pointsOfSalePath}/new">${phrases.add}</a> `}${mayUpdate && html`<a href="${pointsOfSalePath}/settings">${phrases.settings}</a>`}</p>`
  return html`<div class="row"><h1>${phrases.title}</h1>${(mayCreate || mayUpdate) && actions}</div>
<p>${phrases.intro}</p>
${
  rows.length === 0
    ? renderWhatNext(words, phrases.emptyHead, phrases.emptyText)
    : html`<p role="status">${phrases.count(total)}</p>${renderRows(rows, view)}${renderPager(pointsOfSalePath, next, { isFirst, words })}`
}`
}

function renderRows(rows: readonly PointOfSale[], { words, applications, mayUpdate }: ListView): Markup {
  const { pointsOfSale: phrases, list } = words
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  return renderTable(
    phrases.title,
    [
      {
        head: phrases.name,
        cell: ({ id, name }) => (mayUpdate ? html`<a href="${getPointOfSaleAddress(id)}">${name}</a>` : name),
      },
      { head: list.application, cell: ({ application }) => names.get(application) ?? '' },
      { head: phrases.timeZone, cell: ({ timeZone }) => timeZone },
      { head: phrases.status, cell: ({ status }) => phrases.states[status] },
      { head: phrases.externalId, cell: ({ externalId }) => externalId ?? '' },
    ],
    rows,
  )
}

/** What the form of a point of sale has in its fields. */
export interface PointOfSaleForm {
  name: string
  externalId: string
  address: string
  timeZone: string
  status: string
}
export const emptyForm: PointOfSaleForm = { name: '', externalId: '', address: '', timeZone: '', status: 'active' }

/** Parses the form of a point of sale. @throws VALIDATION_FAILED for what the operations of the API would not take */
export function parsePointOfSaleForm(form: PointOfSaleForm) {
  const [name, externalId, address, timeZone] = [form.name, form.externalId, form.address, form.timeZone].map((text) =>
    text.trim(),
  ) as [string, string, string, string]
  const issues = listNameIssues(name)
  for (const [path, text, max] of [
    ['externalId', externalId, 200],
    ['address', address, 500],
    ['timeZone', timeZone, 64],
  ] as const)
    if (text.length > max) issues.push({ path, code: 'max_length', message: `has more than ${max} characters` })
  if (timeZone === '') issues.push({ path: 'timeZone', code: 'required', message: 'is missing' })
  if (issues.length > 0) throw createValidationProblem(issues)
  const status = form.status === 'inactive' ? ('inactive' as const) : ('active' as const)
  return { name, externalId: externalId || null, address: address || null, timeZone, status }
}

interface FormView {
  words: ConsoleWords
  title: string
  action: string
  /** The applications to choose from; null for a point of sale that has one. */
  applications: { all: readonly ApplicationChoice[]; chosen: string } | null
  problem: ProblemError | undefined
  /** Where it is deleted; null for a role that may not, and for a new one. */
  deletion: string | null
}

/** Renders the form of a point of sale. */
export function renderPointOfSaleForm(form: PointOfSaleForm, view: FormView): Markup {
  const { pointsOfSale: phrases, list } = view.words
  const { applications } = view
  const { name, externalId, address, timeZone, status, states } = phrases
  return html`<p><a href="${pointsOfSalePath}">${phrases.all}</a></p>
<h1>${view.title}</h1>
${renderRefusal(view.problem, view.words, { name, externalId, address, timeZone, status })}
<form class="card" method="post" action="${view.action}">
${applications && renderSelect({ name: 'application', label: list.application }, renderApplicationOptions(applications.all, applications.chosen))}
${renderField({ name: 'name', label: name, value: form.name, isRequired: true })}
${renderField({ name: 'timeZone', label: timeZone, value: form.timeZone, isRequired: true, maxLength: 64, hint: phrases.timeZoneUse })}
${renderSelect({ name: 'status', label: status }, renderOptions(Object.entries(states), form.status))}
${renderField({ name: 'externalId', label: `${externalId} (${list.optional})`, value: form.externalId })}
${renderField({ name: 'address', label: `${address} (${list.optional})`, value: form.address, maxLength: 500 })}
<button>${list.save}</button>
</form>
${view.deletion !== null && html`<p><a href="${view.deletion}">${phrases.deleteButton}</a></p>`}`
}
