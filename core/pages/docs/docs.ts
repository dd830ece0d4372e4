import { readFileSync } from 'node:fs'
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { formatExample } from './docs.examples.ts'
import { html, type Markup } from '../site/html.ts'
import { renderPage } from '../site/layout.ts'

type DescribedOperation = OpenApi.OperationObject & {
  'x-access'?: string
  'x-mcp-name'?: string
  'x-mcp-type'?: string
}
interface ReferenceRow {
  method: string
  path: string
  operation: DescribedOperation
}

/** The reference, rendered when the first reader requests it. */
let referencePage: Markup | null = null

/** The API reference. It is made from the OpenAPI document that is served, so the two cannot differ. */
export const docsOperation: Operation = declareOperation({
  id: 'docs_page_v1',
  method: 'GET',
  path: '/docs',
  access: 'public',
  returns: { 200: { type: 'text/html', description: 'The page.' } },
  transport: { page: true },
  document: { tag: 'Pages', summary: 'The API reference' },
}).withReadHandler(async ({ work }) => {
  referencePage ??= renderReference(work.context.settings.baseUrl)
  return renderPage(
    { title: 'Tessera: API reference', wide: true, headers: { 'Cache-Control': 'public, max-age=300' } },
    referencePage,
  )
})

function renderReference(baseUrl: string): Markup {
  const document = JSON.parse(
    readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'),
  ) as OpenApi.Document
  const rows = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, DescribedOperation>).map(([method, described]) => ({
      method: method.toUpperCase(),
      path,
      operation: described,
    })),
  )
  const tags = [...new Set(rows.map((row) => row.operation.tags?.[0] ?? 'Other'))]
  return html`<h1>API reference</h1>
<p>Made from <a href="/openapi.json">openapi.json</a>, which is what runs. Send <code>X-Api-Key</code> or <code>Authorization: Bearer</code>.
The examples run as they stand once <code>API_KEY</code> is set, or for people <code>SESSION</code>, the <code>token</code>
that their sign-in answers; identifiers stand for your own.</p>
<nav aria-label="Areas"><p>${tags.map((tag) => html`<a href="#${toSlug(tag)}">${tag}</a> · `)}<a href="#schemas">Schemas</a></p></nav>
${tags.map(
  (tag) =>
    html`<section><h2 id="${toSlug(tag)}">${tag}</h2>
${rows.filter((row) => row.operation.tags?.[0] === tag).map((row) => renderRow(row, document, baseUrl))}</section>`,
)}
<h2 id="schemas">Schemas</h2>
${Object.entries(document.components?.schemas ?? {}).map(
  ([name, schema]) =>
    html`<details id="schema-${name}"><summary>${name}</summary>
<pre>${JSON.stringify(schema, null, 2)}</pre></details>`,
)}`
}

/** Renders a text with the parts in backticks as code. */
const renderProse = (text: string): (Markup | string)[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))

const toSlug = (tag: string) => tag.toLowerCase().replace(/\W+/g, '-')

function renderRow(
  { method, path, operation: described }: ReferenceRow,
  document: OpenApi.Document,
  baseUrl: string,
): Markup {
  const parameters = (described.parameters ?? []) as OpenApi.ParameterObject[]
  return html`<details id="${described.operationId}"><summary><span class="method">${method}</span> <code>${path}</code> ${described.summary}</summary>
${described.description && html`<p>${renderProse(described.description)}</p>`}
<p class="quiet">Access: ${described['x-access']}${described['x-mcp-name'] && html` · for assistants: ${described['x-mcp-type']} <code>${described['x-mcp-name']}</code>`}</p>
${
  parameters.length > 0
  && html`<div class="scroll"><table><thead><tr><th>Parameter</th><th>In</th><th>Meaning</th></tr></thead><tbody>
${parameters.map(
  (parameter) =>
    html`<tr><td><code>${parameter.name}</code></td><td>${parameter.in}</td><td>${renderProse(parameter.description ?? '')}</td></tr>`,
)}
</tbody></table></div>`
}
${renderBody(described)}<pre>${formatExample(method, path, described, document, baseUrl)}</pre>
<div class="scroll"><table><thead><tr><th>Answer</th><th>When</th></tr></thead><tbody>
${Object.entries(described.responses ?? {}).map(
  ([status, response]) =>
    html`<tr><td>${status}</td><td>${(response as OpenApi.ResponseObject).description}${renderSchemaLink(response as OpenApi.ResponseObject)}</td></tr>`,
)}
</tbody></table></div></details>`
}

/** Renders the description of the request body with a link to its schema. */
function renderBody({ requestBody }: DescribedOperation): Markup | null {
  const body = requestBody as OpenApi.RequestBodyObject | undefined
  return body ? html`<p>Body: ${body.description}${renderSchemaLink(body)}</p>` : null
}

function renderSchemaLink({ content }: Pick<OpenApi.ResponseObject, 'content'>): Markup | null {
  const schema = content?.['application/json']?.schema
  const name = schema && '$ref' in schema ? schema.$ref?.split('/').at(-1) : undefined
  return name === undefined ? null : html` <a href="#schema-${name}">${name}</a>`
}
