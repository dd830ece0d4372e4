import type {
  Draft,
  DraftPreview,
  FileField,
  ImportJob,
  MapperRow,
  PreviewRow,
} from '../../../../features/imports/index.ts'
import { getRecordSink } from '../../../../kernel/ports/record-sinks.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { html, type Markup } from '../../../site/html.ts'
import { renderSelect } from '../../frame/forms.views.ts'
import {
  formatCount,
  renderApplicationOptions,
  renderInstant,
  renderOptions,
  renderTable,
  type ApplicationChoice,
} from '../../frame/lists.views.ts'
import type { ConsoleWords } from '../../words/words.ts'
import { assignmentsPath } from './assignments.views.ts'
import { entityName } from './import.form.ts'

export const importPath = `${assignmentsPath}/table`
export const getDraftPath = (upload: string, step = '') => `${importPath}/${upload}${step}`
export const getReportPath = (id: string) => `${assignmentsPath}/imports/${id}`

interface Reading {
  language: ConsoleLanguage
  words: ConsoleWords
}

const renderAlert = (wrong: string | undefined): Markup | false =>
  wrong !== undefined && html`<p class="bad" role="alert"><span lang="en">${wrong}</span></p>`

interface FileView extends Reading {
  imports: readonly ImportJob[]
  text: string
  wrong: string | undefined
  maxPastedLength: number
}

/** Renders the first step: a file, or a pasted table. */
export function renderFileForm({ words, language, imports, text, wrong, maxPastedLength }: FileView): Markup {
  const { assignments: phrases, import: own } = words
  return html`<p><a href="${assignmentsPath}">${phrases.all}</a></p>
<h1>${phrases.pasteTitle}</h1>
<p>${own.intro}</p>
${renderAlert(wrong)}
<form class="card" method="post" action="${importPath}/file" enctype="multipart/form-data">
<label for="file">${own.file}</label>
<input id="file" name="file" type="file" accept=".csv,.tsv,.txt,.xlsx,.xlsm,.json,.ndjson,.jsonl,text/csv,application/json" required>
<button>${own.upload}</button>
</form>
<form class="card" method="post" action="${importPath}">
<label for="table">${phrases.table}</label>
<p class="quiet" id="table-use">${phrases.pasteUse}</p>
<textarea id="table" name="table" rows="8" required maxlength="${maxPastedLength}" aria-describedby="table-use" spellcheck="false" placeholder="ada@example.com;;250;Gold">${text}</textarea>
<button>${own.check}</button>
</form>
${
  imports.length > 0
  && html`<h2>${own.last}</h2>
${renderTable(
  own.last,
  [
    {
      head: own.file,
      cell: (job) => html`<a href="${getReportPath(job.id)}">${job.data.fileName ?? phrases.table}</a>`,
    },
    { head: own.begun, cell: (job) => renderInstant(job.createdAt) },
    { head: own.done, cell: (job) => formatCount(job.completed, language), isNumber: true },
    { head: own.failed, cell: (job) => formatCount(job.failed, language), isNumber: true },
  ],
  imports,
)}`
}`
}

/** Renders the page for a table that is gone: it is deleted after an hour if nobody has imported it. */
export const renderGone = ({ import: own, assignments }: ConsoleWords): Markup =>
  html`<h1>${own.goneTitle}</h1>
<p>${own.goneText}</p>
<p><a class="button small" href="${importPath}">${assignments.paste}</a></p>`

interface ColumnsView extends Reading {
  applications: readonly ApplicationChoice[]
  fields: readonly FileField[]
  rows: readonly MapperRow[]
  wrong: readonly string[]
}

