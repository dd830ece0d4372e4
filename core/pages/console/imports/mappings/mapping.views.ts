import { duplicatePolicies, type ImportJob, type Mapper, type MapperRow } from '../../../../features/imports/index.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import { html, type Markup } from '../../../site/html.ts'
import { addRefusals, renderField, renderRefusal, renderSelect } from '../../frame/forms.views.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import {
  formatCount,
  renderCards,
  renderInstant,
  renderOptions,
  renderTable,
  type TableColumn,
} from '../../frame/lists.views.ts'
import { getImportTitle, importsPath, renderBadges } from '../imports.views.ts'
import { importWords } from '../words.ts'
import type { MappingForm } from './form.ts'
import { getMappingAddress, mappingsPath } from './mappings.views.ts'
import { mappingWords, type MappingWords } from './words.ts'

/** The most rows of a mapping that its page shows, and characters of one value. */
const maxShown = { rows: 150, characters: 100 } as const

interface MappingView {
  mapper: Mapper
  application: string
  /** Its newest imports. */
  runs: readonly ImportJob[]
  form: MappingForm
  /** What the mapping was like when the form was made. */
  mark: string
  /** What is stored, if somebody has changed it since the form was opened. */
  stored: MappingForm | null
  mayUpdate: boolean
  mayDelete: boolean
  isSaved: boolean
  problem: ProblemError | undefined
}

/** Renders one mapping with its columns and its imports, and with its form for those who may change it. */
export function renderMapping(page: ConsolePage, view: MappingView): Markup {
  const { words, language } = page
  const { mapper, problem } = view
  const phrases = mappingWords[language]
  const labels = {
    name: phrases.name,
    url: phrases.address,
    schedule: phrases.schedule,
    onDuplicate: phrases.present,
  }
  const canRun = view.mayUpdate && mapper.type === 'url'
  return html`<p><a href="${mappingsPath}">${phrases.all}</a></p>
<h1>${mapper.name}</h1>
${view.isSaved && html`<p class="good" role="status">${phrases.saved}</p>`}
${renderRefusal(problem, addRefusals(words, phrases.codes, phrases.issues), labels)}
${canRun && html`<p><a class="button small" href="${getMappingAddress(mapper.id, '/run')}">${phrases.run}</a></p>`}
${renderFacts(page, view)}
${view.mayUpdate && renderForm(page, view, labels)}
<h2>${phrases.columns}</h2>
${renderRows(page, mapper.rows)}
<h2>${phrases.runs}</h2>
${view.runs.length === 0 ? html`<p>${phrases.noRuns}</p>` : renderRuns(page, view.runs)}
${view.mayDelete && html`<p><a href="${getMappingAddress(mapper.id, '/delete')}">${phrases.delete}</a></p>`}`
}

function renderFacts({ words, language }: ConsolePage, { mapper, application, mayUpdate }: MappingView): Markup {
  const phrases = mappingWords[language]
  const { type, url, schedule, headers, nextRunAt, onDuplicate } = mapper
  const facts: (readonly [name: string, value: Markup | string] | false)[] = [
    [words.list.application, application],
    [phrases.kind, `${phrases.kinds[type]}, ${mapper.format.toUpperCase()}`],
    !mayUpdate && url !== null && [phrases.address, html`<code>${url}</code>`],
    !mayUpdate && type === 'url' && [phrases.schedule, schedule ?? phrases.byHand],
    !mayUpdate && type === 'url' && [phrases.present, phrases.presentPolicies[onDuplicate ?? '']],
    nextRunAt !== null && [phrases.next, renderInstant(nextRunAt)],
    headers !== null && [phrases.headers, Object.keys(headers).join(', ')],
    [phrases.created, renderInstant(mapper.createdAt)],
    [phrases.changed, renderInstant(mapper.updatedAt)],
    [phrases.identifier, html`<code>${mapper.id}</code>`],
  ]
  return html`<section class="card" aria-label="${phrases.facts}"><dl>
${facts.map((fact) => fact !== false && html`<div><dt>${fact[0]}</dt><dd>${fact[1]}</dd></div>`)}</dl></section>`
}

type Labels = Readonly<Record<keyof MappingForm, string>>

