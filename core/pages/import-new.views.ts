import { destinations, hasColumns, type Draft, type MapperRow, type PreviewRow, type FileField, type Correspondence } from '../features/imports/index.ts'
import { html, type Markup } from './html.ts'
import { fixedValues, otherPath } from './import-new.form.ts'
import { dialectWords } from './imports.views.ts'

interface Named { id: string; name: string }

const alert = (wrong: string | null | undefined): Markup | null => (wrong ? html`<p class="bad" role="alert">${wrong}</p>` : null)
const fileOf = ({ fileName, bytes, dialect }: Draft): Markup => html`<p class="quiet"><strong>${fileName ?? 'The file'}</strong>: ${dialectWords(dialect.format, dialect)}, ${Math.ceil(bytes / 1024).toLocaleString('en')} KiB</p>`
const stepOf = (at: number, title: string) => html`<p class="quiet">Step ${at} of 4</p><h1>${title}</h1>`

/** First step: the file. */
export const uploadPage = (wrong: string | null): Markup => html`<p><a href="/console/imports">All imports</a></p>
${stepOf(1, 'New import')}
<p>A table as CSV (comma, semicolon or tab) or as an Excel workbook (its first sheet), or a list as JSON or NDJSON; up to 256 MB. Nothing is imported before you have seen what becomes of it.</p>
${alert(wrong)}
<form class="card" method="post" action="/console/imports/new" enctype="multipart/form-data">
<label for="file">File</label>
<input id="file" name="file" type="file" accept=".csv,.tsv,.txt,.xlsx,.xlsm,.json,.ndjson,.jsonl,text/csv,application/json" required>
<button>Upload</button>
</form>`

/** A file that nobody began to import goes after an hour. */
export const gonePage = (): Markup => html`<h1>This file is no longer here</h1>
<p>It was imported already, or an hour has passed without a beginning. Nothing was lost but the upload.</p>
<p><a class="button small" href="/console/imports/new">Upload it again</a> <a href="/console/imports">All imports</a></p>`

/** A file that breaks in its first rows. */
export const brokenPage = (draft: Draft, wrong: string): Markup => html`<h1>This file cannot be read</h1>
${fileOf(draft)}
${alert(wrong)}
<p>Mend it and <a href="/console/imports/new">upload it again</a>.</p>`

