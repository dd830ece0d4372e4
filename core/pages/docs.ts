import { readFileSync } from 'node:fs'
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import { operation, type Operation } from '../kernel/operation.ts'
import { example } from './docs.examples.ts'
import { html, type Markup } from './html.ts'
import { page } from './layout.ts'

type Described = OpenApi.OperationObject & { 'x-access'?: string; 'x-mcp-name'?: string; 'x-mcp-type'?: string }
interface Row { method: string; path: string; operation: Described }

/** The reference as it was made from the document when the first reader asked. */
let made: Markup | null = null

/** The API reference: made from the document that is served, so the two cannot differ. */
export const docsOperation: Operation = operation({
  id: 'docs_page_v1', method: 'GET', path: '/docs', summary: 'The API reference', tag: 'Pages', access: 'public', page: true,
  returns: { 200: { type: 'text/html', description: 'The page.' } },
}).readBy(async ({ work }) => {
  made ??= reference(work.context.settings.baseUrl)
  return page({ title: 'Tessera: API reference', wide: true, headers: { 'Cache-Control': 'public, max-age=300' } }, made)
})

function reference(baseUrl: string): Markup {
  const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as OpenApi.Document
  const rows = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Described>).map(([method, described]) => ({ method: method.toUpperCase(), path, operation: described })))
  const tags = [...new Set(rows.map((row) => row.operation.tags?.[0] ?? 'Other'))]
  return html`<h1>API reference</h1>
<p>Made from <a href="/openapi.json">openapi.json</a>, which is what runs. Send <code>X-Api-Key</code> or <code>Authorization: Bearer</code>.
The examples run as they stand once <code>API_KEY</code> is set, or for people <code>SESSION</code>, the <code>token</code>
that their sign-in answers; identifiers stand for your own.</p>
<nav aria-label="Areas"><p>${tags.map((tag) => html`<a href="#${slug(tag)}">${tag}</a> · `)}<a href="#schemas">Schemas</a></p></nav>
${tags.map((tag) => html`<section><h2 id="${slug(tag)}">${tag}</h2>
${rows.filter((row) => row.operation.tags?.[0] === tag).map((row) => describeRow(row, document, baseUrl))}</section>`)}
<h2 id="schemas">Schemas</h2>
${Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => html`<details id="schema-${name}"><summary>${name}</summary>
<pre>${JSON.stringify(schema, null, 2)}</pre></details>`)}`
}

/** Text with its `code` parts set as code. */
const prose = (text: string): (Markup | string)[] => text.split('`').map((part, at) => at % 2 === 1 ? html`<code>${part}</code>` : part)

const slug = (tag: string) => tag.toLowerCase().replace(/\W+/g, '-')

function describeRow({ method, path, operation: described }: Row, document: OpenApi.Document, baseUrl: string): Markup {
  const parameters = (described.parameters ?? []) as OpenApi.ParameterObject[]
  return html`<details id="${described.operationId}"><summary><span class="method">${method}</span> <code>${path}</code> ${described.summary}</summary>
${described.description && html`<p>${prose(described.description)}</p>`}
<p class="quiet">Access: ${described['x-access']}${described['x-mcp-name'] && html` · for assistants: ${described['x-mcp-type']} <code>${described['x-mcp-name']}</code>`}</p>
${parameters.length > 0 && html`<div class="scroll"><table><thead><tr><th>Parameter</th><th>In</th><th>Meaning</th></tr></thead><tbody>
${parameters.map((parameter) => html`<tr><td><code>${parameter.name}</code></td><td>${parameter.in}</td><td>${prose(parameter.description ?? '')}</td></tr>`)}
</tbody></table></div>`}
${bodyLine(described)}<pre>${example(method, path, described, document, baseUrl)}</pre>
<div class="scroll"><table><thead><tr><th>Answer</th><th>When</th></tr></thead><tbody>
${Object.entries(described.responses ?? {}).map(([status, response]) => html`<tr><td>${status}</td><td>${(response as OpenApi.ResponseObject).description}${schemaLink(response as OpenApi.ResponseObject)}</td></tr>`)}
</tbody></table></div></details>`
}

/** What is sent, and how much of it at most. */
function bodyLine({ requestBody }: Described): Markup | null {
  const body = requestBody as OpenApi.RequestBodyObject | undefined
  return body ? html`<p>Body: ${body.description}${schemaLink(body)}</p>` : null
}

function schemaLink({ content }: Pick<OpenApi.ResponseObject, 'content'>): Markup | null {
  const schema = content?.['application/json']?.schema
  const name = schema && '$ref' in schema ? schema.$ref?.split('/').at(-1) : undefined
  return name === undefined ? null : html` <a href="#schema-${name}">${name}</a>`
}
