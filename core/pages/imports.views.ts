import { InitError, type ImportJob, type ImportReport } from '../features/imports/index.ts'
import { Problem } from '../kernel/problem.ts'
import { html, type Markup } from './html.ts'

interface Listed { data: readonly ImportJob[]; total: number; currentPage: number; pageSize: number }
interface Named { id: string; name: string }
type Names = ReadonlyMap<string, string>

const mapperOf = ({ data: { mapperId } }: ImportJob, names: Names): string | null =>
  (mapperId === null ? null : names.get(mapperId) ?? 'that was deleted since')

const count = (number: number) => number.toLocaleString('en')
const day = (instant: string) => html`<time datetime="${instant}">${instant.slice(0, 16).replace('T', ' ')} UTC</time>`

/** A refusal as a sentence for people; null for what is no refusal. */
export function sentenceOf(error: unknown): string | null {
  if (error instanceof InitError) return error.message
  if (!(error instanceof Problem)) return null
  const [first] = error.errors ?? []
  return first ? `${first.path} ${first.message}`.trim() : error.detail
}

/** What an import is called. */
export const importTitle = ({ data }: ImportJob): string =>
  data.fileName
  ?? (data.source === 'scheduled' || data.source === 'manual' ? 'Fetched by a mapper' : `${(data.format ?? 'file').toUpperCase()} without a name`)

function stateOf({ status, failed, initError, progress }: ImportJob): { word: string; tone: '' | ' good' | ' bad' } {
  if (status === 'failed') return { word: 'Failed', tone: ' bad' }
  if (status === 'pending') return { word: progress > 0 ? 'In progress' : 'Waiting', tone: '' }
  return failed > 0 || initError !== null ? { word: 'Done, with errors', tone: ' bad' } : { word: 'Done', tone: ' good' }
}

function badges(job: ImportJob): Markup {
  const { word, tone } = stateOf(job)
  return html`<span class="badge${tone}">${word}</span>${job.data.dryRun && html` <span class="badge">Dry run</span>`}`
}

const bar = ({ status, progress, total }: ImportJob, label: string): Markup | false => status === 'pending'
  && html`<progress class="bar" aria-label="${label}"${total > 0 && html` value="${progress}" max="1"`}></progress>`

/** All imports, the newest first. */
export function importList(
  found: Listed,
  { applications, mappers, mayCreate }: { applications: readonly Named[]; mappers: Names; mayCreate: boolean },
): Markup {
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  return html`<div class="row"><h1>Imports</h1>${mayCreate && html`<a class="button small" href="/console/imports/new">New import</a>`}</div>
${found.total === 0 && html`<p>Nothing was imported yet. ${mayCreate ? 'Start with a file: CSV, Excel or JSON.' : 'Somebody whose role may create passports can start one.'}</p>`}
${found.data.map((job) => entryOf(job, names.get(job.data.applicationId), mapperOf(job, mappers)))}
${pager('/console/imports', found.currentPage, found.currentPage * found.pageSize < found.total)}`
}

const entryOf = (job: ImportJob, application: string | undefined, mapper: string | null): Markup => html`<article class="card">
<div class="row"><h2><a href="/console/imports/${job.id}">${importTitle(job)}</a></h2><p>${badges(job)}</p></div>
<p class="quiet">${day(job.createdAt)}${application !== undefined && html`, for ${application}`}${mapper !== null && html`, by the mapper ${mapper}`}${job.data.source === 'scheduled' && ', by its schedule'}${job.data.source === 'manual' && ', run by hand'}</p>
<p>${count(job.completed)} rows done${job.failed > 0 && html`, <span class="bad">${count(job.failed)} failed</span>`}</p>
${bar(job, `Progress of ${importTitle(job)}`)}
</article>`

function pager(path: string, currentPage: number, more: boolean): Markup | false {
  if (currentPage === 1 && !more) return false
  return html`<nav class="row" aria-label="Pages">
<p>${currentPage > 1 && html`<a href="${path}?page=${currentPage - 1}" rel="prev">Previous page</a>`}</p>
<p class="quiet">Page ${currentPage}</p>
<p>${more && html`<a href="${path}?page=${currentPage + 1}" rel="next">Next page</a>`}</p>
</nav>`
}

interface ReportOptions {
  currentPage: number
  mappers: Names
  /** Of a dry run: the file, while it is still here to be imported. */
  draft: string | null
}

