import type { LabelledValue } from '../features/dpp/index.ts'
import { html, safeAddress, type Markup } from './html.ts'
import type { Language } from './words.choice.ts'
import { words } from './words.ts'

/** How each language writes dates: day, month, year. */
const regions: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR' }

/** A day, or an instant in UTC, in the words of the language. What is no date stays as it is. */
function dateShown(text: string, language: Language): Markup | string {
  const instant = new Date(text)
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(instant.getTime())) return text
  if (text.length === 10) return html`<time datetime="${text}">${dayShown(instant, language)}</time>`
  const format = new Intl.DateTimeFormat(regions[language], { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return html`<time datetime="${text}">${format.format(instant)} UTC</time>`
}

/** The day of an instant in UTC, as `22 November 2026`. */
export const dayShown = (instant: string | Date, language: Language): string =>
  new Intl.DateTimeFormat(regions[language], { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(instant))

/** All digits, and none grouped: what looks like a number may be a year or an article's. */
const numberShown = (value: number, language: Language): string =>
  new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 20 }).format(value)

/** Values as rows of a list of terms, with a mark on each that is certified. */
export const valueRows = (values: readonly LabelledValue[], language: Language): Markup[] =>
  values.map((one) => valueRow(one, language))

function valueRow(one: LabelledValue, language: Language): Markup {
  const { members, mark } = words[language]
  const label = one.term ? members[one.term] : one.label
  return html`<div><dt>${label}${one.certified && html` <span class="mark">✓ ${mark}</span>`}</dt><dd>${shown(one, language)}</dd></div>`
}

function shown({ type, value, members }: LabelledValue, language: Language): Markup | string {
  if (members) return members.length > 0 ? html`<dl>${valueRows(members, language)}</dl>` : '–'
  if (typeof value === 'boolean') return words[language][value ? 'yes' : 'no']
  if (typeof value === 'number') return numberShown(value, language)
  if (typeof value === 'string') return textShown(type, value, language)
  if (!Array.isArray(value)) return html`<pre>${JSON.stringify(value, null, 2)}</pre>`
  if (value.length === 0) return '–'
  if (value.some((item) => typeof item === 'object' && item !== null)) return html`<pre>${JSON.stringify(value, null, 2)}</pre>`
  return value.map((item) => (typeof item === 'number' ? numberShown(item, language) : String(item))).join(', ')
}

function textShown(type: LabelledValue['type'], value: string, language: Language): Markup | string {
  if (type === 'date') return dateShown(value, language)
  const isLink = type === 'url' || (type === 'image' && /^https?:/i.test(value))
  if (isLink) return html`<a href="${safeAddress(value)}" rel="noopener nofollow">${value}</a>`
  return type === 'text' ? html`<span class="lines">${value}</span>` : value
}
