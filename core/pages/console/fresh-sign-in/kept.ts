import { isObject, parseJson } from '../../../kernel/json/values.ts'
import { html, type Markup } from '../../site/html.ts'
import { isConsolePath } from '../console.ts'
import type { SentFields } from './acts.ts'

/** A form that waits for a fresh code: where it goes, and what was entered. */
export interface KeptForm {
  action: string
  fields: Readonly<Record<string, string>>
}

/** The most characters of a form that is kept, as JSON. */
export const maxKeptLength = 700_000

/** Keeps the fields of a form that was sent. @param target path and query of the request */
export const keepForm = (target: string, fields: SentFields): KeptForm => ({
  action: target,
  fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
})

/** Formats a kept form as JSON in ASCII, so that no character of it is changed on the way through a page. */
const formatKept = (kept: KeptForm): string =>
  JSON.stringify(kept).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Parses what `formatKept` wrote. @returns null for anything else, and for a form that goes elsewhere */
export function parseKept(text: string | undefined): KeptForm | null {
  if (text === undefined || text === '') return null
  const value = parseJson(text)
  if (!isObject(value) || typeof value['action'] !== 'string' || !isConsolePath(value['action'])) return null
  if (!isObject(value['fields'])) return null
  return keepForm(value['action'], value['fields'])
}

/** Renders the fields that carry a kept form from page to page until the code was entered. */
export const renderKept = (kept: KeptForm | null): Markup | false =>
  kept !== null && html`<input type="hidden" name="kept" value="${formatKept(kept)}">`