/** Second step: whose passports, and by which mapper. */
export function choicePage(
  draft: Draft, { applications, mappers }: { applications: readonly Named[]; mappers: readonly (Named & { application: string })[] },
): Markup {
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  const { dialect: { format } } = draft
  if (applications.length === 0) return html`${stepOf(2, 'How the file is read')}<p class="bad" role="alert">Your organization has no application yet. Passports belong to one.</p>`
  const option = (value: string, label: string, checked: boolean) => html`<label class="option"><input type="radio" name="how" value="${value}"${checked && html` checked`} required> ${label}</label>`
  const chosen = draft.plain ? 'plain' : draft.rows || draft.mapper === undefined ? 'suggest' : draft.mapper
  return html`${stepOf(2, 'How the file is read')}
${fileOf(draft)}
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

interface MappingOptions { fields: readonly FileField[]; suggested: readonly Correspondence[] | null; rows: readonly MapperRow[] | null; wrong: readonly string[] }

/** Fields that the page asks about; those after them are left out. */
const mostAsked = 300

/** Third step: one question a field. High and likely suggestions are filled in, weak ones are only told. */
export function mappingPage(draft: Draft, { fields, suggested, rows, wrong }: MappingOptions): Markup {
  const constants = (rows ?? (suggested ?? []).filter(({ confidence }) => confidence !== 'low')).filter(({ kind }) => kind === 'constant')
  const granularity = constants.find(({ destination }) => destination === 'product.idGranularity')
  const fixed = constants.filter((row) => row !== granularity)
  return html`${stepOf(3, 'Where the columns go')}
${fileOf(draft)}
<p>${suggested ? 'We have filled in what we are sure of or find likely. Look at each, and change what is wrong.' : 'As you left it.'} What goes nowhere is left out.</p>
${wrong.length > 0 && html`<div class="bad" role="alert"><p>Please check:</p><ul>${wrong.map((one) => html`<li>${one}</li>`)}</ul></div>`}
${fields.length > mostAsked && html`<p class="bad">Only the first ${mostAsked} of ${fields.length} are shown here. A mapper with all of them is made by the API.</p>`}
<form method="post" action="/console/imports/new/${draft.upload}/mapping">
${fields.slice(0, mostAsked).map((field, at) => question(field, at, {
    suggestion: suggested?.find(({ source }) => source === field.id),
    row: rows?.find(({ kind, source }) => kind === 'field' && source === field.id),
  }))}
<section class="card" aria-label="The same for all rows"><h2>The same for all rows</h2>
<label for="granularity">What a row is</label>
<select id="granularity" name="granularity">${[['', 'As a column says, or a passport by a sheet'], ['model', 'A model: all pieces of an article'], ['batch', 'A batch or lot'], ['item', 'A single item with its own number']]
    .map(([value, label]) => html`<option value="${value}"${value !== '' && value === granularity?.value && html` selected`}>${label}</option>`)}</select>
<details${fixed.length > 0 && html` open`}><summary>More values</summary>
${Array.from({ length: fixedValues }, (_, at) => html`<div class="pair"><div><label for="k${at}">Path ${at + 1}</label><input id="k${at}" name="k${at}" placeholder="data.brand" value="${fixed[at]?.destination}"></div>
<div><label for="v${at}">Value ${at + 1}</label><input id="v${at}" name="v${at}" value="${String(fixed[at]?.value ?? '')}"></div></div>`)}
</details></section>
<button>See the first rows</button>
</form>
<p><a href="/console/imports/new/${draft.upload}">Back</a></p>`
}

const confidences = { high: 'sure', review: 'likely, please check', low: 'a guess, not filled in' }

function question(
  { name, examples, nulls }: FileField, at: number, { suggestion, row }: { suggestion: Correspondence | undefined; row: MapperRow | undefined },
): Markup {
  const taken = suggestion && suggestion.confidence !== 'low' ? suggestion : undefined
  const destination = row?.destination ?? taken?.destination ?? ''
  const transforms = row ? row.transforms ?? [] : taken?.transforms ?? []
  const known = destination === '' || destinations.some(({ path }) => path === destination)
  return html`<section class="card" aria-labelledby="n${at}"><div class="pair"><div>
<h2 id="n${at}">${name}</h2>
<p class="quiet">${examples.length > 0 ? html`${examples.map((example, place) => html`${place > 0 && ' · '}<code>${example}</code>`)}` : 'Always empty'}${nulls > 0 && examples.length > 0 && html` · sometimes empty`}</p>
${suggestion && html`<p class="quiet"><span class="badge${suggestion.confidence === 'high' && ' good'}">${confidences[suggestion.confidence]}</span> ${suggestion.confidence === 'low' && html`${labelOf(suggestion.destination)}: `}${suggestion.evidence}</p>`}
</div><div>
<label for="d${at}">Goes to<span class="away"> (${name})</span></label>
<select id="d${at}" name="d${at}"><option value="">Leave it out</option>
${destinations.map(({ path, label }) => html`<option value="${path}"${path === destination && html` selected`}>${label}</option>`)}
<option value="${otherPath}"${!known && html` selected`}>Another path, below</option></select>
<details${!known && html` open`}><summary>Path and changes${transforms.length > 0 && html`: <code>${transforms.join(', ')}</code>`}</summary>
<label for="p${at}">Another path<span class="away"> for ${name}</span></label><input id="p${at}" name="p${at}" placeholder="data.myName" value="${known ? '' : destination}">
<label for="t${at}">Changes to the value, one a line<span class="away"> (${name})</span></label><textarea id="t${at}" name="t${at}" rows="${Math.max(1, transforms.length)}" placeholder="trim">${transforms.join('\n')}</textarea>
</details>
</div></div></section>`
}

const labelOf = (path: string) => destinations.find((one) => one.path === path)?.label ?? path

interface PreviewOptions { passports: readonly PreviewRow[]; wrong: string | null; name: string | undefined }

/** Fourth step: what the first rows become, and the two buttons. */
export function previewPage(draft: Draft, { passports, wrong, name }: PreviewOptions): Markup {
  const faulty = passports.filter(({ errors }) => errors.length > 0).length
  const asksName = draft.rows !== undefined && !draft.own
  return html`${stepOf(4, 'The first rows as passports')}
${fileOf(draft)}
${alert(wrong)}
${passports.length > 0 && html`<p role="status">${faulty === 0 ? html`<span class="good">The first ${passports.length} rows are good.</span>` : html`<span class="bad">${faulty} of the first ${passports.length} rows would fail.</span> They fail alone; the others are imported.`}</p>
<div class="scroll" tabindex="0" role="region" aria-label="The first rows"><table>
<thead><tr><th scope="col">Line</th><th scope="col">Passport</th><th scope="col">What is wrong</th></tr></thead>
<tbody>${passports.map(previewRow)}</tbody></table></div>`}
${passports.length === 0 && wrong === null && html`<p>The file has no rows.</p>`}
<form class="card" method="post" action="/console/imports/new/${draft.upload}/start">
${asksName && html`<label for="name">Name of this mapping, for the next file of this kind</label>
<input id="name" name="name" required maxlength="200" value="${name ?? (draft.fileName ?? 'Import').replace(/\.\w+$/, '')}">`}
<label for="onDuplicate">Rows whose passport is there already</label>
<select id="onDuplicate" name="onDuplicate"><option value="skip">Leave the passport as it is</option><option value="update">Change the passport to what the file says</option><option value="fail">Report them as errors</option></select>
<div class="pair"><button class="plain" name="what" value="dryRun">Dry run: check every row</button><button name="what" value="import">Import</button></div>
</form>
<p><a href="/console/imports/new/${draft.upload}${draft.rows ? '/mapping' : ''}">Back</a></p>`
}

const previewRow = ({ line, passport, errors }: PreviewRow): Markup => html`<tr><td>${line}</td>
<td><details><summary>${titleOf(passport)}</summary><pre>${JSON.stringify(passport, null, 2)}</pre></details></td>
<td>${errors.length === 0 ? html`<span class="good">Good</span>` : html`<ul>${errors.map(({ path, message, value }) => html`<li>${path && html`<code>${path}</code> `}${message}${value !== null && html`: <code>${value}</code>`}</li>`)}</ul>`}</td></tr>`

/** What a body would be called. */
function titleOf(passport: unknown): string {
  const { reference, product } = (passport ?? {}) as { reference?: unknown; product?: unknown }
  const { name } = (typeof product === 'object' && product !== null ? product : {}) as { name?: unknown }
  const words = [name, reference].filter((word) => typeof word === 'string' && word !== '').join(', ')
  return words || 'No name'
}
