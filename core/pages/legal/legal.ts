import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import { optional, string } from '../../kernel/schema.ts'
import { findDocument } from '../../features/identity/index.ts'
import { html, type Markup } from '../site/html.ts'
import { renderPage } from '../site/layout.ts'
import { renderMarkdown } from '../site/markdown.ts'

/** Texts that were rendered before, by their hash: they never change. */
const rendered = new Map<string, Markup>()

/** A legal document, the current version if the address names none. */
const showOperation = declareOperation({
  id: 'legal_document_page_v1',
  method: 'GET',
  path: '/legal/:document',
  access: 'public',
  params: { document: string('Name of the document.', { maxLength: 63 }) },
  query: { version: optional(string('Its version.', { maxLength: 40 })) },
  returns: { 200: { type: 'text/html', description: 'The page.' } },
  transport: { page: true },
  document: { tag: 'Pages', summary: 'A legal document' },
}).withReadHandler(async ({ params, query }) => {
  const document = findDocument(params.document, query.version)
  if (!document) throw createNotFoundProblem()
  const { title, version, publishedAt, sha256, text } = document
  const content = rendered.get(sha256) ?? renderMarkdown(text)
  rendered.set(sha256, content)
  return renderPage(
    { title },
    html`<h1>${title}</h1>
<p class="quiet">Version ${version}, published on <time datetime="${publishedAt}">${publishedAt.slice(0, 10)}</time></p>
${content}
<p class="quiet">SHA-256 of this text: <code>${sha256}</code></p>`,
  )
})

export const legalPages: Operation[] = [showOperation]
