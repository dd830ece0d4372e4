import { isLinkAddress } from '../kernel/text/addresses.ts'
import { hasHidden, showHidden } from '../kernel/text/characters.ts'

/** Markup that is safe to send: made only by `html`, so that no text reaches a page unescaped. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | number | null | undefined | false | readonly Part[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function render(part: Part): string {
  if (part instanceof Markup) return part.text
  if (part === null || part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(render).join('')
  return showHidden(String(part)).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)
}

/** An attribute whose value begins here is an address that a browser goes to. */
const beforeAddress = /\s(?:href|src|action|formaction|poster|data|xlink:href)\s*=\s*["']?$/i

/**
 * A template whose values are escaped; markup inside markup stays, lists are joined, null and false vanish. What begins
 * an address is held to `safeAddress` here, so that no page can forget it; what hides or turns text is shown.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const shown = (at: number, before: string) =>
    beforeAddress.test(before) ? render(safeAddress(textOf(parts[at]))) : render(parts[at])
  return new Markup(strings.reduce((text, string, at) => text + string + (at < parts.length ? shown(at, string) : ''), ''))
}

const textOf = (part: Part): string => (part instanceof Markup ? part.text : String(part))

/** A path of our own, or a place in the page. Two slashes, or a slash and a backslash, would be another host. */
const ownAddress = /^(?:\/(?![/\\])|[#?])[^\s\p{Cc}\\]*$/u

/** Makes an address fit for `href` and `src`: http, https and our own paths stay, anything else becomes `#`. */
export function safeAddress(address: string): string {
  const isWeb = /^https?:/i.test(address) && isLinkAddress(address)
  const isOwn = ownAddress.test(address) && !hasHidden(address)
  return isWeb || isOwn ? address : '#'
}
