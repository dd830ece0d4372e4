import type { ProblemError } from '../../../kernel/problem.ts'
import { sizeLimits, type DemoRunRow, type Scenario } from '../../../features/demo/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderField, renderRefusal, renderSelect } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import {
  renderApplicationOptions,
  renderInstant,
  renderOptions,
  renderTable,
  type ApplicationChoice,
} from '../frame/lists.views.ts'
import { demoWords, type DemoWords } from './words.ts'

export const demoPath = '/console/demo'
export const getDemoAddress = (id: string, rest = ''): string => `${demoPath}/${id}${rest}`

/** The form for a new demo, as it was filled in. */
export interface DemoForm {
  scenario: string
  application: string
  size: string
  network: string
}

export interface DemosView {
  runs: readonly DemoRunRow[]
  scenarios: readonly { scenario: Scenario; unplanned: readonly string[] }[]
  networks: readonly string[]
  applications: readonly ApplicationChoice[]
  form: DemoForm
  problem: ProblemError | undefined
}

/** Renders the form for a new demo, and the demos that there are. */
export function renderDemos(page: ConsolePage, view: DemosView): Markup {
  const phrases = demoWords[page.language]
  const running = view.runs.find(({ status }) => status === 'running')
  return html`<h1>${phrases.title}</h1>
<p>${phrases.intro}</p>
<p class="quiet">${phrases.assistantText}</p>
${renderDemoRefusal(page, view.problem)}
<section class="card" aria-labelledby="create"><h2 id="create">${phrases.create}</h2>
${
  running
    ? html`<p>${phrases.running} <a href="${getDemoAddress(running.id)}">${phrases.lookAtIt}</a></p>`
    : view.networks.length === 0
      ? html`<p>${phrases.noNetwork}</p>`
      : renderForm(page, view, phrases)
}</section>
<div><h2 id="runs">${phrases.runs}</h2>
${view.runs.length === 0 ? html`<p>${phrases.noRuns}</p>` : renderRuns(view.runs, phrases)}</div>`
}

/** Renders why a form was refused. */
export function renderDemoRefusal({ language, words }: ConsolePage, problem: ProblemError | undefined): Markup | false {
  const { issues, scenario, application, size, network, title } = demoWords[language]
  const labels = { scenario, application, size, network, run: title }
  return renderRefusal(problem, { ...words, issues: { ...words.issues, ...issues } }, labels)
}

function renderForm({ words }: ConsolePage, view: DemosView, phrases: DemoWords): Markup {
  const { form, networks } = view
  const scenarios = view.scenarios.map(({ scenario, unplanned }) => {
    const missing = unplanned.map((name) => phrases.scenarios[name as Scenario].toLowerCase()).join(', ')
    return [
      scenario,
      missing === '' ? phrases.scenarios[scenario] : `${phrases.scenarios[scenario]} (${phrases.without(missing)})`,
    ] as const
  })
  const { min, max } = sizeLimits
  return html`<form method="post" action="${demoPath}">
${renderSelect({ name: 'scenario', label: phrases.scenario }, renderOptions(scenarios, form.scenario))}
${renderSelect({ name: 'application', label: words.list.application }, renderApplicationOptions(view.applications, form.application, [['', phrases.ownApplication]]))}
<div class="pair">
${renderField({ name: 'size', label: phrases.size, value: form.size, hint: phrases.sizeUse(min, max), type: 'number', isRequired: true, min: String(min) })}
${renderSelect(
  { name: 'network', label: phrases.network },
  renderOptions(
    networks.map((name) => [name, name] as const),
    form.network,
  ),
)}</div>
<button>${phrases.start}</button></form>`
}

export const tones = { running: '', done: ' good', failed: ' bad' } as const

function renderRuns(runs: readonly DemoRunRow[], phrases: DemoWords): Markup {
  const columns = [
    {
      head: phrases.title,
      cell: ({ id, run_id }: DemoRunRow) => html`<a href="${getDemoAddress(id)}">${phrases.runTitle(run_id)}</a>`,
    },
    { head: phrases.scenario, cell: ({ scenario }: DemoRunRow) => phrases.scenarios[scenario] },
    {
      head: phrases.state,
      cell: ({ phase, status }: DemoRunRow) =>
        html`<span class="badge${tones[status]}">${phrases.states[phase][status]}</span>`,
    },
    { head: phrases.begun, cell: ({ created_at }: DemoRunRow) => renderInstant(created_at.toISOString()) },
  ]
  return renderTable(phrases.runs, columns, runs)
}
