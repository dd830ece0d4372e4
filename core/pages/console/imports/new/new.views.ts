import { hasColumns, type Draft, type Granularity } from '../../../../features/imports/index.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { renderApplicationNeeded } from '../../applications/applications.views.ts'
import { formatCount, renderApplicationOptions } from '../../frame/lists.views.ts'
import { describeDialect } from '../dialect.ts'
import { importsPath, newImportPath, samplePaths } from '../imports.views.ts'
import { isSheetRow } from './new.sheet.ts'
import { importWords, type ImportWords } from '../words.ts'

const granularities = ['model', 'batch', 'item'] as const

interface NamedRecord {
  id: string
  name: string
}

export const renderAlert = (wrong: Markup | undefined): Markup | false =>
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
</form>
<section class="card" aria-labelledby="sample"><h2 id="sample">${words.sampleTitle}</h2>
<p>${words.sampleText} <a href="${samplePaths.csv}" download>CSV</a>, <a href="${samplePaths.xlsx}" download>Excel</a></p>
<form method="post" action="${samplePaths.use}"><button class="plain">${words.trySample}</button></form>
</section>`

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

/** Renders the sheets of a workbook, of which one is read. */
const renderSheets = ({ upload, sheets = [] }: Draft, words: ImportWords): Markup | false =>
  sheets.length > 1
  && html`<nav class="card" aria-label="${words.sheets}"><h2>${words.sheets}</h2><p>${words.sheetsText}</p><ul>${sheets.map(
    (one) =>
      html`<li>${one.upload === upload ? html`<strong aria-current="page">${one.name}</strong>` : html`<a href="${newImportPath}/${one.upload}">${one.name}</a>`}</li>`,
  )}</ul></nav>`

interface ChoiceView {
  applications: readonly NamedRecord[]
  sheets: readonly NamedRecord[]
  mappers: readonly (NamedRecord & { application: string })[]
  /** What a row seems to be; null if a column says it of each. */
  granularity: Granularity | null
}

/** Renders the question what a row is, with what was found out; it is about mappings that are suggested. */
function renderGranularityQuestion(found: Granularity | null, draft: Draft, words: ImportWords): Markup {
  const chosen = draft.granularity ?? found ?? 'column'
  const kinds = [...granularities, ...(found === null ? (['column'] as const) : [])]
  return html`<fieldset><legend>${words.rowQuestion}</legend>
<p class="quiet">${words.rowFound(words.rowKinds[found ?? 'column'])}</p>
${kinds.map(
  (kind) =>
    html`<label class="option"><input type="radio" name="row" value="${kind}"${kind === chosen && html` checked`}> ${words.rowKinds[kind]}</label>`,
)}
</fieldset>`
}

/** Renders the second step: the application and the mapper. */
export function renderChoicePage(page: ConsolePage, draft: Draft, view: ChoiceView): Markup {
  const { applications, sheets, mappers, granularity } = view
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
${renderSheets(draft, words)}
<form class="card" method="post" action="${newImportPath}/${draft.upload}">
${renderGranularityQuestion(granularity, draft, words)}
<label for="application">${words.application}</label>
<select id="application" name="application">${renderApplicationOptions(applications, draft.application ?? '')}</select>
<fieldset><legend>${hasColumns(format) ? words.columnsMean : words.membersMean}</legend>
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
