import { text, type Answer } from '../kernel/answer.ts'
import { html, type Markup } from './html.ts'

export interface PageOptions {
  title: string
  /** Seconds after which the browser looks again; for jobs that go on. */
  refresh?: number
  status?: number
  headers?: Record<string, string>
  lang?: string
  /** Wide pages use the whole window. */
  wide?: boolean
  /** One of our own scripts, by its address: it follows what goes on, and the refresh is for browsers without scripts. */
  script?: string
  /** Stands above the content. */
  top?: Markup
  /** Further elements of the head. */
  head?: Markup
  /** Words of the link past what stands above. */
  skip?: string
}

/** Nothing but our own style sheet and https pictures; no script, no frame, forms only to ourselves. */
const policy = "default-src 'none'; style-src 'self'; img-src 'self' https: data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const scripted = `${policy}; script-src 'self'; connect-src 'self'`

/** A whole page around `content`. Usable without script, with the keyboard and on a phone. */
export function page(options: PageOptions, content: Markup): Answer {
  const { title, refresh, status, headers, lang = 'en', wide, script, top, head, skip = 'To the content' } = options
  const again = refresh !== undefined && html`<meta http-equiv="refresh" content="${refresh}">`
  const document = html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${script !== undefined && again ? html`<noscript>${again}</noscript>` : again}
${script !== undefined && html`<script src="${script}" defer></script>`}
<title>${title}</title>
<link rel="stylesheet" href="/assets/tessera.css">
<link rel="icon" href="/assets/tessera.svg" type="image/svg+xml">
${head}</head>
<body${wide && html` class="wide"`}>
<a class="skip" href="#content">${skip}</a>
${top}
<main id="content">
${content}
</main>
<footer>Tessera</footer>
</body>
</html>
`
  return text(document.text, 'text/html; charset=utf-8', {
    'Content-Security-Policy': script === undefined ? policy : scripted, 'Referrer-Policy': 'same-origin', 'Cache-Control': 'no-store', ...headers,
  }, status)
}
