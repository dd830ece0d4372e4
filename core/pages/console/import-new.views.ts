import {
  hasColumns,
  type Draft,
  type MapperRow,
  type PreviewRow,
  type FileField,
  type Correspondence,
} from '../../features/imports/index.ts'
import { getRecordSink } from '../../kernel/ports/record-sinks.ts'
import { html, type Markup } from '../site/html.ts'
import { maxFixedValues, otherPath } from './import-new.form.ts'
import { describeDialect } from './imports.views.ts'

interface NamedRecord {
  id: string
  name: string
}

const renderAlert = (wrong: string | null | undefined): Markup | null =>
  wrong ? html`<p class="bad" role="alert">${wrong}</p>` : null
const renderFile = ({ fileName, bytes, dialect }: Draft): Markup =>
  html`<p class="quiet"><strong>${fileName ?? 'The file'}</strong>: ${describeDialect(dialect.format, dialect)}, ${Math.ceil(bytes / 1024).toLocaleString('en')} KiB</p>`
const renderStep = (at: number, title: string) => html`<p class="quiet">Step ${at} of 4</p><h1>${title}</h1>`

/** Renders the first step: the file. */
export const renderUploadPage = (wrong: string | null): Markup =>
  html`<p><a href="/console/imports">All imports</a></p>
${renderStep(1, 'New import')}
<p>A table as CSV (comma, semicolon or tab) or as an Excel workbook (its first sheet), or a list as JSON or NDJSON; up to 256 MB. Nothing is imported before you have seen what becomes of it.</p>
${renderAlert(wrong)}
<form class="card" method="post" action="/console/imports/new" enctype="multipart/form-data">
<label for="file">File</label>
<input id="file" name="file" type="file" accept=".csv,.tsv,.txt,.xlsx,.xlsm,.json,.ndjson,.jsonl,text/csv,application/json" required>
<button>Upload</button>
</form>`

/** Renders the page for a file that is gone: a file is deleted after an hour if nobody has started its import. */
export const renderGonePage = (): Markup =>
  html`<h1>This file is no longer here</h1>
<p>It was imported already, or an hour has passed without a beginning. Nothing was lost but the upload.</p>
<p><a class="button small" href="/console/imports/new">Upload it again</a> <a href="/console/imports">All imports</a></p>`

/** Renders the page for a file whose first rows cannot be read. */
export const renderBrokenPage = (draft: Draft, wrong: string): Markup =>
  html`<h1>This file cannot be read</h1>
${renderFile(draft)}
${renderAlert(wrong)}
<p>Mend it and <a href="/console/imports/new">upload it again</a>.</p>`

/** Renders the second step: the application and the mapper. */
export function renderChoicePage(
  draft: Draft,
  {
    applications,
    mappers,
  }: { applications: readonly NamedRecord[]; mappers: readonly (NamedRecord & { application: string })[] },
): Markup {
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  const {
    dialect: { format },
  } = draft
  if (applications.length === 0)
    return html`${renderStep(2, 'How the file is read')}<p class="bad" role="alert">Your organization has no application yet. Passports belong to one.</p>`
  const option = (value: string, label: string, checked: boolean) =>
    html`<label class="option"><input type="radio" name="how" value="${value}"${checked && html` checked`} required> ${label}</label>`
  const chosen = draft.plain ? 'plain' : draft.rows || draft.mapper === undefined ? 'suggest' : draft.mapper
  return html`${renderStep(2, 'How the file is read')}
${renderFile(draft)}
<form class="card" method="post" action="/console/imports/new/${draft.upload}">
<label for="application">Application that the passports are of</label>
<select id="application" name="application">${applications.map(({ id, name }) => html`<option value="${id}"${id === draft.application && html` selected`}>${name}</option>`)}</select>
<fieldset><legend>What its ${format === 'csv' ? 'columns' : 'members'} mean</legend>
${option('suggest', 'Suggest a mapping, which I check', chosen === 'suggest')}
${mappers.map(({ id, name, application }) => option(id, `By the mapper ${name}${applications.length > 1 ? `, of ${names.get(application) ?? 'another application'}` : ''}`, chosen === id))}
${!hasColumns(format) && option('plain', 'Nothing to map: each item is a passport as the API takes it', chosen === 'plain')}
</fieldset>
<button>Go on</button>
</form>`
}

