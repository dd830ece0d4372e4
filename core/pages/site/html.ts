import { isLinkAddress } from '../../kernel/text/addresses.ts'
import { hasHiddenCharacters, escapeHiddenCharacters } from '../../kernel/text/characters.ts'

/** Markup that is safe to send: only `html` creates it, so that no text reaches a page unescaped. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type MarkupPart = Markup | string | number | null | undefined | false | readonly MarkupPart[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function renderPart(part: MarkupPart): string {
  if (part instanceof Markup) return part.text
  if (part === null || part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(renderPart).join('')
  return escapeHiddenCharacters(String(part)).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)
}

/** The end of a template part after which the value of an attribute with an address begins. */
const addressAttributePattern = /\s(?:href|src|action|formaction|poster|data|xlink:href)\s*=\s*["']?$/i

/**
 * Creates markup from a template and escapes its values. Nested markup stays as it is, lists are joined, null and false
 * are left out. A value at the beginning of an address goes through `sanitizeAddress` here, so that no page can forget
 * it; characters that hide or turn text are made visible.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  const renderAt = (at: number, before: string) =>
    addressAttributePattern.test(before) ? renderPart(sanitizeAddress(toPlainText(parts[at]))) : renderPart(parts[at])
  return new Markup(
    strings.reduce((text, string, at) => text + string + (at < parts.length ? renderAt(at, string) : ''), ''),
  )
}

const toPlainText = (part: MarkupPart): string => (part instanceof Markup ? part.text : String(part))

/** A path of our own, or a place in the page. Two slashes, or a slash and a backslash, would lead to another host. */
const ownAddressPattern = /^(?:\/(?![/\\])|[#?])[^\s\p{Cc}\\]*$/u

/**
 * Returns an address that is safe for `href` and `src`: http, https and our own paths stay, anything else becomes `#`.
 */
export function sanitizeAddress(address: string): string {
  const isWeb = /^https?:/i.test(address) && isLinkAddress(address)
  const isOwn = ownAddressPattern.test(address) && !hasHiddenCharacters(address)
  return isWeb || isOwn ? address : '#'
}

/**
 * Renders data for programs that read the page; browsers do not run it. What could end the element is escaped, and so is
 * what hides or turns text for people who read the source.
 * Source: HTML Standard, "Data block"; "Restrictions for contents of script elements".
 * @param type a media type that is not one of scripts
 */
export const renderDataBlock = (type: `application/${string}+json`, data: object): Markup =>
  new Markup(`<script type="${type}">${JSON.stringify(data).replaceAll(/[<\p{Cf}]/gu, escapeUnits)}</script>\n`)

/** Escapes a character as JSON does, each of its UTF-16 units. Source: RFC 8259, section 7. */
const escapeUnits = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => {
    const code = character.charCodeAt(at).toString(16).padStart(4, '0')
    return `\\u${code}`
  }).join('')
