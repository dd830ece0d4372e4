import { InitError, type ImportJob, type ImportReport } from '../../features/imports/index.ts'
import { ProblemError } from '../../kernel/problem.ts'
import { html, type Markup } from '../site/html.ts'

interface ListedImports {
  data: readonly ImportJob[]
  total: number
  currentPage: number
  pageSize: number
}
interface NamedRecord {
  id: string
  name: string
}
type NamesById = ReadonlyMap<string, string>

const findMapperName = ({ data: { mapperId } }: ImportJob, names: NamesById): string | null =>
  mapperId === null ? null : (names.get(mapperId) ?? 'that was deleted since')

const formatCount = (number: number) => number.toLocaleString('en')
const renderInstant = (instant: string) =>
  html`<time datetime="${instant}">${instant.slice(0, 16).replace('T', ' ')} UTC</time>`

/** Returns an expected error as a sentence for people; null for any other error. */
export function toSentence(error: unknown): string | null {
  if (error instanceof InitError) return error.message
  if (!(error instanceof ProblemError)) return null
  const [first] = error.errors ?? []
  return first ? `${first.path} ${first.message}`.trim() : error.detail
}

/** Returns the name of an import. */
export const getImportTitle = ({ data }: ImportJob): string =>
  data.fileName
  ?? (data.source === 'scheduled' || data.source === 'manual'
    ? 'Fetched by a mapper'
    : `${(data.format ?? 'file').toUpperCase()} without a name`)

function getState({ status, failed, initError, progress }: ImportJob): { word: string; tone: '' | ' good' | ' bad' } {
  if (status === 'failed') return { word: 'Failed', tone: ' bad' }
  if (status === 'pending') return { word: progress > 0 ? 'In progress' : 'Waiting', tone: '' }
  return failed > 0 || initError !== null
    ? { word: 'Done, with errors', tone: ' bad' }
    : { word: 'Done', tone: ' good' }
}

function renderBadges(job: ImportJob): Markup {
  const { word, tone } = getState(job)
  return html`<span class="badge${tone}">${word}</span>${job.data.dryRun && html` <span class="badge">Dry run</span>`}`
}

const renderProgressBar = ({ status, progress, total }: ImportJob, label: string): Markup | false =>
  status === 'pending'
  && html`<progress class="bar" aria-label="${label}"${total > 0 && html` value="${progress}" max="1"`}></progress>`

/** Renders the list of imports, the newest first. */
export function renderImportList(
  importPage: ListedImports,
  {
    applications,
    mappers,
    mayCreate,
  }: { applications: readonly NamedRecord[]; mappers: NamesById; mayCreate: boolean },
): Markup {
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  return html`<div class="row"><h1>Imports</h1>${mayCreate && html`<a class="button small" href="/console/imports/new">New import</a>`}</div>
${importPage.total === 0 && html`<p>Nothing was imported yet. ${mayCreate ? 'Start with a file: CSV, Excel or JSON.' : 'Somebody whose role may create passports can start one.'}</p>`}
${importPage.data.map((job) => renderImportEntry(job, names.get(job.data.applicationId), findMapperName(job, mappers)))}
${renderPager('/console/imports', importPage.currentPage, importPage.currentPage * importPage.pageSize < importPage.total)}`
}

const renderImportEntry = (job: ImportJob, application: string | undefined, mapper: string | null): Markup =>
  html`<article class="card">
<div class="row"><h2><a href="/console/imports/${job.id}">${getImportTitle(job)}</a></h2><p>${renderBadges(job)}</p></div>
<p class="quiet">${renderInstant(job.createdAt)}${application !== undefined && html`, for ${application}`}${mapper !== null && html`, by the mapper ${mapper}`}${job.data.source === 'scheduled' && ', by its schedule'}${job.data.source === 'manual' && ', run by hand'}</p>
<p>${formatCount(job.completed)} rows done${job.failed > 0 && html`, <span class="bad">${formatCount(job.failed)} failed</span>`}</p>
${renderProgressBar(job, `Progress of ${getImportTitle(job)}`)}
</article>`

function renderPager(path: string, currentPage: number, more: boolean): Markup | false {
  if (currentPage === 1 && !more) return false
  return html`<nav class="row" aria-label="Pages">
<p>${currentPage > 1 && html`<a href="${path}?page=${currentPage - 1}" rel="prev">Previous page</a>`}</p>
<p class="quiet">Page ${currentPage}</p>
<p>${more && html`<a href="${path}?page=${currentPage + 1}" rel="next">Next page</a>`}</p>
</nav>`
}

interface ReportOptions {
  currentPage: number
  mappers: NamesById
  /** Dry run: the file, while it can still be imported. */
  draft: string | null
}

