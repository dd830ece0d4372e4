import { readFileSync } from 'node:fs'
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { html, type Markup } from '../site/html.ts'
import { renderPage } from '../site/layout.ts'
import { renderDocs } from './docs.views.ts'
import { libraryOperation, libraryPath, libraryStyleHashes } from './library.ts'
import { formatQuickStarts } from './quick-starts.ts'

/**
 * The policy of the reference. Scripts, requests and pictures are our own, so that a key which a reader puts in goes to
 * this installation and nowhere else. Style elements are those that the library is known to make, by their hashes.
 * `style-src-attr` is the one thing that is wider than on other pages: the library writes `style` attributes whose
 * values depend on the reader's window, which no hash or nonce can allow. They can move and colour what is there, and
 * load nothing: pictures and fonts have directives of their own. Source: CSP Level 3, sections 6.1.13 and 6.1.14.
 */
const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  ['style-src', "'self'", ...libraryStyleHashes.map((hash) => `'sha256-${hash}'`)].join(' '),
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The content of the page without scripts, rendered when the first reader requests it, and the text of its head. */
let content: { page: Markup; quickStarts: string } | undefined

function renderContent(settings: Parameters<typeof formatQuickStarts>[0]): { page: Markup; quickStarts: string } {
  const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
  const quickStarts = formatQuickStarts(settings)
  return { page: renderDocs(JSON.parse(text) as OpenApi.Document, quickStarts), quickStarts }
}

/**
 * The API reference, made from the document that is served, so the two cannot differ. The page has content without
 * scripts; with them the library takes its place, from the same document and with the same quick starts.
 */
const docsOperation: Operation = declareOperation({
  id: 'docs_page_v1',
  method: 'GET',
  path: '/docs',
  access: 'public',
  returns: { 200: { type: 'text/html', description: 'The page.' } },
  transport: { page: true },
  document: { tag: 'Pages', summary: 'The API reference' },
}).withReadHandler(async ({ work }) => {
  const { page, quickStarts } = (content ??= renderContent(work.context.settings))
  return renderPage(
    {
      title: 'Tessera: API reference',
      wide: true,
      headers: { 'Cache-Control': 'public, max-age=300', 'Content-Security-Policy': referencePolicy },
      head: html`<link rel="stylesheet" href="/assets/reference.css">
<link rel="preload" href="/openapi.json" as="fetch" crossorigin>
<script src="${libraryPath}" defer></script>
<script src="/assets/reference.js" defer></script>
`,
      top: html`<header class="reference-head"><a href="/">Tessera</a> <span>API reference</span>
<nav aria-label="Tessera"><a href="/openapi.json">openapi.json</a> <a href="/console">Console</a></nav></header>
<div id="reference" tabindex="-1" data-introduction="${quickStarts}"></div>`,
    },
    page,
  )
})

export const docsPages: Operation[] = [docsOperation, libraryOperation]
