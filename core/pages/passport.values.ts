import type { LabelledValue } from '../features/dpp/index.ts'
import { html, safeAddress, type Markup } from './html.ts'
import type { Language } from '../kernel/languages.ts'
import { words } from './words.ts'

/** How each language writes dates: day, month, year. */
const regions: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR' }

/** The formats of a language. Making one takes far longer than using it, and a page may have thousands of values. */
interface Formats { day: Intl.DateTimeFormat; instant: Intl.DateTimeFormat; number: Intl.NumberFormat }

const formatsOf = (language: Language): Formats => ({
  day: new Intl.DateTimeFormat(regions[language], { dateStyle: 'long', timeZone: 'UTC' }),
  instant: new Intl.DateTimeFormat(regions[language], { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
  // All digits, and none grouped: what looks like a number may be a year or an article's.
  number: new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 20 }),
})
const formats: Record<Language, Formats> = { en: formatsOf('en'), fr: formatsOf('fr') }

/** A day, or an instant in UTC, in the words of the language. What is no date stays as it is. */
function dateShown(text: string, language: Language): Markup | string {
  const instant = new Date(text)
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(instant.getTime())) return text
  if (text.length === 10) return html`<time datetime="${text}">${dayShown(instant, language)}</time>`
  return html`<time datetime="${text}">${formats[language].instant.format(instant)} UTC</time>`
}

/** The day of an instant in UTC, as `22 November 2026`. */
export const dayShown = (instant: string | Date, language: Language): string =>
  formats[language].day.format(new Date(instant))

const numberShown = (value: number, language: Language): string => formats[language].number.format(value)

/** Rows of a list, elements of an enumeration, and signs of one value that are shown before the rest is folded. */
const most = { rows: 24, inner: 8, elements: 24, signs: 400 }

/**
 * Values as a list of terms, with a mark on each that is certified. What is long is folded: it is all there, without a
 * script, for who opens it. @param open rows that are shown
 */
export function valueList(values: readonly LabelledValue[], language: Language, open = most.rows): Markup {
  const rows = values.map((one) => valueRow(one, language))
  // One more takes no more room than the line that says so.
  if (rows.length <= open + 1) return html`<dl>${rows}</dl>`
  return html`<dl>${rows.slice(0, open)}</dl>
${folded(words[language].more(rows.length - open), html`<dl>${rows.slice(open)}</dl>`)}`
}

const folded = (summary: string, content: Markup | string): Markup =>
  html`<details class="more"><summary>${summary}</summary>${content}</details>`

function valueRow(one: LabelledValue, language: Language): Markup {
  const { members, mark } = words[language]
  const label = one.term ? members[one.term] : one.label
  return html`<div><dt>${label}${one.certified && html` <span class="mark">✓ ${mark}</span>`}</dt><dd>${shown(one, language)}</dd></div>`
}

function shown({ type, value, members }: LabelledValue, language: Language): Markup | string {
  if (members) return members.length > 0 ? valueList(members, language, most.inner) : '–'
  if (typeof value === 'boolean') return words[language][value ? 'yes' : 'no']
  if (typeof value === 'number') return numberShown(value, language)
  if (typeof value === 'string') return textShown(type, value, language)
  if (!Array.isArray(value) || value.some((item) => typeof item === 'object' && item !== null)) return dataShown(value, language)
  if (value.length === 0) return '–'
  return listShown(value.map((item) => (typeof item === 'number' ? numberShown(item, language) : String(item))), language)
}

function dataShown(value: unknown, language: Language): Markup {
  const text = JSON.stringify(value, null, 2)
  const whole = html`<pre>${text}</pre>`
  return text.length > most.signs ? folded(words[language].whole, whole) : whole
}

function listShown(items: readonly string[], language: Language): Markup | string {
  if (items.length <= most.elements + 1) return longShown(items.join(', '), language)
  const [first, rest] = [items.slice(0, most.elements), items.slice(most.elements)]
  return html`${longShown(first.join(', '), language)}${folded(words[language].more(rest.length), rest.join(', '))}`
}

/** Text that goes on for long begins, and is whole below. */
function longShown(text: string, language: Language): Markup | string {
  if (text.length <= most.signs) return text
  // Half a sign is none.
  const begins = text.slice(0, most.signs).replace(/[\uD800-\uDBFF]$/, '')
  return html`${begins}…${folded(words[language].whole, text)}`
}

function textShown(type: LabelledValue['type'], value: string, language: Language): Markup | string {
  if (type === 'date') return dateShown(value, language)
  const isLink = type === 'url' || (type === 'image' && /^https?:/i.test(value))
  if (isLink) return html`<a href="${safeAddress(value)}" rel="noopener nofollow">${value}</a>`
  const text = longShown(value, language)
  return type === 'text' ? html`<div class="lines">${text}</div>` : text
}
