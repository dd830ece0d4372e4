import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import { html, type Markup } from '../site/html.ts'
import { renderMarkdown } from '../site/markdown.ts'

interface ListedOperation {
  id: string
  method: string
  path: string
  tag: string
  summary: string
}

const toSlug = (tag: string) => tag.toLowerCase().replace(/\W+/g, '-')

/**
 * Renders the page as it is without scripts: the quick starts, and a list of all operations. An entry of the list has
 * the id that the library gives the operation in addresses (`assets/reference.js`), so that a link to an operation
 * finds it in both.
 */
export function renderDocs(document: OpenApi.Document, quickStarts: string): Markup {
  const operations = listOperations(document)
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  return html`<h1>API reference</h1>
<p>${operations.length} operations, as <a href="/openapi.json">openapi.json</a> describes them, which is what runs.</p>
<p class="quiet" id="reference-state" role="status" data-loading="The interactive reference is loading: search, samples, and a form to try each operation." data-failed="The interactive reference did not load. This list has the same addresses."></p>
${renderMarkdown(quickStarts)}
<h2 id="operations">All operations</h2>
<nav aria-label="Areas"><p>${tags.map((tag, at) => html`${at > 0 && ' · '}<a href="#tag/${toSlug(tag)}">${tag}</a>`)}</p></nav>
${tags.map((tag) =>
  renderArea(
    tag,
    operations.filter((operation) => operation.tag === tag),
  ),
)}`
}

const renderArea = (tag: string, operations: readonly ListedOperation[]): Markup =>
  html`<h3 id="tag/${toSlug(tag)}">${tag}</h3>
<ul class="operations">
${operations.map(
  ({ id, method, path, summary }) =>
    html`<li id="tag/${toSlug(tag)}/${id}"><a href="#tag/${toSlug(tag)}/${id}"><span class="method">${method}</span> <code>${path}</code></a> ${summary}</li>
`,
)}</ul>`

const listOperations = ({ paths = {} }: OpenApi.Document): ListedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, OpenApi.OperationObject>).map(([method, operation]) => ({
      id: operation.operationId ?? '',
      method: method.toUpperCase(),
      path,
      tag: operation.tags?.[0] ?? 'Other',
      summary: operation.summary ?? '',
    })),
  )
