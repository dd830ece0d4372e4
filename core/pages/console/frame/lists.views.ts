import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsoleWords } from '../words/words.ts'

type CellContent = Markup | string | number | null | false

/** A column of a table: its heading and what a row has there. */
export interface TableColumn<T> {
  head: string
  cell: (row: T) => CellContent
  /** Numbers stand at the right, so that they can be compared. */
  isNumber?: true
}

/** Renders a table that scrolls by itself where the window is narrower, with the keyboard too. */
export const renderTable = <T>(label: string, columns: readonly TableColumn<T>[], rows: readonly T[]): Markup =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${columns.map(({ head, isNumber }) => html`<th scope="col"${isNumber && html` class="number"`}>${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${columns.map(({ cell, isNumber }) => html`<td${isNumber && html` class="number"`}>${cell(row)}</td>`)}</tr>`)}</tbody>
</table></div>`

/**
 * Renders a table of many columns: where the window is narrow, each row is a card that says what its values are.
 */
export const renderCards = <T>(label: string, columns: readonly TableColumn<T>[], rows: readonly T[]): Markup =>
  html`<table class="cards" aria-label="${label}">
<thead><tr>${columns.map(({ head, isNumber }) => html`<th scope="col"${isNumber && html` class="number"`}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (
      row,
    ) => html`<tr>${columns.map(({ head, cell, isNumber }) => html`<td data-head="${head}"${isNumber && html` class="number"`}>${cell(row)}</td>`)}</tr>
`,
  )}</tbody></table>`

/** Formats points, or any whole number that is written as text. */
export const formatPoints = (points: string, language: ConsoleLanguage): string =>
  BigInt(points).toLocaleString(language).replace('-', '−')
/** Formats a change of points with its sign. */
export const formatChange = (points: string, language: ConsoleLanguage): string =>
  `${points.startsWith('-') ? '−' : '+'}${formatPoints(points.replace('-', ''), language)}`
export const formatCount = (count: number, language: ConsoleLanguage): string => count.toLocaleString(language)

/** Renders a time in UTC, which the script of the frame shows in the reader's zone. @param instant as in ISO 8601 */
export const renderInstant = (instant: string): Markup =>
  html`<time datetime="${instant}" data-shown="instant">${instant.slice(0, 16).replace('T', ' ')} UTC</time>`
/** Renders the day of a time in UTC, which the script of the frame shows in the reader's zone. @param instant as in ISO 8601 */
export const renderDay = (instant: string): Markup =>
  html`<time datetime="${instant}" data-shown="day" title="${instant.slice(0, 16).replace('T', ' ')} UTC">${instant.slice(0, 10)}</time>`

/** Renders the way to the next page of a list, and back to the first. */
export const renderPager = (first: string, next: string | null, { isFirst, words }: PagerView): Markup | false =>
  (next !== null || !isFirst)
  && html`<nav class="row" aria-label="${words.list.pages}">
<p>${!isFirst && html`<a href="${first}">${words.list.first}</a>`}</p>
<p>${next !== null && html`<a href="${next}" rel="next">${words.list.next}</a>`}</p>
</nav>`

interface PagerView {
  isFirst: boolean
  words: ConsoleWords
}

/** Renders how many rows a list has, and the link to its file. */
export const renderListHead = (count: string, file: string, { list }: ConsoleWords): Markup =>
  html`<div class="row"><p role="status">${count}</p><p><a href="${file}">${list.download}</a></p></div>`

/** Renders what fills an empty list. */
export const renderWhatNext = ({ list }: ConsoleWords, head: string, text: Markup | string): Markup =>
  html`<section class="card" aria-label="${list.whatNext}"><h2>${head}</h2>
<p>${text}</p></section>`

/** Renders the options of a field of choice. */
export const renderOptions = (choices: readonly (readonly [value: string, name: string])[], chosen: string): Markup =>
  html`${choices.map(([value, name]) => html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`)}`

/** An application to choose from. */
export interface ApplicationChoice {
  id: string
  name: string
}

/** Renders the choice of one of the applications. */
export const renderApplicationOptions = (
  applications: readonly ApplicationChoice[],
  chosen: string,
  first: readonly (readonly [value: string, name: string])[] = [],
): Markup => renderOptions([...first, ...applications.map(({ id, name }) => [id, name] as const)], chosen)
