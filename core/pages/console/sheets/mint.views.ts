import { maxMintRows, type MintJob, type Sheet } from '../../../features/dpp/index.ts'
import type { Job } from '../../../kernel/job.ts'
import { html, type Markup } from '../../site/html.ts'
import { getFieldLabel } from '../frame/field-labels.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatCount, renderInstant, renderPager, renderTable, type TableColumn } from '../frame/lists.views.ts'
import { isMintable } from './sheet.views.ts'
import { getSheetAddress } from './sheets.views.ts'
import { formatText, type PastedTable, type TableFault } from './table.ts'
import { sheetWords } from './words.ts'

/** The maximum number of rows and of faults that the preview shows. */
const maxShown = { rows: 10, faults: 50 } as const

/** The maximum length of a pasted table, in characters. */
export const maxTableLength = 300_000

interface MintView {
  text: string
  /** The table as it was checked; null before it was. */
  table: PastedTable | null
  faults: readonly TableFault[]
  /** What the checked table hashes to, so that another one is checked again. */
  digest: string
  /** Whether the table is another one than that which was checked. */
  isChanged: boolean
}

/** Renders the form for a table of passports, and what would become of each line once it was checked. */
export function renderMint({ language }: ConsolePage, sheet: Sheet, view: MintView): Markup {
  const phrases = sheetWords[language]
  const fields = sheet.passportsFields
  const head = html`<p><a href="${getSheetAddress(sheet.id)}">${phrases.back}</a></p>
<h1>${phrases.mintTitle(sheet.name)}</h1>`
  if (!isMintable(sheet)) return html`${head}<p>${phrases.mintClosed}</p>`
  if (fields.length === 0) return html`${head}<p>${phrases.mintNoFields}</p>`
  const { table, faults } = view
  const isGood = table !== null && faults.length === 0
  const count = table?.rows.length ?? 0
  return html`${head}
<p>${phrases.mintMeans}</p>
${view.isChanged && html`<p class="warn" role="alert">${phrases.mintChanged}</p>`}
${faults.length > 0 && html`<p class="bad" role="alert">${phrases.mintBad}</p>`}
${isGood && html`<p class="good" role="status">${phrases.mintGood(count)}</p>`}
${faults.length > 0 && renderFaults(faults, language)}
${isGood && renderRows(table, language)}
<form class="card" method="post" action="${getSheetAddress(sheet.id, '/mint')}">
${
  isGood
  && html`<p>${phrases.mintWill(count, sheet.network)}</p>
<input type="hidden" name="checked" value="${view.digest}">
<button name="act" value="mint">${phrases.mintGo(count)}</button>`
}
<label for="table">${phrases.mintTable}</label>
<p class="quiet" id="table-use">${phrases.mintText} ${fields.slice(0, 20).map((field, at) => html`${at > 0 && ', '}<code>${field.name}</code>`)}. ${phrases.mintLimit(maxMintRows)}</p>
<textarea id="table" name="table" rows="10" required maxlength="${maxTableLength}" aria-describedby="table-use" spellcheck="false">${view.text}</textarea>
<button${isGood && html` class="plain"`} name="act" value="check">${phrases.mintCheck}</button></form>
<p class="quiet">${phrases.mintLarge} <a href="/console/imports/new">${phrases.importFile}</a></p>`
}

function renderFaults(faults: readonly TableFault[], language: ConsolePage['language']): Markup {
  const phrases = sheetWords[language]
  const columns: TableColumn<TableFault>[] = [
    { head: phrases.line, cell: ({ line }) => line ?? '', isNumber: true },
    {
      head: phrases.fault,
      cell: ({ text, isEnglish }) => (isEnglish ? html`<span lang="en">${text}</span>` : text),
    },
  ]
  return html`<h2>${phrases.faults}</h2>
${renderTable(phrases.faults, columns, faults.slice(0, maxShown.faults))}
${faults.length > maxShown.faults && html`<p class="quiet">${phrases.firstFaults(maxShown.faults)}</p>`}`
}

type Line = PastedTable['rows'][number]

function renderRows({ columns, rows, lines }: PastedTable, language: ConsolePage['language']): Markup {
  const phrases = sheetWords[language]
  const shown = rows.slice(0, maxShown.rows)
  const title = phrases.mintFirst(shown.length)
  const cells: TableColumn<Line>[] = [
    { head: phrases.line, cell: (row) => lines[rows.indexOf(row)] ?? '', isNumber: true },
    ...columns.slice(0, 12).map((field) => ({
      head: getFieldLabel(field, language),
      cell: (row: Line) => formatText(row[field.name]).slice(0, 100),
    })),
  ]
  return html`<h2>${title}</h2>
${renderTable(title, cells, shown)}`
}

/** The number of rows of a job that a page shows. */
export const resultsPerPage = 50

interface JobView {
  sheet: Sheet
  job: Job & Partial<Pick<MintJob, 'results'>>
  currentPage: number
}

/** Renders how far a job of a sheet is, and what became of its passports. */
export function renderJob({ language, words }: ConsolePage, { sheet, job, currentPage }: JobView): Markup {
  const phrases = sheetWords[language]
  const { id, status, total, completed, failed, results = [], errors } = job
  const format = (count: number) => formatCount(count, language)
  const address = getSheetAddress(sheet.id, `/jobs/${id}`)
  const next = currentPage * resultsPerPage < total ? `${address}?page=${currentPage + 1}` : null
  const columns: TableColumn<MintJob['results'][number]>[] = [
    { head: phrases.line, cell: ({ line }) => line + 1, isNumber: true },
    {
      head: phrases.passport,
      cell: ({ passport }) => html`<a href="/console/passports/${passport}"><code>${passport}</code></a>`,
    },
    { head: phrases.token, cell: ({ tokenId }) => html`<code>${tokenId.slice(0, 10)}…</code>` },
    {
      head: phrases.transaction,
      cell: ({ transactionHash }) =>
        transactionHash === null ? phrases.onItsWay : html`<code>${transactionHash.slice(0, 10)}…</code>`,
    },
  ]
  const badge = status === 'completed' && failed === 0 ? ' good' : status === 'pending' ? '' : ' bad'
  return html`<p><a href="${getSheetAddress(sheet.id)}">${phrases.back}</a></p>
<h1>${job.type === 'mint' ? phrases.jobMint : phrases.jobMigrate}: ${sheet.name}</h1>
<p role="status"><span class="badge${badge}">${phrases.jobStates[status]}</span> ${phrases.of(format(completed), format(total))}</p>
<section class="card" aria-label="${phrases.progress}"${status === 'pending' && html` data-follow="/v1/jobs/${id}/sse"`}>
${status === 'pending' && html`<progress class="bar" aria-label="${phrases.progress}" value="${total === 0 ? 0 : (completed + failed) / total}" max="1"></progress>`}
<p><strong data-count="completed">${format(completed)}</strong> ${phrases.done}, <strong data-count="failed">${format(failed)}</strong> ${phrases.failedUnits}.</p>
<p class="quiet">${renderInstant(job.createdAt)}${status === 'pending' && html` · ${phrases.leave}`}</p></section>
${
  errors.length > 0
  && html`<h2>${phrases.errors}</h2>
<ul>${errors.slice(0, maxShown.faults).map(({ line, path, message }) => html`<li lang="en">${line + 1}: ${path !== undefined && html`<code>${path}</code> `}${message}</li>`)}</ul>`
}
${
  results.length > 0
  && html`<h2>${phrases.results}</h2>
${renderTable(phrases.results, columns, results)}
${renderPager(address, next, { isFirst: currentPage === 1, words })}`
}`
}
