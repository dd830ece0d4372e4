import { hasColumns, type Draft, type PreviewRow } from '../../../features/imports/index.ts'
import { isObject } from '../../../kernel/json/values.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { renderApplicationNeeded } from '../applications/applications.views.ts'
import { formatCount, renderApplicationOptions, renderOptions, renderTable } from '../frame/lists.views.ts'
import { describeDialect } from './dialect.ts'
import { describeIssue } from './faults.ts'
import { importsPath, newImportPath } from './imports.views.ts'
import { isSheetRow } from './new.sheet.ts'
import { importWords, type ImportWords } from './words.ts'

interface NamedRecord {
  id: string
  name: string
}

const renderAlert = (wrong: Markup | undefined): Markup | false =>
  wrong !== undefined && html`<p class="bad" role="alert">${wrong}</p>`

/** Renders what a file is called, how it is written and how large it is. */
export function renderFile({ fileName, bytes, dialect }: Draft, language: ConsoleLanguage): Markup {
  const words = importWords[language]
  const size = words.size(formatCount(Math.ceil(bytes / 1024), language))
  return html`<p class="quiet"><strong>${fileName ?? words.theFile}</strong>: ${describeDialect(dialect.format, dialect, language)}, ${size}</p>`
}
export const renderStep = (at: number, title: string, words: ImportWords): Markup =>
  html`<p class="quiet">${words.step(at)}</p><h1>${title}</h1>`

/** Renders the first step: the file. */
export const renderUploadPage = (words: ImportWords, wrong: Markup | undefined): Markup =>
  html`<p><a href="${importsPath}">${words.all}</a></p>
${renderStep(1, words.add, words)}
<p>${words.intro}</p>
${renderAlert(wrong)}
<form class="card" method="post" action="${newImportPath}" enctype="multipart/form-data">
<label for="file">${words.file}</label>
<input id="file" name="file" type="file" accept=".csv,.tsv,.txt,.xlsx,.xlsm,.json,.ndjson,.jsonl,text/csv,application/json" required>
<button>${words.upload}</button>
</form>`

/** Renders the page for a file that is gone: a file is deleted after an hour if nobody has started its import. */
export const renderGonePage = (words: ImportWords): Markup =>
  html`<h1>${words.goneTitle}</h1>
<p>${words.goneText}</p>
<p><a class="button small" href="${newImportPath}">${words.uploadAgain}</a> <a href="${importsPath}">${words.all}</a></p>`

/** Renders the page for a file whose first rows cannot be read. */
export function renderBrokenPage(draft: Draft, wrong: Markup, language: ConsoleLanguage): Markup {
  const words = importWords[language]
  return html`<h1>${words.brokenTitle}</h1>
${renderFile(draft, language)}
${renderAlert(wrong)}
<p>${words.brokenMend} <a href="${newImportPath}">${words.brokenUpload}</a>.</p>`
}

interface ChoiceView {
  applications: readonly NamedRecord[]
  sheets: readonly NamedRecord[]
  mappers: readonly (NamedRecord & { application: string })[]
}

/** Renders the second step: the application and the mapper. */
export function renderChoicePage(page: ConsolePage, draft: Draft, { applications, sheets, mappers }: ChoiceView) {
  const { language } = page
  const words = importWords[language]
  const step = renderStep(2, words.choiceTitle, words)
  if (applications.length === 0) return html`${step}${renderApplicationNeeded(page)}`
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  const { format } = draft.dialect
  const option = (value: string, label: string, checked: boolean) =>
    html`<label class="option"><input type="radio" name="how" value="${value}"${checked && html` checked`} required> ${label}</label>`
  const sheet = draft.rows?.find(isSheetRow)?.value
  const chosen = draft.plain
    ? 'plain'
    : sheet !== undefined
      ? 'sheet'
      : draft.rows || draft.mapper === undefined
        ? 'suggest'
        : draft.mapper
  const nameMapper = ({ name, application }: ChoiceView['mappers'][number]) =>
    applications.length > 1
      ? words.useMapperOf(name, names.get(application) ?? words.otherApplication)
      : words.useMapper(name)
  return html`${step}
${renderFile(draft, language)}
<form class="card" method="post" action="${newImportPath}/${draft.upload}">
<label for="application">${words.application}</label>
<select id="application" name="application">${renderApplicationOptions(applications, draft.application ?? '')}</select>
<fieldset><legend>${format === 'csv' ? words.columnsMean : words.membersMean}</legend>
${option('suggest', words.suggest, chosen === 'suggest')}
${sheets.length > 0 && option('sheet', words.bySheet, chosen === 'sheet')}
${mappers.map((mapper) => option(mapper.id, nameMapper(mapper), chosen === mapper.id))}
${!hasColumns(format) && option('plain', words.plain, chosen === 'plain')}
</fieldset>
${
  sheets.length > 0
  && html`<label for="sheet">${words.sheetOf}</label>
<select id="sheet" name="sheet">${renderApplicationOptions(sheets, String(sheet ?? ''))}</select>`
}
<button>${words.goOn}</button>
</form>`
}