/** Renders the second step: what each column is. */
export function renderColumns(draft: Draft, { words, applications, fields, rows, wrong }: ColumnsView): Markup {
  const { import: own, list, assignments: phrases } = words
  const choices = getRecordSink(entityName).destinations.map(({ path }) => [path, own.members[path] ?? path] as const)
  return html`<p><a href="${importPath}">${phrases.paste}</a></p>
<h1>${own.columnsTitle}</h1>
<p>${own.columnsText}</p>
${wrong.length > 0 && html`<ul class="bad" role="alert">${wrong.map((one) => html`<li lang="en">${one}</li>`)}</ul>`}
<form class="card" method="post" action="${getDraftPath(draft.upload)}">
${renderSelect({ name: 'application', label: list.application }, renderApplicationOptions(applications, draft.application ?? ''))}
${fields.map((field, at) => {
  const row = rows.find(({ source }) => source === field.id)
  const hint = field.examples.length > 0 ? field.examples.join(' · ') : own.empty
  return html`${renderSelect({ name: `d${at}`, label: own.column(field.name), hint }, renderOptions([['', own.leaveOut], ...choices], row?.destination ?? ''))}
<input type="hidden" name="t${at}" value="${(row?.transforms ?? []).join('\n')}">`
})}
<button>${own.show}</button>
</form>`
}

/** The numbers of bad lines, and of good ones, that the preview shows. */
const maxShown = { bad: 50, good: 10 } as const

interface PreviewView extends Reading {
  preview: DraftPreview
  wrong: string | undefined
}

/** Renders the third step: what would be made, the bad lines, and the buttons. */
export function renderPreview(draft: Draft, { words, language, preview, wrong }: PreviewView): Markup {
  const { import: own, assignments: phrases } = words
  const { checked, failed, rows } = preview
  const bad = rows.filter(({ errors }) => errors.length > 0)
  const good = rows.filter(({ errors }) => errors.length === 0)
  const cell = (row: PreviewRow, name: string) => String((row.record as Record<string, unknown> | null)?.[name] ?? '')
  return html`<p><a href="${getDraftPath(draft.upload)}">${own.columnsTitle}</a></p>
<h1>${own.previewTitle}</h1>
${renderAlert(wrong)}
<p role="status">${own.checked(formatCount(checked - failed, language), formatCount(checked, language))}</p>
${
  bad.length > 0
  && html`<h2>${own.badLines}</h2>
<p>${own.badText}</p>
${renderTable(
  own.badLines,
  [
    { head: own.line, cell: ({ line }) => line, isNumber: true },
    {
      head: own.fault,
      cell: ({ errors }) => html`<ul>${errors.map((error) => html`<li>${describeError(error, words)}</li>`)}</ul>`,
    },
  ],
  bad.slice(0, maxShown.bad),
)}`
}
${
  good.length > 0
  && html`<h2>${own.firstGood}</h2>
${renderTable(
  own.firstGood,
  [
    { head: phrases.email, cell: (row) => cell(row, 'email') },
    { head: phrases.phone, cell: (row) => cell(row, 'phoneNumber') },
    { head: phrases.points, cell: (row) => cell(row, 'optimisticBalance'), isNumber: true },
    { head: phrases.tier, cell: (row) => cell(row, 'rewardTier') },
  ],
  good.slice(0, maxShown.good),
)}`
}
<form class="card" method="post" action="${getDraftPath(draft.upload, '/start')}">
${renderSelect({ name: 'onDuplicate', label: own.duplicates }, renderOptions(Object.entries(own.policies), 'skip'))}
<div class="pair"><button class="plain" name="what" value="dryRun">${own.tryAll}</button><button name="what" value="import">${own.start}</button></div>
</form>`
}

/** Says what is wrong with a row, in the words of the reader where there are some. */
export function describeError(
  { path, code, message, value }: Omit<PreviewRow['errors'][number], 'line'>,
  { import: own, issues }: ConsoleWords,
): Markup {
  const text = issues[code]
  return html`${path !== '' && html`${own.members[path] ?? path} `}${text ?? html`<span lang="en">${message}</span>`}${value !== null && html`: <code>${value}</code>`}`
}
