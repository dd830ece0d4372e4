import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import Router from '@koa/router'
import Koa, { type Context as KoaContext } from 'koa'
import type { Logger } from 'pino'
import { getOwnOrigins } from '../../kernel/request/origin.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { ProblemPages } from '../../kernel/ports/problem-pages.ts'
import type { Context } from '../../kernel/work.ts'
import type { WorkerThreadPool } from '../apart/thread-pool.ts'
import { compressAnswer } from '../coding/compress.ts'
import { findHostProblem } from '../heads/host-header.ts'
import { createHostCheck, type ProvenHostLookup } from '../heads/known-hosts.ts'
import { ReplayReaders } from '../idempotency/replay.ts'
import { BodyShares } from '../idempotency/shares.ts'
import { createDispatcher } from './dispatch.ts'
import { drainRequest } from '../body/drain-request.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { mountOperation } from './mount-operation.ts'
import { exposedHeaders, mountPreflights, preflightMaxAgeSeconds } from '../heads/preflight.ts'
import { writeProblemPage } from '../problems/problem.page.ts'
import { toProblemAnswer, writeProblem } from '../problems/problems.ts'
import { redactPath } from '../serve/redact-path.ts'
import { RequestScheduler } from '../limits/request-scheduler.ts'
import { StreamCounts } from '../limits/counts.ts'
import { StreamAuthorizer } from '../events/authorize.ts'
import { mountSystem, type SystemRoutes } from '../serve/system.ts'

/** The parts that all requests share, created once. */
export interface Pipeline {
  context: Context
  limits: RateLimits
  scheduler: RequestScheduler
  /** Origins of our own pages. */
  ownOrigins: ReadonlySet<string>
  bodyShares: BodyShares
  replayReaders: ReplayReaders
  /** Handles the operations that declare `runsInThread`; without it they are handled in the main thread. */
  workerThreads: WorkerThreadPool | undefined
  streamCounts: StreamCounts
  streamAuthorizer: StreamAuthorizer
}

/** The measurement of one request, for the metrics and the log of requests. */
export interface RequestMeasurement {
  /** Empty if no operation matched. */
  operation: string
  method: string
  status: number
  seconds: number
  requestId: string
  /** The code of the problem that was answered, if it has one. */
  code: string | undefined
  /** Undefined if the request was answered before anybody asked who sent it. */
  caller: Caller | undefined
  /** Whether the answer is a page that is not for members. */
  isPublicPage: boolean
}

export interface AppOptions {
  operations: readonly Operation[]
  limits: RateLimits
  system: SystemRoutes
  /** Renders problems for browsers. */
  problemPages: ProblemPages
  /** Checks whether pages of an origin may call with a Bearer token. */
  isAllowedOrigin: (origin: string) => Promise<boolean>
  /** Checks whether a host is accepted in addition to the configured hosts. */
  isProvenHost: ProvenHostLookup
  recordRequest?: (measurement: RequestMeasurement) => void
  workerThreads?: WorkerThreadPool
}

export interface App extends Koa {
  /**
   * Compiles the validators in advance, one route per turn of the event loop. A request that comes earlier compiles its
   * own.
   */
  compileRoutes(): Promise<void>
}

/** Creates the Koa application with every operation mounted. */
export function createApp(context: Context, options: AppOptions): App {
  const { settings } = context
  const pipeline: Pipeline = {
    context,
    limits: options.limits,
    scheduler: new RequestScheduler(),
    ownOrigins: getOwnOrigins(settings),
    bodyShares: new BodyShares(context.db, context.log),
    replayReaders: new ReplayReaders(options.operations),
    workerThreads: options.workerThreads,
    streamCounts: new StreamCounts(settings),
    streamAuthorizer: new StreamAuthorizer(context.identity, context.log),
  }
  // Only the last forwarded address is reliable: the one that the trusted proxy itself has seen.
  const app = new Koa({ proxy: settings.trustProxy, maxIpsCount: 1 })
  app.silent = true
  const answerOptions: AnswerOptions = {
    context,
    // The log of requests has only members that are named here, so that nothing has to be redacted.
    requestLog: context.log.child({}, { redact: [] }),
    checkHost: createHostCheck(context, options.isProvenHost),
    isAllowedOrigin: options.isAllowedOrigin,
    recordRequest: options.recordRequest,
    problemPages: options.problemPages,
  }
  app.use((ctx, next) => answerRequest(ctx, next, answerOptions))
  const router = new Router({ strict: true, sensitive: true })
  mountSystem(router, options.system, options.problemPages)
  const routes = options.operations.map((operation) => ({ operation, route: mountOperation(operation, pipeline) }))
  for (const { operation, route } of routes) {
    router.register(operation.declaration.path, [operation.declaration.method.toLowerCase()], async (ctx) => {
      ctx.state['operation'] = operation.declaration.id
      ctx.state['page'] = operation.declaration.transport.page
      ctx.state['isFile'] = operation.declaration.transport.isFile
      await route.handle(ctx, ctx.params)
    })
  }
  mountPreflights(router, options.operations)
  app.use(createDispatcher(router))
  app.use((ctx) => {
    // A preflight from an origin that is not allowed gets the same answer for every path, so that it does not reveal
    // routes.
    if (!isPreflight(ctx)) {
      notePageAudience(ctx)
      throw createNotFoundProblem()
    }
    ctx.status = 204
  })
  const compileRoutes = async () => {
    for (const { route } of routes) {
      await setImmediate()
      route.compile()
    }
  }
  return Object.assign(app, { compileRoutes })
}