interface MappingOptions {
  fields: readonly FileField[]
  suggested: readonly Correspondence[] | null
  rows: readonly MapperRow[] | null
  wrong: readonly string[]
}

/** The maximum number of fields that the page asks about; further fields are left out. */
const maxShownFields = 300

/**
 * Renders the third step: one question per field. Suggestions of high or review confidence are filled in, low ones are
 * only shown.
 */
export function renderMappingPage(draft: Draft, { fields, suggested, rows, wrong }: MappingOptions): Markup {
  const constants = (rows ?? (suggested ?? []).filter(({ confidence }) => confidence !== 'low')).filter(
    ({ kind }) => kind === 'constant',
  )
  const granularity = constants.find(({ destination }) => destination === 'product.idGranularity')
  const fixed = constants.filter((row) => row !== granularity)
  return html`${renderStep(3, 'Where the columns go')}
${renderFile(draft)}
<p>${suggested ? 'We have filled in what we are sure of or find likely. Look at each, and change what is wrong.' : 'As you left it.'} What goes nowhere is left out.</p>
${
  wrong.length > 0
  && html`<div class="bad" role="alert"><p>Please check:</p><ul>${wrong.map((one) => html`<li>${one}</li>`)}</ul></div>`
}
${fields.length > maxShownFields && html`<p class="bad">Only the first ${maxShownFields} of ${fields.length} are shown here. A mapper with all of them is made by the API.</p>`}
<form method="post" action="/console/imports/new/${draft.upload}/mapping">
${fields.slice(0, maxShownFields).map((field, at) =>
  renderQuestion(field, at, {
    suggestion: suggested?.find(({ source }) => source === field.id),
    row: rows?.find(({ kind, source }) => kind === 'field' && source === field.id),
  }),
)}
<section class="card" aria-label="The same for all rows"><h2>The same for all rows</h2>
<label for="granularity">What a row is</label>
<select id="granularity" name="granularity">${[
    ['', 'As a column says, or a passport by a sheet'],
    ['model', 'A model: all pieces of an article'],
    ['batch', 'A batch or lot'],
    ['item', 'A single item with its own number'],
  ].map(
    ([value, label]) =>
      html`<option value="${value}"${value !== '' && value === granularity?.value && html` selected`}>${label}</option>`,
  )}</select>
<details${fixed.length > 0 && html` open`}><summary>More values</summary>
${Array.from(
  { length: maxFixedValues },
  (_, at) =>
    html`<div class="pair"><div><label for="k${at}">Path ${at + 1}</label><input id="k${at}" name="k${at}" placeholder="data.brand" value="${fixed[at]?.destination}"></div>
<div><label for="v${at}">Value ${at + 1}</label><input id="v${at}" name="v${at}" value="${String(fixed[at]?.value ?? '')}"></div></div>`,
)}
</details></section>
<button>See the first rows</button>
</form>
<p><a href="/console/imports/new/${draft.upload}">Back</a></p>`
}

const confidences = { high: 'sure', review: 'likely, please check', low: 'a guess, not filled in' }

/** A few values of a field. */
const renderExamples = (examples: readonly string[], nulls: number): Markup =>
  examples.length === 0
    ? html`Always empty`
    : html`${examples.map((example, place) => html`${place > 0 && ' · '}<code>${example}</code>`)}${nulls > 0 && html` · sometimes empty`}`

/** How sure a suggestion is and why; one that is not filled in says where it leads. */
const renderSuggestion = ({ confidence, destination, evidence }: Correspondence): Markup =>
  html`<p class="quiet"><span class="badge${confidence === 'high' && ' good'}">${confidences[confidence]}</span> ${confidence === 'low' && html`${getLabel(destination)}: `}${evidence}</p>`

