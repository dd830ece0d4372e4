import type { LabelledValue } from '../../features/dpp/index.ts'
import { renderLanguage, renderLanguageNote } from '../site/brand.views.ts'
import { html, sanitizeAddress, type Markup } from '../site/html.ts'
import { createForLanguages, words, type Language } from '../../languages/index.ts'
import { splitName } from './product/members.ts'

/**
 * The formats of a language. Creating a format takes far longer than using it, and a page may have thousands of values.
 */
interface Formats {
  day: Intl.DateTimeFormat
  instant: Intl.DateTimeFormat
  number: Intl.NumberFormat
}

const createFormats = (region: string): Formats => ({
  day: new Intl.DateTimeFormat(region, { dateStyle: 'long', timeZone: 'UTC' }),
  instant: new Intl.DateTimeFormat(region, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
  // All digits are shown without grouping, because what looks like a number may be a year or an article number.
  number: new Intl.NumberFormat(region, { useGrouping: false, maximumFractionDigits: 20 }),
})
const formats = createForLanguages((language) => createFormats(words[language].region))

/** Formats a date, or an instant in UTC, in the words of the language. A text that is not a date stays as it is. */
function formatDate(text: string, language: Language): Markup | string {
  const instant = new Date(text)
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(instant.getTime())) return text
  if (text.length === 10) return html`<time datetime="${text}">${formatDay(instant, language)}</time>`
  return html`<time datetime="${text}">${formats[language].instant.format(instant)} UTC</time>`
}

/** Formats the day of an instant in UTC, such as `22 November 2026`. */
export const formatDay = (instant: string | Date, language: Language): string =>
  formats[language].day.format(new Date(instant))

const formatNumber = (value: number, language: Language): string => formats[language].number.format(value)

/**
 * The maximum numbers of rows, inner rows, list elements and characters of a value that are shown before the rest is
 * folded.
 */
const maxShown = { rows: 24, inner: 8, elements: 24, signs: 400 }

/**
 * Renders values as a list of terms, with a mark on each certified value. A long list is folded: readers can open all
 * of it without a script.
 * @param openRows the number of rows that are shown
 */
export function renderValueList(
  values: readonly LabelledValue[],
  language: Language,
  openRows = maxShown.rows,
): Markup {
  const rows = values.map((one) => renderValueRow(one, language))
  // One more row takes no more room than the line that announces it.
  if (rows.length <= openRows + 1) return html`<dl>${rows}</dl>`
  return html`<dl>${rows.slice(0, openRows)}</dl>
${renderFolded(words[language].more(rows.length - openRows), html`<dl>${rows.slice(openRows)}</dl>`)}`
}

const renderFolded = (summary: string, content: Markup | string): Markup =>
  html`<details class="more"><summary>${summary}</summary>${content}</details>`

function renderValueRow(one: LabelledValue, language: Language): Markup {
  const { mark } = words[language]
  // A label that is a key of a program was given by nobody.
  const label = one.label === one.name ? splitName(one.label) : renderTagged(one.label, one.labelTag ?? null, language)
  return html`<div><dt>${label}${one.certified && html` <span class="mark">✓ ${mark}</span>`}</dt><dd>${renderValue(one, language)}</dd></div>`
}

/** Renders a text of a brand with its language, where that is not the page's. */
function renderTagged(text: string, tag: string | null, language: Language): Markup | string {
  const attributes = renderLanguage(tag, { language })
  return attributes ? html`<span${attributes}>${text}</span>${renderLanguageNote(tag, { language })}` : text
}

/** Renders one value; an object or a list of objects member by member. */
export function renderValue({ type, value, members, shown }: LabelledValue, language: Language): Markup | string {
  if (shown) return renderTagged(shown.text, shown.tag, language)
  if (members) return members.length > 0 ? renderValueList(members, language, maxShown.inner) : '–'
  if (typeof value === 'boolean') return words[language][value ? 'yes' : 'no']
  if (typeof value === 'number') return formatNumber(value, language)
  if (typeof value === 'string') return renderText(type, value, language)
  if (!Array.isArray(value) || value.some((item) => typeof item === 'object' && item !== null))
    return renderData(value, language)
  if (value.length === 0) return '–'
  return renderItems(
    value.map((item) => (typeof item === 'number' ? formatNumber(item, language) : String(item))),
    language,
  )
}

function renderData(value: unknown, language: Language): Markup {
  const text = JSON.stringify(value, null, 2)
  const whole = html`<pre class="whole">${text}</pre>`
  return text.length > maxShown.signs ? renderFolded(words[language].whole, whole) : whole
}

function renderItems(items: readonly string[], language: Language): Markup | string {
  if (items.length <= maxShown.elements + 1) return renderLongText(items.join(', '), language)
  const [first, rest] = [items.slice(0, maxShown.elements), items.slice(maxShown.elements)]
  return html`${renderLongText(first.join(', '), language)}${renderFolded(words[language].more(rest.length), rest.join(', '))}`
}

/** Renders a long text as its beginning, with the whole text folded below. */
function renderLongText(text: string, language: Language): Markup | string {
  if (text.length <= maxShown.signs) return text
  // Half of a surrogate pair is cut off.
  const begins = text.slice(0, maxShown.signs).replace(/[\uD800-\uDBFF]$/, '')
  return html`${begins}…${renderFolded(words[language].whole, text)}`
}

function renderText(type: LabelledValue['type'], value: string, language: Language): Markup | string {
  if (type === 'date') return formatDate(value, language)
  const isLink = type === 'url' || (type === 'image' && /^https?:/i.test(value))
  if (isLink) return html`<a href="${sanitizeAddress(value)}" rel="noopener nofollow">${value}</a>`
  const text = renderLongText(value, language)
  return type === 'text' ? html`<div class="lines">${text}</div>` : text
}