/** Checks whether a request is a CORS preflight. Source: WHATWG Fetch, CORS-preflight request. */
const isPreflight = ({ method, req: { headers } }: KoaContext): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/** Notes that a request of a browser, which no route matched, is answered as a page. API clients get problem details. */
function notePageAudience(ctx: KoaContext): void {
  ctx.vary('Accept')
  if (ctx.accepts('application/problem+json', 'application/json', 'text/html') === 'text/html')
    ctx.state['page'] = /^\/console(\/|$)/.test(ctx.path) ? 'member' : true
}

/** What `answerRequest` needs for every request. */
interface AnswerOptions {
  context: Context
  requestLog: Logger
  checkHost: ReturnType<typeof createHostCheck>
  isAllowedOrigin: AppOptions['isAllowedOrigin']
  recordRequest: AppOptions['recordRequest']
  problemPages: ProblemPages
}

/**
 * Answers a request: assigns its id, checks its host and origin, runs the route, turns errors into problems, logs one
 * line and compresses the answer. All of this is one middleware, because each further one costs every request another
 * turn.
 */
async function answerRequest(ctx: KoaContext, next: () => Promise<unknown>, options: AnswerOptions): Promise<void> {
  const requestId = assignRequestId(ctx)
  const started = performance.now()
  try {
    assertRightHost(ctx)
    const checkingHost = options.checkHost(ctx)
    if (checkingHost) await checkingHost
    const { origin } = ctx.req.headers
    await (origin === undefined ? next() : handleCrossOrigin(ctx, next, origin, options.isAllowedOrigin))
  } catch (error) {
    writeError(ctx, error, requestId, options)
  }
  const draining = drainRequest(ctx)
  if (draining) await draining
  const { operation = '', page, isFile = false, code, caller } = ctx.state as RequestState
  const { method, status } = ctx
  const elapsed = performance.now() - started
  options.recordRequest?.({
    operation,
    method,
    status,
    seconds: elapsed / 1000,
    requestId,
    code,
    caller,
    isPublicPage: page === true,
  })
  // The log has the path of a request that no route matched; otherwise nobody would see which paths are requested in
  // vain.
  const path = operation === '' && status === 404 ? { path: redactPath(ctx.path) } : {}
  options.requestLog.info({ requestId, method, operation, status, ms: Math.round(elapsed), ...path }, 'request')
  const encoding = compressAnswer(ctx, isFile)
  if (encoding) await encoding
}

/** What the parts of the pipeline note about a request. */
interface RequestState {
  operation?: string
  page?: true | 'member'
  isFile?: true
  code?: string
  caller?: Caller
}

function assignRequestId(ctx: KoaContext): string {
  const given = ctx.req.headers['x-request-id']
  const id = typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : randomUUID()
  ctx.state['requestId'] = id
  ctx.set('X-Request-Id', id)
  ctx.set('X-Content-Type-Options', 'nosniff')
  return id
}

function writeError(
  ctx: KoaContext,
  error: unknown,
  requestId: string,
  { context: { settings, log }, problemPages }: AnswerOptions,
): void {
  const written = toProblemAnswer(error, { instance: ctx.path, requestId, baseUrl: settings.baseUrl, log })
  const { page } = ctx.state as RequestState
  ctx.state['code'] = written.body['code']
  if (page) writeProblemPage(ctx, problemPages, written, page)
  else writeProblem(ctx, written)
}

/** Throws if the Host is missing, repeated or different from the request's target, and closes the connection. */
function assertRightHost({ req, res }: KoaContext): void {
  const fault = findHostProblem(req)
  if (!fault) return
  res.shouldKeepAlive = false
  throw fault
}

/**
 * Adds CORS headers for pages of proven domains, which may call with a Bearer token; cookies are never allowed. Source:
 * WHATWG Fetch, CORS.
 */
async function handleCrossOrigin(
  ctx: KoaContext,
  next: () => Promise<unknown>,
  origin: string,
  isAllowedOrigin: (origin: string) => Promise<boolean>,
): Promise<void> {
  ctx.vary('Origin')
  const isAllowed = await isAllowedOrigin(origin)
  if (isAllowed) ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposedHeaders })
  if (!isAllowed || !isPreflight(ctx)) return void (await next())
  ctx.status = 204
  ctx.set({
    'Access-Control-Allow-Methods': 'GET, POST, PATCH, PUT, DELETE',
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, Idempotency-Key, Idempotency-Window, If-Match, If-None-Match, Last-Event-ID, X-Network, X-Request-Id',
    'Access-Control-Max-Age': preflightMaxAgeSeconds,
  })
}