function renderQuestion(
  { name, examples, nulls }: FileField,
  at: number,
  { suggestion, row }: { suggestion: Correspondence | undefined; row: MapperRow | undefined },
): Markup {
  const taken = suggestion && suggestion.confidence !== 'low' ? suggestion : undefined
  const destination = row?.destination ?? taken?.destination ?? ''
  const transforms = row ? (row.transforms ?? []) : (taken?.transforms ?? [])
  const known = destination === '' || getRecordSink().destinations.some(({ path }) => path === destination)
  return html`<section class="card" aria-labelledby="n${at}"><div class="pair"><div>
<h2 id="n${at}">${name}</h2>
<p class="quiet">${renderExamples(examples, nulls)}</p>
${suggestion && renderSuggestion(suggestion)}
</div><div>
<label for="d${at}">Goes to<span class="away"> (${name})</span></label>
<select id="d${at}" name="d${at}"><option value="">Leave it out</option>
${getRecordSink().destinations.map(({ path, label }) => html`<option value="${path}"${path === destination && html` selected`}>${label}</option>`)}
<option value="${otherPath}"${!known && html` selected`}>Another path, below</option></select>
<details${!known && html` open`}><summary>Path and changes${transforms.length > 0 && html`: <code>${transforms.join(', ')}</code>`}</summary>
<label for="p${at}">Another path<span class="away"> for ${name}</span></label><input id="p${at}" name="p${at}" placeholder="data.myName" value="${known ? '' : destination}">
<label for="t${at}">Changes to the value, one a line<span class="away"> (${name})</span></label><textarea id="t${at}" name="t${at}" rows="${Math.max(1, transforms.length)}" placeholder="trim">${transforms.join('\n')}</textarea>
</details>
</div></div></section>`
}

const getLabel = (path: string) => getRecordSink().destinations.find((one) => one.path === path)?.label ?? path

interface PreviewOptions {
  passports: readonly PreviewRow[]
  wrong: string | null
  name: string | undefined
}

/** Renders the fourth step: what the first rows become, and the two buttons. */
export function renderPreviewPage(draft: Draft, { passports, wrong, name }: PreviewOptions): Markup {
  const faulty = passports.filter(({ errors }) => errors.length > 0).length
  const asksName = draft.rows !== undefined && !draft.own
  return html`${renderStep(4, 'The first rows as passports')}
${renderFile(draft)}
${renderAlert(wrong)}
${
  passports.length > 0
  && html`<p role="status">${faulty === 0 ? html`<span class="good">The first ${passports.length} rows are good.</span>` : html`<span class="bad">${faulty} of the first ${passports.length} rows would fail.</span> They fail alone; the others are imported.`}</p>
<div class="scroll" tabindex="0" role="region" aria-label="The first rows"><table>
<thead><tr><th scope="col">Line</th><th scope="col">Passport</th><th scope="col">What is wrong</th></tr></thead>
<tbody>${passports.map(renderPreviewRow)}</tbody></table></div>`
}
${passports.length === 0 && wrong === null && html`<p>The file has no rows.</p>`}
<form class="card" method="post" action="/console/imports/new/${draft.upload}/start">
${
  asksName
  && html`<label for="name">Name of this mapping, for the next file of this kind</label>
<input id="name" name="name" required maxlength="200" value="${name ?? (draft.fileName ?? 'Import').replace(/\.\w+$/, '')}">`
}
<label for="onDuplicate">Rows whose passport is there already</label>
<select id="onDuplicate" name="onDuplicate"><option value="skip">Leave the passport as it is</option><option value="update">Change the passport to what the file says</option><option value="fail">Report them as errors</option></select>
<div class="pair"><button class="plain" name="what" value="dryRun">Dry run: check every row</button><button name="what" value="import">Import</button></div>
</form>
<p><a href="/console/imports/new/${draft.upload}${draft.rows ? '/mapping' : ''}">Back</a></p>`
}

const renderPreviewRow = ({ line, record: passport, errors }: PreviewRow): Markup =>
  html`<tr><td>${line}</td>
<td><details><summary>${getTitle(passport)}</summary><pre>${JSON.stringify(passport, null, 2)}</pre></details></td>
<td>${
    errors.length === 0
      ? html`<span class="good">Good</span>`
      : html`<ul>${errors.map(({ path, message, value }) => html`<li>${path && html`<code>${path}</code> `}${message}${value !== null && html`: <code>${value}</code>`}</li>`)}</ul>`
  }</td></tr>`

/** Returns the title of a passport's body. */
function getTitle(passport: unknown): string {
  const { reference, product } = (passport ?? {}) as { reference?: unknown; product?: unknown }
  const { name } = (typeof product === 'object' && product !== null ? product : {}) as { name?: unknown }
  const words = [name, reference].filter((word) => typeof word === 'string' && word !== '').join(', ')
  return words || 'No name'
}