/** One import: while it goes on how far it is, then what became of its rows. */
export function importReport(
  { job, counts, errors, nextPage }: ImportReport, { currentPage, mappers, draft }: ReportOptions,
): Markup {
  const { dryRun } = job.data
  return html`<p><a href="/console/imports">All imports</a></p>
<h1>${importTitle(job)}</h1>
<p role="status">${badges(job)}</p>
${job.status === 'pending' ? underWay(job) : html`<section class="card" aria-label="Counts"><dl>
<div><dt>${dryRun ? 'Would be created' : 'Created'}</dt><dd>${count(counts.created)}</dd></div>
<div><dt>${dryRun ? 'Would be updated' : 'Updated'}</dt><dd>${count(counts.updated)}</dd></div>
<div><dt>Skipped, as they are there already</dt><dd>${count(counts.skipped)}</dd></div>
<div><dt>Failed</dt><dd>${counts.failed > 0 ? html`<strong class="bad">${count(counts.failed)}</strong>` : '0'}</dd></div>
</dl></section>`}
${job.initError && html`<p class="bad" role="alert">${job.initError.message}</p>`}
${dryRun && job.status !== 'pending' && html`<p>This was a dry run: nothing was written.</p>
${draft !== null && html`<p><a class="button" href="/console/imports/new/${draft}/preview">Go on to the import</a></p>`}`}
${job.warnings.length > 0 && html`<h2 id="warnings">To be looked at</h2>
<ul>${job.warnings.map(warningItem)}</ul>`}
${job.unusedColumns.length > 0 && html`<p>Columns that were not used: ${job.unusedColumns.map((name, at) => html`${at > 0 && ', '}<code>${name}</code>`)}.</p>`}
${(errors.length > 0 || currentPage > 1) && html`<h2 id="errors">Errors</h2>
<p><a href="/console/imports/${job.id}/errors.csv">Download all of them as CSV</a></p>
<div class="scroll" tabindex="0" role="region" aria-label="Errors"><table>
<thead><tr><th scope="col">Line</th><th scope="col">What is wrong</th><th scope="col">Value</th></tr></thead>
<tbody>${errors.map(errorRow)}</tbody></table></div>
${pager(`/console/imports/${job.id}`, currentPage, nextPage !== null)}`}
<h2>About this import</h2>
${facts(job, mapperOf(job, mappers))}`
}

const underWay = (job: ImportJob): Markup => html`<section class="card" aria-label="Progress" data-follow="/v1/imports/${job.id}/progress">
${bar(job, 'Progress of the import')}
<p><span data-share>${Math.floor(job.progress * 100)} %</span> of the file: <strong data-count="completed">${count(job.completed)}</strong> rows done, <strong data-count="failed">${count(job.failed)}</strong> failed.</p>
<p class="quiet">You can leave this page; the import goes on.</p>
</section>`

const warningItem = ({ path, message }: ImportReport['warnings'][number]): Markup =>
  html`<li>${path !== '' && html`<code>${path}</code> `}${message}</li>`

const errorRow = ({ line, path, code, message, value }: ImportReport['errors'][number]): Markup => html`<tr>
<td>${line}</td><td>${path !== '' && html`<code>${path}</code> `}${message}<br><span class="quiet">${code}</span></td><td>${value !== null && html`<code>${value}</code>`}</td></tr>`

const duplicateWords = { skip: 'left as they are', update: 'changed to what the file says', fail: 'reported as errors' }
const encodings: Readonly<Record<string, string>> = { 'utf-8': 'UTF-8', 'utf-16le': 'UTF-16', 'utf-16be': 'UTF-16', 'windows-1252': 'Windows-1252' }
const delimiters: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab' }

/** How a file is written, in words. */
export function dialectWords(format: string | null, dialect: ImportJob['data']['dialect']): string {
  const { encoding, delimiter, columns, sheet } = dialect ?? {}
  return [
    format === 'xlsx' ? 'Excel' : format?.toUpperCase(), sheet !== undefined ? `sheet ${sheet}` : encoding && (encodings[encoding] ?? encoding), delimiter && `separated by ${delimiters[delimiter] ?? delimiter}`,
    columns !== undefined && `${count(columns)} ${columns === 1 ? 'column' : 'columns'}`,
  ].filter(Boolean).join(', ')
}

const facts = ({ id, data, createdAt, finishedAt }: ImportJob, mapper: string | null): Markup => html`<section class="card"><dl>
<div><dt>Begun</dt><dd>${day(createdAt)}</dd></div>
${finishedAt !== null && html`<div><dt>Ended</dt><dd>${day(finishedAt)}</dd></div>`}
${data.format !== null && html`<div><dt>File</dt><dd>${dialectWords(data.format, data.dialect)}</dd></div>`}
${mapper !== null && html`<div><dt>Mapper</dt><dd>${mapper}</dd></div>`}
<div><dt>Passports that are there already</dt><dd>${duplicateWords[data.onDuplicate]}</dd></div>
<div><dt>Network</dt><dd>${data.network ?? 'the default of the application'}</dd></div>
<div><dt>Import</dt><dd><code>${id}</code></dd></div>
</dl></section>`