function renderForm({ words, language }: ConsolePage, view: MappingView, labels: Labels): Markup {
  const phrases = mappingWords[language]
  const { mapper, form, mark, stored } = view
  const policies = ['', ...duplicatePolicies] as const
  return html`<h2 id="settings">${phrases.settings}</h2>
${stored && renderStored(form, stored, labels, phrases)}
<form class="card" method="post" action="${getMappingAddress(mapper.id)}" aria-labelledby="settings"><input type="hidden" name="mark" value="${mark}">
${renderField({ name: 'name', label: labels.name, value: form.name, isRequired: true })}
${
  mapper.type === 'url'
  && html`${renderField({ name: 'url', label: labels.url, value: form.url, hint: phrases.addressHint, isRequired: true, maxLength: 2_048 })}
${renderField({ name: 'schedule', label: labels.schedule, value: form.schedule, hint: phrases.scheduleHint, maxLength: 100 })}
${renderSelect(
  { name: 'onDuplicate', label: labels.onDuplicate },
  renderOptions(
    policies.map((policy) => [policy, phrases.presentPolicies[policy]] as const),
    form.onDuplicate,
  ),
)}`
}
<button>${words.list.save}</button></form>`
}

/** Renders what is stored now where a form says something else, for whoever has to choose between the two. */
function renderStored(form: MappingForm, stored: MappingForm, labels: Labels, phrases: MappingWords): Markup {
  const names = (Object.keys(labels) as (keyof MappingForm)[]).filter((name) => form[name].trim() !== stored[name])
  return html`<section class="card" aria-labelledby="stored"><h3 id="stored">${phrases.storedHead}</h3>
<dl>${names.map((name) => html`<div><dt>${labels[name]}</dt><dd>${stored[name] || phrases.nothing}</dd></div>`)}</dl></section>`
}

const shorten = (text: string): string =>
  text.length > maxShown.characters ? `${text.slice(0, maxShown.characters)}…` : text

/** What a row takes: its columns, its value, or both. */
function describeSource({ kind, source, value }: MapperRow): string {
  const columns = [source ?? []].flat().join(', ')
  if (kind !== 'constant' && kind !== 'template') return shorten(columns)
  return shorten(typeof value === 'string' ? value : JSON.stringify(value ?? null))
}

function renderRows({ language }: ConsolePage, rows: readonly MapperRow[]): Markup {
  const phrases = mappingWords[language]
  const { destinations } = importWords[language]
  const columns: TableColumn<MapperRow>[] = [
    {
      head: phrases.destination,
      cell: ({ destination, required }) =>
        html`<div>${destinations[destination] !== undefined && html`${destinations[destination]}<br>`}<code>${shorten(destination)}</code>${required && html`<br><span class="quiet">${phrases.required}</span>`}</div>`,
    },
    {
      head: phrases.from,
      cell: (row) =>
        html`<div><code>${describeSource(row)}</code><br><span class="quiet">${phrases.fromKinds[row.kind]}</span></div>`,
    },
    { head: phrases.changes, cell: ({ transforms = [] }) => shorten(transforms.join(', ')) },
  ]
  const hidden = rows.length - maxShown.rows
  return html`${renderCards(phrases.columns, columns, rows.slice(0, maxShown.rows))}
${hidden > 0 && html`<p>${phrases.moreRows(formatCount(hidden, language))}</p>`}`
}

function renderRuns({ language }: ConsolePage, runs: readonly ImportJob[]): Markup {
  const phrases = mappingWords[language]
  const common = importWords[language]
  const columns: TableColumn<ImportJob>[] = [
    { head: phrases.began, cell: ({ createdAt }) => renderInstant(createdAt) },
    {
      head: phrases.import,
      cell: (job) => html`<a href="${importsPath}/${job.id}">${getImportTitle(job, common)}</a>`,
    },
    { head: phrases.state, cell: (job) => renderBadges(job, common) },
    { head: phrases.done, cell: ({ completed }) => formatCount(completed, language), isNumber: true },
    { head: phrases.failed, cell: ({ failed }) => formatCount(failed, language), isNumber: true },
  ]
  return renderTable(phrases.runs, columns, runs)
}
