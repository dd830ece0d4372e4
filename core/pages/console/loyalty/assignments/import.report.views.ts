import type { ImportReport } from '../../../../features/imports/index.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { html, type Markup } from '../../../site/html.ts'
import { formatCount, renderPager, renderTable } from '../../frame/lists.views.ts'
import type { ConsoleWords } from '../../words/words.ts'
import { assignmentsPath } from './assignments.views.ts'
import { describeError, getDraftPath, getReportPath, importPath } from './import.views.ts'

interface ReportView {
  language: ConsoleLanguage
  words: ConsoleWords
  currentPage: number
  /** Dry run: the file, while it can still be imported. */
  draft: string | undefined
}

/** Renders the report of an import of assignments. */
export function renderReport(report: ImportReport, view: ReportView): Markup {
  const { words, draft } = view
  const { job } = report
  const { import: own, assignments: phrases } = words
  const { dryRun } = job.data
  return html`<p><a href="${assignmentsPath}">${phrases.all}</a> · <a href="${importPath}">${phrases.paste}</a></p>
<h1>${own.reportTitle}</h1>
<p role="status"><span class="badge">${own.states[job.status]}</span>${dryRun && html` <span class="badge">${own.dryRun}</span>`}</p>
${job.status === 'pending' ? renderProgress(report, view) : renderCounts(report, view)}
${job.initError && html`<p class="bad" role="alert"><span lang="en">${job.initError.message}</span></p>`}
${job.unusedColumns.length > 0 && html`<p>${own.unused} ${job.unusedColumns.map((name, at) => html`${at > 0 && ', '}<code>${name}</code>`)}</p>`}
${draft !== undefined && job.status !== 'pending' && html`<p>${own.nothingWritten} <a class="button small" href="${getDraftPath(draft, '/preview')}">${own.goOn}</a></p>`}
${renderErrors(report, view)}`
}

const renderProgress = ({ job }: ImportReport, { words: { import: own }, language }: ReportView): Markup =>
  html`<section class="card" aria-label="${own.progress}" data-follow="/v1/imports/${job.id}/progress">
<progress class="bar" aria-label="${own.progress}"${job.total > 0 && html` value="${job.progress}" max="1"`}></progress>
<p><span data-share>${Math.floor(job.progress * 100)} %</span> · ${own.done}: <strong data-count="completed">${formatCount(job.completed, language)}</strong> · ${own.failed}: <strong data-count="failed">${formatCount(job.failed, language)}</strong></p>
</section>`

function renderCounts({ counts }: ImportReport, { words: { import: own }, language }: ReportView): Markup {
  const rows = [
    [own.created, counts.created],
    [own.updated, counts.updated],
    [own.skipped, counts.skipped],
    [own.failed, counts.failed],
  ] as const
  return html`<section class="card" aria-label="${own.counts}"><dl>
${rows.map(([name, count]) => html`<div><dt>${name}</dt><dd>${formatCount(count, language)}</dd></div>`)}
</dl></section>`
}

function renderErrors({ job, errors, nextPage }: ImportReport, { words, currentPage }: ReportView): Markup | false {
  if (errors.length === 0 && currentPage === 1) return false
  const { import: own } = words
  const address = getReportPath(job.id)
  return html`<h2>${own.badLines}</h2>
<p><a href="/console/imports/${job.id}/errors.csv">${words.list.download}</a></p>
${renderTable(
  own.badLines,
  [
    { head: own.line, cell: ({ line }) => line, isNumber: true },
    { head: own.fault, cell: (error) => describeError(error, words) },
  ],
  errors,
)}
${renderPager(address, nextPage === null ? null : `${address}?page=${nextPage}`, { isFirst: currentPage === 1, words })}`
}
