import type { Draft, DraftPreview, Fix, MapperRow, PreviewRow } from '../../../../features/imports/index.ts'
import { isObject } from '../../../../kernel/json/values.ts'
import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { renderOptions, renderTable } from '../../frame/lists.views.ts'
import { describeIssue } from '../faults.ts'
import { newImportPath } from '../imports.views.ts'
import { importWords, type ImportWords } from '../words.ts'
import { getLabel } from './new.mapping.views.ts'
import { renderAlert, renderFile, renderStep } from './new.views.ts'

interface PreviewView {
  preview: DraftPreview
  /** The rows of the mapper; none if the rows of the file are records already. */
  rows: readonly MapperRow[]
  wrong: Markup | undefined
  name: string | undefined
}

/**
 * Renders the fourth step: what the first rows become, with what would mend those that fail, and the two buttons. The
 * import is held back while every row fails.
 */
export function renderPreviewPage(page: ConsolePage, draft: Draft, view: PreviewView): Markup {
  const { language } = page
  const words = importWords[language]
  const { preview, wrong } = view
  const { checked, failed, rows } = preview
  const verdict =
    failed === 0
      ? html`<span class="good">${words.allGood(checked)}</span>`
      : html`<span class="bad">${words.someFail(failed, checked)}</span> ${failed < checked && words.failAlone}`
  return html`${renderStep(4, words.previewTitle, words)}
${renderFile(draft, language)}
${renderAlert(wrong)}
${
  rows.length > 0
  && html`<p role="status">${verdict}</p>
${renderTable(
  words.firstRows,
  [
    { head: words.line, cell: ({ line }: PreviewRow) => line },
    { head: words.passport, cell: ({ record }: PreviewRow) => renderRecord(record, words) },
    { head: words.fault, cell: (row: PreviewRow) => renderFaults(row, page, { draft, view }) },
  ],
  rows,
)}`
}
${checked === 0 && wrong === undefined && html`<p>${words.noRows}</p>`}
${renderStart(draft, view, words)}
<p><a href="${newImportPath}/${draft.upload}${draft.rows ? '/mapping' : ''}">${words.back}</a></p>`
}

function renderStart(draft: Draft, { preview, name }: PreviewView, words: ImportWords): Markup {
  const asksName = draft.rows !== undefined && !draft.own
  const isHeldBack = preview.checked > 0 && preview.failed === preview.checked
  return html`<form class="card" method="post" action="${newImportPath}/${draft.upload}/start">
${
  asksName
  && html`<label for="name">${words.mapperName}</label>
<input id="name" name="name" required maxlength="200" value="${name ?? (draft.fileName ?? words.import).replace(/\.\w+$/, '')}">`
}
<label for="onDuplicate">${words.duplicates}</label>
<select id="onDuplicate" name="onDuplicate">${renderOptions(Object.entries(words.policies), 'skip')}</select>
${isHeldBack && html`<p class="bad">${words.heldBack}</p>`}
<div class="pair"><button class="plain" name="what" value="dryRun">${words.tryAll}</button>${!isHeldBack && html`<button name="what" value="import">${words.start}</button>`}</div>
</form>`
}

const renderRecord = (record: unknown, words: ImportWords): Markup =>
  html`<details><summary>${getTitle(record) || words.noName}</summary><pre>${JSON.stringify(record, null, 2)}</pre></details>`

function renderFaults(
  { errors, fixes }: PreviewRow,
  { language }: ConsolePage,
  { draft, view }: { draft: Draft; view: PreviewView },
): Markup {
  const words = importWords[language]
  if (errors.length === 0) return html`<span class="good">${words.good}</span>`
  const describe = (error: PreviewRow['errors'][number]) =>
    html`<li>${describeIssue({ ...error, path: nameFault(error.path, view.rows, words) }, language)}${error.value !== null && html`: <code>${error.value}</code>`}</li>`
  return html`<ul>${errors.map(describe)}</ul>
${fixes.map(
  (fix) => html`<form method="post" action="${newImportPath}/${draft.upload}/fix">
<input type="hidden" name="change" value="${JSON.stringify(fix.change)}"><button class="plain small">${nameFix(fix, words)}</button></form>`,
)}`
}

/** Names a fault by the heading of its column, or by what its place is called. */
function nameFault(path: string, rows: readonly MapperRow[], words: ImportWords): string {
  const row = rows.find(({ destination }) => path === destination || path.startsWith(`${destination}.`))
  if (row?.kind === 'field' && typeof row.source === 'string') return row.source
  return path === '' ? '' : getLabel(path, words)
}

function nameFix({ kind, destination, text }: Fix, words: ImportWords): string {
  const label = getLabel(destination, words)
  if (kind === 'transforms') return words.fixTransforms(text)
  if (kind === 'column') return words.fixColumn(text, label)
  if (kind === 'aside') return words.fixAside(text, label)
  if (kind === 'leaveOut') return words.fixLeaveOut(text)
  return words.fixConstant(label, words.rowKinds[text as keyof ImportWords['rowKinds']] ?? text)
}

/** Returns the title of a passport's body; an empty text if it has none. */
function getTitle(passport: unknown): string {
  const { reference, product, fields } = (passport ?? {}) as Record<'reference' | 'product' | 'fields', unknown>
  const { name } = (typeof product === 'object' && product !== null ? product : {}) as { name?: unknown }
  // A passport of a sheet has no name of its own; its first values tell which one it is.
  const values = isObject(fields) ? Object.values(fields).slice(0, 2) : []
  return [name, reference, ...values].filter((word) => typeof word === 'string' && word !== '').join(', ')
}
