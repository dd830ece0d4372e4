import type { ProblemError } from '../../../kernel/problem.ts'
import type { DemoCallRow, DemoPhase, DemoRunRow } from '../../../features/demo/index.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatCount, renderCards, renderInstant, type TableColumn } from '../frame/lists.views.ts'
import { demoPath, getDemoAddress, renderDemoRefusal, tones } from './demo.views.ts'
import { demoWords, type DemoWords } from './words.ts'

interface RunView {
  run: DemoRunRow
  calls: readonly DemoCallRow[]
  /** The number of steps of the part that was started last. */
  total: number
  /** What the application is called that was chosen; null for one of the demo's own. */
  applicationName: string | null
  problem: ProblemError | undefined
}

/** Renders a run: how far it is, each call with its answer, and what the member can do next. */
export function renderRun(page: ConsolePage, view: RunView): Markup {
  const phrases = demoWords[page.language]
  const { run } = view
  const isRunning = run.status === 'running'
  return html`<p><a href="${demoPath}">${phrases.all}</a></p>
<h1>${phrases.runTitle(run.run_id)}</h1>
${renderDemoRefusal(page, view.problem)}
<div data-run="${isRunning && run.job !== null ? `/v1/jobs/${run.job}/sse` : ''}">
<p role="status"><span class="badge${tones[run.status]}">${phrases.states[run.phase][run.status]}</span></p>
${isRunning && renderProgress(view, phrases, page.language)}
${run.fault !== null && html`<p class="bad" role="alert">${phrases.faults[run.fault] ?? run.fault}</p>`}
${run.phase === 'remove' && run.status === 'done' && renderStays(run, phrases)}
${renderCalls(view.calls, run.phase, phrases)}
</div>
${!isRunning && renderActions(run, phrases)}
<section class="card" aria-labelledby="about"><h2 id="about">${phrases.about}</h2><dl>
<div><dt>${phrases.scenario}</dt><dd>${phrases.scenarios[run.scenario]}</dd></div>
<div><dt>${phrases.application}</dt><dd>${view.applicationName ?? phrases.ownApplication}</dd></div>
<div><dt>${phrases.size}</dt><dd>${formatCount(run.size, page.language)}</dd></div>
<div><dt>${phrases.network}</dt><dd>${run.network}</dd></div>
<div><dt>${phrases.begun}</dt><dd>${renderInstant(run.created_at.toISOString())}</dd></div>
</dl></section>
${run.phase === 'remove' && renderEarlierCalls(view.calls, phrases)}`
}

function renderProgress({ run, total }: RunView, phrases: DemoWords, language: ConsolePage['language']): Markup {
  return html`<section class="card" aria-label="${phrases.progress}">
<progress class="bar" aria-label="${phrases.progress}" value="${run.position}" max="${Math.max(total, 1)}"></progress>
<p>${phrases.progressCount(formatCount(run.position, language), formatCount(total, language))}</p>
<p class="quiet">${phrases.goesOn}</p></section>`
}

/** The sentences are the plan's own, in English. */
const renderStays = ({ stays }: DemoRunRow, phrases: DemoWords): Markup =>
  html`<section class="card" aria-labelledby="stays"><h2 id="stays">${phrases.stays}</h2>
${
  stays.length === 0
    ? html`<p>${phrases.nothingStays}</p>`
    : html`<ul lang="en">${stays.map((what) => html`<li>${what}</li>`)}</ul>`
}</section>`

const outcomeTones: Partial<Record<DemoCallRow['outcome'], string>> = {
  made: ' good',
  matched: ' good',
  failed: ' bad',
}

const createColumns = (phrases: DemoWords): TableColumn<DemoCallRow>[] => [
  { head: phrases.step, cell: ({ step }) => html`<span lang="en">${step}</span>` },
  {
    head: phrases.call,
    cell: ({ method, path }) => (method === null ? phrases.noCall : html`<code>${method} ${path}</code>`),
  },
  {
    head: phrases.answer,
    cell: ({ status, code, answer }) =>
      status === null
        ? ''
        : html`<code>${status}${code !== null && ` ${code}`}</code> <span lang="en">${answer}</span>`,
  },
  {
    head: phrases.result,
    cell: ({ outcome }) => html`<span class="badge${outcomeTones[outcome] ?? ''}">${phrases.outcomes[outcome]}</span>`,
  },
]

function renderCalls(calls: readonly DemoCallRow[], phase: DemoPhase, phrases: DemoWords): Markup | false {
  const own = calls.filter((call) => call.phase === phase)
  const head = phrases.calls[phase]
  return (
    own.length > 0
    && html`<section class="calls" aria-label="${head}"><h2>${head}</h2>
${renderCards(head, createColumns(phrases), own)}</section>`
  )
}

function renderEarlierCalls(calls: readonly DemoCallRow[], phrases: DemoWords): Markup | false {
  const earlier = calls.filter(({ phase }) => phase === 'prepare')
  const head = phrases.calls.prepare
  return (
    earlier.length > 0
    && html`<details class="calls"><summary>${head}</summary>
${renderCards(head, createColumns(phrases), earlier)}</details>`
  )
}

function renderActions({ id, phase, status }: DemoRunRow, phrases: DemoWords): Markup | false {
  if (phase === 'remove' && status === 'done') return false
  const again = status === 'failed' ? phrases.goOn : phrases.again
  return html`<div class="row">${
    phase === 'prepare'
    && html`<form method="post" action="${getDemoAddress(id, '/prepare')}"><button class="small plain">${again}</button></form>`
  }<p><a class="button small danger" href="${getDemoAddress(id, '/remove')}">${phrases.remove}</a></p></div>`
}