/** Renders one import: how far it is while it is running, then what happened to its rows. */
export function renderImportReport(
  { job, counts, errors, nextPage }: ImportReport,
  { currentPage, mappers, draft }: ReportOptions,
): Markup {
  const { dryRun } = job.data
  return html`<p><a href="/console/imports">All imports</a></p>
<h1>${getImportTitle(job)}</h1>
<p role="status">${renderBadges(job)}</p>
${
  job.status === 'pending'
    ? renderProgress(job)
    : html`<section class="card" aria-label="Counts"><dl>
<div><dt>${dryRun ? 'Would be created' : 'Created'}</dt><dd>${formatCount(counts.created)}</dd></div>
<div><dt>${dryRun ? 'Would be updated' : 'Updated'}</dt><dd>${formatCount(counts.updated)}</dd></div>
<div><dt>Skipped, as they are there already</dt><dd>${formatCount(counts.skipped)}</dd></div>
<div><dt>Failed</dt><dd>${counts.failed > 0 ? html`<strong class="bad">${formatCount(counts.failed)}</strong>` : '0'}</dd></div>
</dl></section>`
}
${job.initError && html`<p class="bad" role="alert">${job.initError.message}</p>`}
${
  dryRun
  && job.status !== 'pending'
  && html`<p>This was a dry run: nothing was written.</p>
${draft !== null && html`<p><a class="button" href="/console/imports/new/${draft}/preview">Go on to the import</a></p>`}`
}
${
  job.warnings.length > 0
  && html`<h2 id="warnings">To be looked at</h2>
<ul>${job.warnings.map(renderWarning)}</ul>`
}
${job.unusedColumns.length > 0 && html`<p>Columns that were not used: ${job.unusedColumns.map((name, at) => html`${at > 0 && ', '}<code>${name}</code>`)}.</p>`}
${
  (errors.length > 0 || currentPage > 1)
  && html`<h2 id="errors">Errors</h2>
<p><a href="/console/imports/${job.id}/errors.csv">Download all of them as CSV</a></p>
<div class="scroll" tabindex="0" role="region" aria-label="Errors"><table>
<thead><tr><th scope="col">Line</th><th scope="col">What is wrong</th><th scope="col">Value</th></tr></thead>
<tbody>${errors.map(renderErrorRow)}</tbody></table></div>
${renderPager(`/console/imports/${job.id}`, currentPage, nextPage !== null)}`
}
<h2>About this import</h2>
${renderFacts(job, findMapperName(job, mappers))}`
}

const renderProgress = (job: ImportJob): Markup =>
  html`<section class="card" aria-label="Progress" data-follow="/v1/imports/${job.id}/progress">
${renderProgressBar(job, 'Progress of the import')}
<p><span data-share>${Math.floor(job.progress * 100)} %</span> of the file: <strong data-count="completed">${formatCount(job.completed)}</strong> rows done, <strong data-count="failed">${formatCount(job.failed)}</strong> failed.</p>
<p class="quiet">You can leave this page; the import goes on.</p>
</section>`

const renderWarning = ({ path, message }: ImportReport['warnings'][number]): Markup =>
  html`<li>${path !== '' && html`<code>${path}</code> `}${message}</li>`

const renderErrorRow = ({ line, path, code, message, value }: ImportReport['errors'][number]): Markup =>
  html`<tr>
<td>${line}</td><td>${path !== '' && html`<code>${path}</code> `}${message}<br><span class="quiet">${code}</span></td><td>${value !== null && html`<code>${value}</code>`}</td></tr>`

const duplicateWords = { skip: 'left as they are', update: 'changed to what the file says', fail: 'reported as errors' }
const encodings: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
}
const delimiters: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab' }

/** Describes in words how a file is written. */
export function describeDialect(format: string | null, dialect: ImportJob['data']['dialect']): string {
  const { encoding, delimiter, columns, sheet } = dialect ?? {}
  return [
    format === 'xlsx' ? 'Excel' : format?.toUpperCase(),
    sheet !== undefined ? `sheet ${sheet}` : encoding && (encodings[encoding] ?? encoding),
    delimiter && `separated by ${delimiters[delimiter] ?? delimiter}`,
    columns !== undefined && `${formatCount(columns)} ${columns === 1 ? 'column' : 'columns'}`,
  ]
    .filter(Boolean)
    .join(', ')
}

const renderFacts = ({ id, data, createdAt, finishedAt }: ImportJob, mapper: string | null): Markup =>
  html`<section class="card"><dl>
<div><dt>Begun</dt><dd>${renderInstant(createdAt)}</dd></div>
${finishedAt !== null && html`<div><dt>Ended</dt><dd>${renderInstant(finishedAt)}</dd></div>`}
${data.format !== null && html`<div><dt>File</dt><dd>${describeDialect(data.format, data.dialect)}</dd></div>`}
${mapper !== null && html`<div><dt>Mapper</dt><dd>${mapper}</dd></div>`}
<div><dt>Passports that are there already</dt><dd>${duplicateWords[data.onDuplicate]}</dd></div>
<div><dt>Network</dt><dd>${data.network ?? 'the default of the application'}</dd></div>
<div><dt>Import</dt><dd><code>${id}</code></dd></div>
</dl></section>`
