import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { html } from '../site/html.ts'
import { detectReader, languageParameter, renderPublicPage } from '../site/reader.ts'
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

export const frontPages: Operation[] = [frontOperation]
