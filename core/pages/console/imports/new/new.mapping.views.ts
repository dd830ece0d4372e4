import {
  type Correspondence,
  type Draft,
  type FileField,
  isFilled,
  type MapperRow,
  toMapperRow,
} from '../../../../features/imports/index.ts'
import { getRecordSink } from '../../../../kernel/ports/record-sinks.ts'
import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { getFieldLabel } from '../../frame/field-labels.ts'
import { renderOptions } from '../../frame/lists.views.ts'
import { newImportPath } from '../imports.views.ts'
import { furtherValues, otherPath } from './new.form.ts'
import { getFieldPath, isSheetRow, type ImportSheet } from './new.sheet.ts'
import { renderFile, renderStep } from './new.views.ts'
import { importWords, type ImportWords } from '../words.ts'

export interface MappingView {
  fields: readonly FileField[]
  suggested: readonly Correspondence[] | null
  rows: readonly MapperRow[] | null
  /** The sheet by which the rows make passports; null without one. */
  sheet: ImportSheet | null
  wrong: readonly Markup[]
}

const granularityPath = 'product.idGranularity'

/** The maximum number of fields that the page asks about; further fields are left out. */
const maxShownFields = 300

/**
 * Renders the third step: one question per field. Suggestions of high or review confidence are filled in, low ones are
 * only shown.
 */
export function renderMappingPage({ language, words: common }: ConsolePage, draft: Draft, view: MappingView): Markup {
  const { fields, suggested, rows, sheet, wrong } = view
  const destinations = listDestinations(sheet, language)
  const words = importWords[language]
  const further = (rows ?? (suggested ?? []).filter(isFilled).map(toMapperRow)).filter(({ kind }) => kind !== 'field')
  const granularity = further.find(({ destination }) => destination === granularityPath)
  return html`${renderStep(3, words.mappingTitle, words)}
${renderFile(draft, language)}
<p>${sheet ? words.mappingBySheet(sheet.name) : suggested ? words.mappingFilled : words.mappingLeft} ${words.mappingLost}</p>
${
  wrong.length > 0
  && html`<div class="bad" role="alert"><p>${common.check}</p><ul>${wrong.map((one) => html`<li>${one}</li>`)}</ul></div>`
}
${fields.length > maxShownFields && html`<p class="bad">${words.tooMany(maxShownFields, fields.length)}</p>`}
<form method="post" action="${newImportPath}/${draft.upload}/mapping">
${!sheet && renderGranularity(granularity, suggested, words)}
${fields.slice(0, maxShownFields).map((field, at) =>
  renderQuestion(field, at, {
    words,
    destinations,
    suggestion: suggested?.find(({ source }) => source === field.id),
    row: rows?.find(({ kind, source }) => kind === 'field' && source === field.id),
  }),
)}
${renderFurtherValues(
  further.filter((row) => row !== granularity),
  sheet,
  words,
)}
<button>${words.seeRows}</button>
</form>
<p><a href="${newImportPath}/${draft.upload}">${words.back}</a></p>`
}

/**
 * Lists where a column can go, each with its name: to members of the product, or to the fields of the sheet, which then
 * says what the product is.
 */
function listDestinations(
  sheet: ImportSheet | null,
  language: ConsolePage['language'],
): readonly (readonly [string, string])[] {
  const words = importWords[language]
  const paths = getRecordSink().destinations.map(({ path }) => path)
  if (!sheet) return paths.map((path) => [path, getLabel(path, words)] as const)
  return [
    ...sheet.passportsFields.map((field) => [getFieldPath(field), getFieldLabel(field, language)] as const),
    ...paths.filter((path) => !path.includes('.')).map((path) => [path, getLabel(path, words)] as const),
  ]
}

/** Renders the first question: what a row is, as all others depend on it. */
function renderGranularity(
  row: Pick<MapperRow, 'value'> | undefined,
  suggested: readonly Correspondence[] | null,
  words: ImportWords,
): Markup {
  const evidence = suggested?.find(({ destination, kind }) => destination === granularityPath && kind === 'constant')
  return html`<section class="card" aria-labelledby="row"><h2 id="row">${words.granularity}</h2>
${evidence && html`<p class="quiet" lang="en">${evidence.evidence}</p>`}
<label for="granularity">${words.granularityOfAll}</label>
<select id="granularity" name="granularity">${renderOptions(Object.entries(words.granularities), String(row?.value ?? ''))}</select>
</section>`
}

type FurtherRow = Pick<MapperRow, 'kind' | 'destination' | 'value' | 'transforms'>

/**
 * Renders what is filled beside the columns: values that are the same for all rows, and further uses of columns. The
 * sheet is one of them, and cannot be changed here.
 */
