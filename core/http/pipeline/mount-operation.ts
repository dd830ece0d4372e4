import type { Context as KoaContext } from 'koa'
import { getCallerOrganization, type Caller } from '../../kernel/caller.ts'
import type { AuthenticationResult } from '../../kernel/ports/identity.ts'
import type { OperationDeclaration, Operation, RequestDetails } from '../../kernel/operation.ts'
import { createProblem } from '../../kernel/problem.ts'
import { withThreadHandler, assertThreadRoom } from '../apart/thread-operations.ts'
import { removeRepresentationMarks } from '../coding/content-coding.ts'
import { revalidateAnswer, writeAnswer } from '../coding/write-answer.ts'
import { assertAcceptsEvents, streamEvents } from '../events/event-streams.ts'
import { IssueCollector } from '../problems/issue-collector.ts'
import { authorizeOperation, authorizeOrigin } from './authorize.ts'
import {
  compileOperation,
  emptyBytes,
  parseAddress,
  parseValidBody,
  type CompiledOperation,
} from './compile-operation.ts'
import { exposedHeaders } from '../heads/preflight.ts'
import { etagMatches, createEtag } from './present-value.ts'
import { runHandler, type ValidatedRequest, type HandlerValue } from './run-handler.ts'
import type { Pipeline } from './app.ts'

export interface Route {
  handle(ctx: KoaContext, params: Record<string, string>): Promise<void>
  /**
   * Compiles the route's validators, unless a request has already done so. @throws Error for a schema that does not
   * compile
   */
  compile(): void
}

/**
 * Creates the route of an operation: authenticates, counts for rate limits, authorizes, validates, runs and answers.
 */
export function mountOperation(declared: Operation, pipeline: Pipeline): Route {
  const operation = withThreadHandler(declared, pipeline.workerThreads)
  let compiled: CompiledOperation | undefined
  const getMounted = () => (compiled ??= compileOperation(operation, operation !== declared))
  return {
    compile: getMounted,
    async handle(ctx, params) {
      // Pages of every origin may also read the problems of an open route.
      if (operation.declaration.access.isOpenToAllOrigins) {
        ctx.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposedHeaders })
      }
      const run = await admitRequest(ctx, getMounted(), params, pipeline)
      const value = await runHandler(run, pipeline)
      await writeValue(ctx, getMounted(), value, { caller: run.caller, pipeline })
    },
  }
}

/**
 * Admits a request: counts it, checks its caller, and reads and validates it. A signed request is counted when it is
 * refused, or when nobody knows its sender. @throws RATE_LIMITED above the limit, in place of what else is wrong
 */
async function admitRequest(
  ctx: KoaContext,
  mounted: CompiledOperation,
  params: Record<string, string>,
  pipeline: Pipeline,
): Promise<ValidatedRequest> {
  const { declaration, findSender } = mounted.operation
  const getAddress = () => getClientAddress(ctx)
  const authenticated = await pipeline.context.identity.authenticate(
    ctx.req.headers,
    getPreferredKind(declaration),
    getAddress,
  )
  const { caller } = authenticated
  ctx.state['caller'] = caller
  const count = async () => ctx.set(await pipeline.limits.countRequest(caller, getAddress))
  if (!findSender) await count()
  let request: ValidatedRequest
  try {
    admitCaller(ctx, mounted, authenticated, pipeline)
    assertStartAllowed(ctx, declaration, caller, pipeline)
    if (mounted.runsInThread) assertThreadRoom(pipeline.workerThreads, caller, { address: getAddress() })
    request = await readRequest(ctx, mounted, params, authenticated, pipeline)
  } catch (error) {
    if (findSender) await count()
    throw error
  }
  if (findSender && request.sender === null) await count()
  return request
}

/** Authorizes a caller. Answers 401 first, then 403. */
function admitCaller(
  ctx: KoaContext,
  { operation: { declaration }, isEventStream }: CompiledOperation,
  authenticated: AuthenticationResult,
  pipeline: Pipeline,
): void {
  if (isEventStream && !ctx.res.closed)
    ctx.res.once(
      'close',
      pipeline.streamCounts.addStream(authenticated.caller, () => getClientAddress(ctx)),
    )
  if (authenticated.problem) throw authenticated.problem
  authorizeOperation(authenticated.caller, declaration)
  authorizeOrigin(authenticated, declaration, ctx.req.headers, pipeline.ownOrigins)
}

/**
 * Refuses a caller whose job was refused a moment ago, before the body is read. A request with an idempotency key
 * passes, because its stored answer has to be given.
 */
function assertStartAllowed(
  { req }: KoaContext,
  { execution: { startsJobType: jobType } }: OperationDeclaration,
  caller: Caller,
  { context }: Pipeline,
): void {
  const organization = getCallerOrganization(caller)
  if (!jobType || organization === null || req.headers['idempotency-key'] !== undefined) return
  context.queue.assertNotRefusedRecently(organization, jobType)
}

