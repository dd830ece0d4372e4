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
  return String(part).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)
}

/** A template whose values are escaped; markup inside markup stays, lists are joined, null and false vanish. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, string, at) => text + string + (at < parts.length ? render(parts[at]) : ''), ''))
}

/** An address for `href` or `src`: only http, https and our own paths; anything else becomes `#`. */
export function safeAddress(address: string): string {
  return /^(https?:\/\/|\/(?!\/))/i.test(address) ? address : '#'
}