interface PreviewView {
  passports: readonly PreviewRow[]
  wrong: Markup | undefined
  name: string | undefined
}

/** Renders the fourth step: what the first rows become, and the two buttons. */
export function renderPreviewPage({ language }: ConsolePage, draft: Draft, { passports, wrong, name }: PreviewView) {
  const words = importWords[language]
  const faulty = passports.filter(({ errors }) => errors.length > 0).length
  const asksName = draft.rows !== undefined && !draft.own
  const verdict =
    faulty === 0
      ? html`<span class="good">${words.allGood(passports.length)}</span>`
      : html`<span class="bad">${words.someFail(faulty, passports.length)}</span> ${words.failAlone}`
  return html`${renderStep(4, words.previewTitle, words)}
${renderFile(draft, language)}
${renderAlert(wrong)}
${
  passports.length > 0
  && html`<p role="status">${verdict}</p>
${renderTable(
  words.firstRows,
  [
    { head: words.line, cell: ({ line }: PreviewRow) => line },
    { head: words.passport, cell: ({ record }: PreviewRow) => renderRecord(record, words) },
    { head: words.fault, cell: ({ errors }: PreviewRow) => renderFaults(errors, language) },
  ],
  passports,
)}`
}
${passports.length === 0 && wrong === undefined && html`<p>${words.noRows}</p>`}
<form class="card" method="post" action="${newImportPath}/${draft.upload}/start">
${
  asksName
  && html`<label for="name">${words.mapperName}</label>
<input id="name" name="name" required maxlength="200" value="${name ?? (draft.fileName ?? words.import).replace(/\.\w+$/, '')}">`
}
<label for="onDuplicate">${words.duplicates}</label>
<select id="onDuplicate" name="onDuplicate">${renderOptions(Object.entries(words.policies), 'skip')}</select>
<div class="pair"><button class="plain" name="what" value="dryRun">${words.tryAll}</button><button name="what" value="import">${words.start}</button></div>
</form>
<p><a href="${newImportPath}/${draft.upload}${draft.rows ? '/mapping' : ''}">${words.back}</a></p>`
}

const renderRecord = (record: unknown, words: ImportWords): Markup =>
  html`<details><summary>${getTitle(record) || words.noName}</summary><pre>${JSON.stringify(record, null, 2)}</pre></details>`

const renderFaults = (errors: PreviewRow['errors'], language: ConsoleLanguage): Markup =>
  errors.length === 0
    ? html`<span class="good">${importWords[language].good}</span>`
    : html`<ul>${errors.map((error) => html`<li>${describeIssue(error, language)}${error.value !== null && html`: <code>${error.value}</code>`}</li>`)}</ul>`

/** Returns the title of a passport's body; an empty text if it has none. */
function getTitle(passport: unknown): string {
  const { reference, product, fields } = (passport ?? {}) as Record<'reference' | 'product' | 'fields', unknown>
  const { name } = (typeof product === 'object' && product !== null ? product : {}) as { name?: unknown }
  // A passport of a sheet has no name of its own; its first values tell which one it is.
  const values = isObject(fields) ? Object.values(fields).slice(0, 2) : []
  return [name, reference, ...values].filter((word) => typeof word === 'string' && word !== '').join(', ')
}
