import { appendFileSync, readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { nameFormats } from '../../core/kernel/text/characters.ts'
import { readCatalogue, type Catalogue } from '../../tools/catalogue.ts'
import { violations } from '../../tools/violations.ts'

interface DocumentOperation { operationId: string; 'x-mcp-name'?: string; responses: Record<string, { content?: Record<string, unknown>; 'x-codes'?: string[] }> }
export interface Seen { operation: string; status: number; code: string | null }

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, DocumentOperation>>
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
for (const [name, isOne] of Object.entries(nameFormats)) ajv.addFormat(name, isOne)
ajv.addSchema(document, 'document')

const routes = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({
  method: method.toUpperCase(), operation, path,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  literals: path.split('/').filter((segment) => !segment.startsWith('{')).length,
}))).sort((a, b) => b.literals - a.literals)

/** The declared operation of a request, literal segments before parameters. */
export function operationOf(method: string, path: string) {
  const bare = path.split('?')[0] ?? path
  return routes.find((route) => route.method === method && route.pattern.test(bare)) ?? null
}

/** Every (operation, status, code) that the document declares. */
export function declaredAnswers(): Seen[] {
  return routes.flatMap(({ operation }) => Object.entries(operation.responses).flatMap(([status, response]) =>
    (response['x-codes'] ?? [null]).map((code) => ({ operation: operation.operationId, status: Number(status), code }))))
}

const record = process.env['TEST_RECORD']
const known = new Set<string>()
const validators = new Map<string, ValidateFunction>()

export interface Observed { method: string; path: string; status: number; type: string; body: unknown; headers: Record<string, unknown> }

/** Records an answer and throws when the document does not declare it, or its body is not what the document says. */
export function judge({ method, path, status, type, body }: Observed): void {
  const route = operationOf(method, path)
  if (!route) return
  const { operation } = route
  const code = typeof body === 'object' && body !== null && status >= 400 ? String((body as { code?: unknown }).code ?? '') || null : null
  remember({ operation: operation.operationId, status, code })
  if (status >= 500) return
  const response = operation.responses[String(status)]
  if (!response) throw new Error(`${operation.operationId} answered ${status}, which the document does not declare`)
  if (status >= 400 && !response['x-codes']?.includes(code ?? '')) {
    throw new Error(`${operation.operationId} answered ${status} ${code}, which the document does not declare`)
  }
  if (body !== null) judgeBody(operation.operationId, route, status, type.split(';')[0] ?? '', body)
  if (body !== null && status < 300) judgeOutput(operation['x-mcp-name'], body)
}

let catalogue: Catalogue | undefined

/** Throws where the output schema of the operation's tool refuses the answer, in either era. */
function judgeOutput(name: string | undefined, body: unknown): void {
  if (name === undefined) return
  catalogue ??= readCatalogue(document, 'http://127.0.0.1:3333')
  const tool = catalogue.tools.get(name) ?? catalogue.reads.get(name)
  const wrapped = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : { result: body }
  for (const [era, content] of [['session', wrapped], ['modern', body]] as const) {
    const [wrong] = violations(tool?.validateOutput(era)?.(content) ?? [])
    if (wrong) throw new Error(`${name}: the output schema refuses a real answer: ${wrong.path} ${wrong.message}`)
  }
}

function judgeBody(id: string, route: { path: string; method: string }, status: number, type: string, body: unknown): void {
  const name = `${id} ${status} ${type}`
  let validate = validators.get(name)
  if (!validate) {
    const escape = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
    const pointer = ['paths', route.path, route.method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'].map(escape).join('/')
    validate = ajv.compile({ $ref: `document#/${pointer}` })
    validators.set(name, validate)
  }
  if (!validate(body)) throw new Error(`${name}: the body is not what the document says: ${ajv.errorsText(validate.errors?.slice(0, 5))}`)
}

function remember(seen: Seen): void {
  const line = JSON.stringify(seen)
  if (known.has(line) || record === undefined) return
  known.add(line)
  appendFileSync(record, `${line}\n`)
}