function renderFurtherValues(rows: readonly FurtherRow[], sheet: ImportSheet | null, words: ImportWords): Markup {
  const sheetRow = sheet && rows.find(isSheetRow)
  const further = rows.filter((row) => row !== sheetRow)
  const first = sheetRow ? 1 : 0
  const count = Math.min(furtherValues.max - first, Math.max(furtherValues.min, further.length + furtherValues.empty))
  return html`<section class="card" aria-label="${words.sameForAll}"><h2>${words.sameForAll}</h2>
${
  sheetRow
  && html`<p>${words.bySheetOf} <strong>${sheet.name}</strong></p>
<input type="hidden" name="k0" value="${sheetRow.destination}"><input type="hidden" name="v0" value="${String(sheetRow.value)}">`
}
<details${further.length > 0 && html` open`}><summary>${words.moreValues}</summary>
<p class="quiet">${words.furtherText}</p>
${Array.from({ length: count }, (_, place) => renderFurtherValue(first + place, further[place], words))}
</details></section>`
}

function renderFurtherValue(at: number, row: FurtherRow | undefined, words: ImportWords): Markup {
  const { destination = '', value = '', transforms = [] } = row ?? {}
  const name = row && getLabel(destination, words)
  return html`<div class="pair"><div><label for="k${at}">${name ?? words.path(at + 1)}${name !== undefined && html`<span class="away"> (${words.path(at + 1)})</span>`}</label><input id="k${at}" name="k${at}" placeholder="data.brand" value="${destination}"></div>
<div><label for="v${at}">${words.valueOf(at + 1)}</label><input id="v${at}" name="v${at}" value="${String(value)}">${
    transforms.length > 0
    && html`<label for="c${at}">${words.changes}<span class="away"> (${words.valueOf(at + 1)})</span></label><textarea id="c${at}" name="c${at}" rows="${transforms.length}">${transforms.join('\n')}</textarea>`
  }</div></div>`
}

/** A few values of a field. */
const renderExamples = ({ examples, nulls }: FileField, words: ImportWords): Markup =>
  examples.length === 0
    ? html`${words.alwaysEmpty}`
    : html`${examples.map((example, place) => html`${place > 0 && ' · '}<code>${example}</code>`)}${nulls > 0 && ` · ${words.sometimesEmpty}`}`

/** How sure a suggestion is and why; one that is not filled in says where it leads. */
const renderSuggestion = ({ confidence, destination, evidence }: Correspondence, words: ImportWords): Markup =>
  html`<p class="quiet"><span class="badge${confidence === 'high' && ' good'}">${words.confidences[confidence]}</span> ${confidence === 'low' && `${getLabel(destination, words)}: `}<span lang="en">${evidence}</span></p>`

interface QuestionView {
  words: ImportWords
  /** Where the column can go. */
  destinations: readonly (readonly [path: string, name: string])[]
  suggestion: Correspondence | undefined
  row: MapperRow | undefined
}

function renderQuestion(field: FileField, at: number, { words, destinations, suggestion, row }: QuestionView): Markup {
  const { name } = field
  const taken = suggestion && suggestion.confidence !== 'low' ? suggestion : undefined
  const destination = row?.destination ?? taken?.destination ?? ''
  const transforms = row ? (row.transforms ?? []) : (taken?.transforms ?? [])
  const known = destination === '' || destinations.some(([path]) => path === destination)
  const choices = [['', words.leaveOut], ...destinations, [otherPath, words.otherPath]] as const
  return html`<section class="card" aria-labelledby="n${at}"><div class="pair"><div>
<h2 id="n${at}">${name}</h2>
<p class="quiet">${renderExamples(field, words)}</p>
${suggestion && renderSuggestion(suggestion, words)}
</div><div>
<label for="d${at}">${words.goesTo}<span class="away"> (${name})</span></label>
<select id="d${at}" name="d${at}">${renderOptions(choices, known ? destination : otherPath)}</select>
<details${!known && html` open`}><summary>${words.pathAndChanges}${transforms.length > 0 && html`: <code>${transforms.join(', ')}</code>`}</summary>
<label for="p${at}">${words.anotherPath}<span class="away"> ${words.anotherPathFor(name)}</span></label><input id="p${at}" name="p${at}" placeholder="data.myName" value="${known ? '' : destination}">
<label for="t${at}">${words.changes}<span class="away"> (${name})</span></label><textarea id="t${at}" name="t${at}" rows="${Math.max(1, transforms.length)}" placeholder="trim">${transforms.join('\n')}</textarea>
</details>
</div></div></section>`
}

/** Returns what a destination is called: in the words of the page, else as the API calls it. */
export const getLabel = (path: string, words: ImportWords): string =>
  words.destinations[path] ?? getRecordSink().destinations.find((one) => one.path === path)?.label ?? path
