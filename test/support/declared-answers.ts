import { appendFileSync, readFileSync } from 'node:fs'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { nameFormats } from '../../core/kernel/text/characters.ts'
import { readCommittedCatalogue } from './bridge/committed-catalogue.ts'
import { toIssues } from '../../tools/results/issues.ts'

interface DocumentOperation {
  operationId: string
  'x-mcp-name'?: string
  responses: Record<string, { content?: Record<string, unknown>; 'x-codes'?: string[] }>
}
export interface AnswerRecord {
  operation: string
  status: number
  code: string | null
}

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, DocumentOperation>>
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
for (const [name, isOne] of Object.entries(nameFormats)) ajv.addFormat(name, isOne)
ajv.addSchema(document, 'document')

const routes = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      operation,
      path,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      literals: path.split('/').filter((segment) => !segment.startsWith('{')).length,
    })),
  )
  .sort((a, b) => b.literals - a.literals)

/** Finds the declared operation of a request; literal segments win over parameters. */
export function findOperation(method: string, path: string) {
  const pathname = path.split('?')[0] ?? path
  return routes.find((route) => route.method === method && route.pattern.test(pathname)) ?? null
}

/** Lists every (operation, status, code) that the document declares. */
export function listDeclaredAnswers(): AnswerRecord[] {
  return routes.flatMap(({ operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) =>
      (response['x-codes'] ?? [null]).map((code) => ({
        operation: operation.operationId,
        status: Number(status),
        code,
      })),
    ),
  )
}

const recordFile = process.env['TEST_RECORD']
const recordedLines = new Set<string>()
const validators = new Map<string, ValidateFunction>()

export interface ObservedAnswer {
  method: string
  path: string
  status: number
  type: string
  body: unknown
  headers: Record<string, unknown>
}

/** Records an answer. @throws if the document does not declare the answer, or if the body does not match its schema */
export function assertDeclaredAnswer({ method, path, status, type, body }: ObservedAnswer): void {
  const route = findOperation(method, path)
  if (!route) return
  const { operation } = route
  const code =
    typeof body === 'object' && body !== null && status >= 400
      ? String((body as { code?: unknown }).code ?? '') || null
      : null
  recordAnswer({ operation: operation.operationId, status, code })
  if (status >= 500) return
  const response = operation.responses[String(status)]
  if (!response) throw new Error(`${operation.operationId} answered ${status}, which the document does not declare`)
  if (status >= 400 && !response['x-codes']?.includes(code ?? '')) {
    throw new Error(`${operation.operationId} answered ${status} ${code}, which the document does not declare`)
  }
  const isPart = /[?&]fields=/.test(path)
  if (body !== null)
    assertBodySchema(operation.operationId, route, { status, type: type.split(';')[0] ?? '', isPart }, body)
  if (body !== null && status < 300) assertOutputSchema(operation['x-mcp-name'], body)
}

/** Asserts that the output schema of the operation's tool accepts the answer in both eras. */
function assertOutputSchema(name: string | undefined, body: unknown): void {
  if (name === undefined) return
  const catalogue = readCommittedCatalogue()
  const tool = catalogue.tools.get(name) ?? catalogue.readTools.get(name)
  const wrapped = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : { result: body }
  for (const [era, content] of [
    ['session', wrapped],
    ['modern', body],
  ] as const) {
    const [wrong] = toIssues(tool?.validateOutput(era)?.(content) ?? [])
    if (wrong) throw new Error(`${name}: the output schema refuses a real answer: ${wrong.path} ${wrong.message}`)
  }
}

function assertBodySchema(
  id: string,
  route: { path: string; method: string },
  { status, type, isPart }: { status: number; type: string; isPart: boolean },
  body: unknown,
): void {
  const name = `${id} ${status} ${type}`
  let validate = validators.get(name)
  if (!validate) {
    const escapePointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
    const pointer = [
      'paths',
      route.path,
      route.method.toLowerCase(),
      'responses',
      String(status),
      'content',
      type,
      'schema',
    ]
      .map(escapePointer)
      .join('/')
    validate = ajv.compile({ $ref: `document#/${pointer}` })
    validators.set(name, validate)
  }
  validate(body)
  const errors = selectErrors(validate.errors ?? [], isPart && status < 300)
  if (errors.length > 0)
    throw new Error(`${name}: the body is not what the document says: ${ajv.errorsText(errors.slice(0, 5))}`)
}

/** An answer with selected members lacks others, so a union that fails only for want of a member does not count. */
function selectErrors(errors: readonly ErrorObject[], isPart: boolean): ErrorObject[] {
  if (!isPart) return [...errors]
  const missing = errors.filter(({ keyword }) => keyword === 'required')
  const isAboveMissing = ({ keyword, instancePath }: ErrorObject) =>
    (keyword === 'anyOf' || keyword === 'type' || keyword === 'const')
    && missing.some((one) => one.instancePath === instancePath || one.instancePath.startsWith(`${instancePath}/`))
  return errors.filter((error) => error.keyword !== 'required' && !isAboveMissing(error))
}

function recordAnswer(answerRecord: AnswerRecord): void {
  const line = JSON.stringify(answerRecord)
  if (recordedLines.has(line) || recordFile === undefined) return
  recordedLines.add(line)
  appendFileSync(recordFile, `${line}\n`)
}
