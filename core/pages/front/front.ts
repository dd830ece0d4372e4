import { answerRedirect, answerText } from '../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { html } from '../site/html.ts'
import { detectReader, languageParameter, renderPublicPage } from '../site/reader.ts'
import { findListedHost, sitemapOperation } from './sitemap.ts'
import { words } from '../../languages/index.ts'

/** The page at the address of the platform itself: what it is, and the ways on from there. */
const frontOperation = declareOperation({
  id: 'front_page_v1',
  method: 'GET',
  path: '/',
  access: 'public',
  query: { lang: languageParameter },
  returns: { 200: { type: 'text/html', description: 'The page.' } },
  transport: { page: true },
  document: { tag: 'Pages', summary: 'What the platform is, and the way in' },
}).withReadHandler(async ({ query, request }) => {
  const reader = detectReader(request, query.lang)
  const phrases = words[reader.language].front
  return renderPublicPage(
    reader,
    { title: 'Tessera', here: '/' },
    html`<h1>${phrases.head}</h1>
<p>${phrases.text}</p>
<p><a class="button" href="/console">${phrases.enter}</a></p>
<p class="quiet">${phrases.enterText}</p>
<h2>${phrases.developersHead}</h2>
<p><a href="/docs">${phrases.reference}</a></p>
<h2>${phrases.buyersHead}</h2>
<p>${phrases.buyersText}</p>`,
  )
})

/** The page behind a scanned code is for everybody; what people do there is for nobody's index. */
const robots = ['/claim', '/console', '/dev/', '/me', '/v1/'].map((path) => `Disallow: ${path}\n`).join('')

/** Which pages search engines may read. Source: RFC 9309. */
const robotsOperation = declareOperation({
  id: 'robots_v1',
  method: 'GET',
  path: '/robots.txt',
  access: 'public',
  returns: { 200: { type: 'text/plain; charset=utf-8', description: 'The rules.' } },
  document: { tag: 'Pages', summary: 'What search engines may read', isHidden: true },
}).withReadHandler(async ({ request, work: { context } }) => {
  const host = await findListedHost(context, request)
  const sitemap = host ? `\nSitemap: ${host.origin}/sitemap.xml\n` : ''
  return answerText(`User-agent: *\n${robots}${sitemap}`, 'text/plain; charset=utf-8', {
    'Cache-Control': 'public, max-age=3600',
    Vary: 'Host',
  })
})

/** The address at which browsers look for an icon that no page named. */
const iconOperation = declareOperation({
  id: 'favicon_v1',
  method: 'GET',
  path: '/favicon.ico',
  access: 'public',
  returns: { 302: null },
  document: { tag: 'Pages', summary: 'The icon of our pages', isHidden: true },
}).withReadHandler(async () => answerRedirect('/assets/tessera.svg'))

export const frontPages: Operation[] = [frontOperation, robotsOperation, sitemapOperation, iconOperation]
