import type { Caller } from '../../kernel/caller.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { CallAnswer, CallArguments, CallOrigin, OperationCalls } from '../../kernel/ports/operation-calls.ts'
import type { Upload } from '../../kernel/upload.ts'
import type { Context } from '../../kernel/work.ts'
import { BodyShares } from '../idempotency/shares.ts'
import { ReplayReaders } from '../idempotency/replay.ts'
import { RequestScheduler } from '../limits/request-scheduler.ts'
import { IssueCollector } from '../problems/issue-collector.ts'
import { toProblemAnswer } from '../problems/problems.ts'
import { authorizeOperation } from './authorize.ts'
import {
  compileOperation,
  emptyBytes,
  parseAddress,
  parseValidBody,
  type CompiledOperation,
} from './compile-operation.ts'
import { runHandler, type HandlerPipeline } from './run-handler.ts'

/** A request of a call: the operation, what its path and query say, and its body. */
interface CallRequest {
  operation: Operation
  params: Record<string, string>
  path: string
  querystring: string
  body: unknown
}

interface ReadRoute {
  operation: Operation
  pattern: RegExp
}

/** Calls from within come over no network. */
const ownAddress = '127.0.0.1'

const noUpload: Upload = {
  type: null,
  openFile: async () => null,
  readObject: () => Promise.reject(new Error('A call from within carries no file')),
}

/**
 * Creates the calls of operations from within the process. A call takes the same way as a request after its
 * authentication: permission, validation, idempotency key, handler, answer.
 * @param operations those of the document, in its order
 */
export function createOperationCalls(context: Context, operations: readonly Operation[]): OperationCalls {
  const pipeline: HandlerPipeline = {
    context,
    scheduler: new RequestScheduler(),
    bodyShares: new BodyShares(context.db, context.log),
    replayReaders: new ReplayReaders(operations),
  }
  const byName = new Map(
    operations.flatMap((operation) => {
      const { mcpName } = operation.declaration.document
      return mcpName === undefined || operation.receive || operation.findSender ? [] : [[mcpName, operation] as const]
    }),
  )
  const readRoutes = operations.filter(({ declaration }) => declaration.method === 'GET').map(createReadRoute)
  const compiledOperations = new Map<Operation, CompiledOperation>()
  const compile = (operation: Operation) => {
    const compiled = compiledOperations.get(operation) ?? compileOperation(operation, false)
    compiledOperations.set(operation, compiled)
    return compiled
  }
  const findOperation = (name: string): Operation => {
    const operation = byName.get(name)
    if (!operation) throw new Error(`There is no operation ${name} to call`)
    return operation
  }
  const run = (request: CallRequest, origin: CallOrigin) =>
    runCall(compile(request.operation), request, origin, pipeline)
  return {
    hasOperation: (name) => byName.has(name),
    mayCall: (caller, name) => isAuthorized(caller, findOperation(name)),
    call: (name, values, origin) => run(createCallRequest(findOperation(name), values), origin),
    read: (address, origin) => run(createReadRequest(readRoutes, address), origin),
  }
}

const createReadRoute = (operation: Operation): ReadRoute => ({
  operation,
  pattern: new RegExp(`^${operation.declaration.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
})

function createReadRequest(routes: readonly ReadRoute[], address: string): CallRequest {
  const [path = '', querystring = ''] = address.split('?', 2)
  for (const { operation, pattern } of routes) {
    const match = pattern.exec(path)
    if (match) return { operation, params: { ...match.groups }, path, querystring, body: undefined }
  }
  throw new Error(`No operation answers GET ${path}`)
}

/** Puts each value where the operation takes it: in the path, in the query, or else in the body. */
function createCallRequest(operation: Operation, values: CallArguments): CallRequest {
  const { declaration } = operation
  const params: Record<string, string> = {}
  const query = new URLSearchParams()
  const members: Record<string, unknown> = {}
  const ofQuery = new Set([
    ...Object.keys(declaration.query ?? {}),
    ...(declaration.list ? ['filters', 'sorters'] : []),
  ])
  for (const [name, value] of Object.entries(values)) {
    if (new RegExp(`:${name}(/|$)`).test(declaration.path)) params[name] = String(value)
    else if (ofQuery.has(name)) query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
    else members[name] = value
  }
  const path = declaration.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const isItems = (declaration.body as { type?: string } | undefined)?.type === 'array'
  const body = isItems ? members['items'] : Object.keys(members).length > 0 ? members : undefined
  return { operation, params, path, querystring: query.toString(), body }
}

function isAuthorized(caller: Caller, { declaration }: Operation): boolean {
  try {
    authorizeOperation(caller, declaration)
    return true
  } catch {
    return false
  }
}

async function runCall(
  compiled: CompiledOperation,
  request: CallRequest,
  origin: CallOrigin,
  pipeline: HandlerPipeline,
): Promise<CallAnswer> {
  const { operation, path, querystring } = request
  const target = querystring === '' ? path : `${path}?${querystring}`
  const head = { method: operation.declaration.method, path: target }
  const { settings, log } = pipeline.context
  try {
    authorizeOperation(origin.caller, operation.declaration)
    const value = await runHandler(validateCall(compiled, request, target, origin, pipeline), pipeline)
    if ('events' in value || (value.body !== null && typeof value.body !== 'string'))
      throw new Error(`${operation.declaration.id} answers no JSON`)
    return { ...head, status: value.status, body: value.body === null ? null : JSON.parse(value.body), code: null }
  } catch (cause) {
    const { requestId } = origin
    const { status, body } = toProblemAnswer(cause, { instance: path, requestId, baseUrl: settings.baseUrl, log })
    return { ...head, status, body, code: typeof body['code'] === 'string' ? body['code'] : null }
  }
}

function validateCall(
  compiled: CompiledOperation,
  { operation, params, path, querystring, body }: CallRequest,
  target: string,
  { caller, requestId, idempotencyKey }: CallOrigin,
  { context }: HandlerPipeline,
) {
  const issues = new IssueCollector(operation.declaration.transport.invalidBodyStatus === 400)
  const bytes = body === undefined ? emptyBytes : Buffer.from(JSON.stringify(body))
  const address = parseAddress(compiled, { params, querystring }, issues)
  const parsed = compiled.body ? parseValidBody(compiled.body, bytes, issues) : undefined
  issues.assertNone()
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
  return {
    operation,
    caller,
    ...address,
    params: address.params as Record<string, string>,
    body: parsed,
    bytes,
    sender: undefined,
    requestId,
    path,
    target: `${operation.declaration.method} ${target}`,
    request: {
      id: requestId,
      address: ownAddress,
      headers,
      target,
      credential: null,
      signal: new AbortController().signal,
    },
    upload: noUpload,
    assertPrecondition: () => undefined,
    db: context.db,
  }
}
