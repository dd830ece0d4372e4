import type { ImportJob, ImportReport } from '../../../features/imports/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatAddress } from '../frame/lists.ts'
import { formatCount, renderInstant, renderPager, renderTable } from '../frame/lists.views.ts'
import { describeDialect } from './dialect.ts'
import { describeFault, describeIssue } from './faults.ts'
import {
  findMapperName,
  getImportTitle,
  importsPath,
  newImportPath,
  renderBadges,
  renderProgressBar,
  type NamesById,
} from './imports.views.ts'
import { importWords } from './words.ts'

interface ReportView {
  currentPage: number
  mappers: NamesById
  /** Dry run: the file, while it can still be imported. */
  draft: string | null
  /** The number of its passports that are drafts still, if the member may publish them. */
  drafts: number
}

/** Renders one import: how far it is while it is running, then what happened to its rows. */
export function renderImportReport(page: ConsolePage, report: ImportReport, view: ReportView): Markup {
  const { language } = page
  const { job } = report
  const words = importWords[language]
  return html`<p><a href="${importsPath}">${words.all}</a></p>
<h1>${getImportTitle(job, words)}</h1>
<p role="status">${renderBadges(job, words)}</p>
${job.status === 'pending' ? renderProgress(job, language) : renderCounts(report, language)}
${
  job.data.entityName === 'DppPassport'
  && !job.data.dryRun
  && report.counts.created > 0
  && html`<p>${words.areDrafts} <a href="${formatAddress('/console/passports', { import: job.id })}">${words.seePassports}</a></p>`
}
${
  view.drafts > 0
  && html`<p><a class="button" href="${formatAddress('/console/passports/bulk', { act: 'publish', of: 'all', import: job.id, status: 'draft' })}">${words.publishThese(formatCount(view.drafts, language), view.drafts === 1)}</a></p>`
}
${job.initError && html`<p class="bad" role="alert">${describeFault(job.initError, language)}</p>`}
${
  job.data.dryRun
  && job.status !== 'pending'
  && html`<p>${words.wasTrial}</p>
${view.draft !== null && html`<p><a class="button" href="${newImportPath}/${view.draft}/preview">${words.goOnToImport}</a></p>`}`
}
${
  job.warnings.length > 0
  && html`<h2 id="warnings">${words.warnings}</h2>
<ul>${job.warnings.map((warning) => html`<li>${describeIssue(warning, language)}</li>`)}</ul>`
}
${job.unusedColumns.length > 0 && html`<p>${words.unused} ${job.unusedColumns.map((name, at) => html`${at > 0 && ', '}<code>${name}</code>`)}.</p>`}
${renderErrors(page, report, view.currentPage)}
<h2>${words.about}</h2>
${renderFacts(job, findMapperName(job, view.mappers, words), language)}`
}

function renderCounts({ job, counts }: ImportReport, language: ConsoleLanguage): Markup {
  const words = importWords[language]
  const { dryRun } = job.data
  const rows = [
    [dryRun ? words.wouldCreate : words.created, counts.created],
    [dryRun ? words.wouldUpdate : words.updated, counts.updated],
    [words.skipped, counts.skipped],
  ] as const
  const failed = formatCount(counts.failed, language)
  return html`<section class="card" aria-label="${words.counts}"><dl>
${rows.map(([name, count]) => html`<div><dt>${name}</dt><dd>${formatCount(count, language)}</dd></div>`)}
<div><dt>${words.failed}</dt><dd>${counts.failed > 0 ? html`<strong class="bad">${failed}</strong>` : failed}</dd></div>
</dl></section>`
}

function renderProgress(job: ImportJob, language: ConsoleLanguage): Markup {
  const words = importWords[language]
  const count = (name: 'completed' | 'failed') =>
    html`<strong data-count="${name}">${formatCount(job[name], language)}</strong>`
  return html`<section class="card" aria-label="${words.progress}" data-follow="/v1/imports/${job.id}/progress">
${renderProgressBar(job, words.progressOfImport)}
<p><span data-share>${Math.floor(job.progress * 100)} %</span> ${words.ofFile} ${count('completed')} ${words.done} ${count('failed')} ${words.bad}</p>
<p class="quiet">${words.mayLeave}</p>
</section>`
}

function renderErrors(page: ConsolePage, { job, errors, nextPage }: ImportReport, currentPage: number): Markup | false {
  if (errors.length === 0 && currentPage === 1) return false
  const { language, words: common } = page
  const words = importWords[language]
  const address = `${importsPath}/${job.id}`
  const columns = [
    { head: words.line, cell: ({ line }: ImportReport['errors'][number]) => line },
    {
      head: words.fault,
      cell: (error: ImportReport['errors'][number]) =>
        html`${describeIssue(error, language)}<br><span class="quiet">${error.code}</span>`,
    },
    {
      head: words.value,
      cell: ({ value }: ImportReport['errors'][number]) => value !== null && html`<code>${value}</code>`,
    },
  ]
  return html`<h2 id="errors">${words.errors}</h2>
<p><a href="${address}/errors.csv">${words.allErrors}</a></p>
${renderTable(words.errors, columns, errors)}
${renderPager(address, nextPage === null ? null : `${address}?page=${nextPage}`, { isFirst: currentPage === 1, words: common })}`
}

function renderFacts({ id, data, createdAt, finishedAt }: ImportJob, mapper: string | null, language: ConsoleLanguage) {
  const words = importWords[language]
  const rows: (readonly [name: string, value: Markup | string] | false)[] = [
    [words.begun, renderInstant(createdAt)],
    finishedAt !== null && [words.ended, renderInstant(finishedAt)],
    data.format !== null && [words.file, describeDialect(data.format, data.dialect, language)],
    mapper !== null && [words.mapper, mapper],
    [words.present, words.presentPolicies[data.onDuplicate]],
    [words.network, data.network ?? words.defaultNetwork],
    [words.import, html`<code>${id}</code>`],
  ]
  return html`<section class="card"><dl>
${rows.map((row) => row !== false && html`<div><dt>${row[0]}</dt><dd>${row[1]}</dd></div>`)}
</dl></section>`
}