/** Returns which session counts on a route when a browser has cookies of both kinds. */
const getPreferredKind = ({ access, transport }: OperationDeclaration): 'endUser' | 'member' =>
  access.rule === 'endUser' || transport.page === true ? 'endUser' : 'member'

/** Reads and validates a request. Answers 406, 415 and 413 first, then all 400 and 422 issues in one answer. */
async function readRequest(
  ctx: KoaContext,
  mounted: CompiledOperation,
  params: Record<string, string>,
  authenticated: AuthenticationResult,
  pipeline: Pipeline,
): Promise<ValidatedRequest> {
  const { operation } = mounted
  const { transport } = operation.declaration
  if (mounted.isEventStream) assertAcceptsEvents(ctx)
  const upload = mounted.upload(ctx)
  const bytes = (await mounted.body?.read(ctx)) ?? emptyBytes
  const issues = new IssueCollector(transport.invalidBodyStatus === 400)
  const address = parseAddress(mounted, { params, querystring: ctx.querystring }, issues)
  const sender = await findSender(ctx, operation, { params: address.params, bytes, issues, pipeline })
  const body = mounted.runsInThread ? bytes : mounted.body ? parseValidBody(mounted.body, bytes, issues) : undefined
  issues.assertNone()
  const { caller, credential } = authenticated
  return {
    operation,
    caller,
    ...address,
    params: address.params as Record<string, string>,
    body,
    bytes,
    sender,
    requestId: ctx.state['requestId'] as string,
    path: ctx.path,
    target: `${ctx.method} ${ctx.path}?${ctx.querystring}`,
    request: createRequestDetails(ctx, credential),
    upload,
    assertPrecondition: createPrecondition(ctx),
    db: pipeline.context.db,
  }
}

/** Finds out who signed a request, if it has to be signed: before its body is parsed, and only with valid parameters. */
async function findSender(
  { req: { headers } }: KoaContext,
  operation: Operation,
  found: { params: Record<string, unknown>; bytes: Buffer; issues: IssueCollector; pipeline: Pipeline },
): Promise<unknown> {
  if (!operation.findSender) return undefined
  const { params, bytes, issues, pipeline } = found
  issues.assertNone()
  return operation.findSender({ context: pipeline.context, params, headers, bytes } as never)
}

/** Creates the details of a request for its handler. The signal is created on first use. */
function createRequestDetails(ctx: KoaContext, credential: string | null): RequestDetails {
  let signal: AbortSignal | undefined
  return {
    id: ctx.state['requestId'] as string,
    get address() {
      return getClientAddress(ctx)
    },
    headers: ctx.req.headers,
    get target() {
      return `${ctx.path}${ctx.search}`
    },
    credential,
    get signal() {
      return (signal ??= createDisconnectSignal(ctx))
    },
  }
}

/** Creates a signal that aborts if the client disconnects before the answer is complete. */
function createDisconnectSignal({ res }: KoaContext): AbortSignal {
  if (res.closed) return AbortSignal.abort()
  const controller = new AbortController()
  res.once('close', () => controller.abort())
  return controller.signal
}

/** Returns the address of the peer, or the client's address that a trusted proxy reports. */
const getClientAddress = (ctx: KoaContext): string => ctx.ip.replace(/^::ffff:/, '')

/**
 * Creates the check of If-Match. It throws PRECONDITION_FAILED (412) if the header does not match the present
 * representation.
 */
function createPrecondition(ctx: KoaContext): (representation: unknown) => void {
  const header = ctx.req.headers['if-match']
  return (representation) => {
    if (
      header === undefined
      || etagMatches(removeRepresentationMarks(header), createEtag(JSON.stringify(representation)), false)
    )
      return
    throw createProblem('PRECONDITION_FAILED', 'The entity has changed since you read it. Read it again.')
  }
}

async function writeValue(
  ctx: KoaContext,
  { operation: { declaration } }: CompiledOperation,
  value: HandlerValue,
  {
    caller,
    pipeline: {
      context: { log },
      streamAuthorizer,
    },
  }: { caller: Caller; pipeline: Pipeline },
): Promise<void> {
  if ('events' in value) {
    const stream = await streamEvents(ctx, value.events, (err) =>
      log.warn({ err, requestId: ctx.state['requestId'] as string }, 'an event stream was broken off'),
    )
    return stream
      ? streamAuthorizer.watchStream(stream, caller, ctx.req.headers, getPreferredKind(declaration))
      : undefined
  }
  writeAnswer(ctx, value)
  if (declaration.transport.hasEtag && declaration.method === 'GET')
    revalidateAnswer(ctx, value, caller.kind === 'anonymous')
}
