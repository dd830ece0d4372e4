import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import Router from '@koa/router'
import Koa, { type Context as KoaContext } from 'koa'
import type { Logger } from 'pino'
import { ownOrigins } from '../kernel/origin.ts'
import { notFound } from '../kernel/problem.ts'
import type { Operation } from '../kernel/operation.ts'
import type { Context } from '../kernel/work.ts'
import type { ApartThreads } from './apart/threads.ts'
import { compressAnswer } from './coding/compress.ts'
import { hostFault } from './heads/host.ts'
import { hostCheck, type ProvenHostLookup } from './heads/known-hosts.ts'
import { Readers } from './idempotency/read-again.ts'
import { BodyShares } from './idempotency/shares.ts'
import { dispatch } from './dispatch.ts'
import { dropRest } from './leftover.ts'
import type { Limits } from './limit.ts'
import { mount } from './mount.ts'
import { exposedHeaders, mountPreflights, preflightSeconds } from './heads/preflight.ts'
import { writeProblemPage } from './problem.page.ts'
import { problemOf, writeProblem } from './problems.ts'
import { shownPath } from './shown-path.ts'
import { RequestTurns } from './turns.ts'
import { StreamCounts } from './streams/counts.ts'
import { StreamWatch } from './streams/watch.ts'
import { mountSystem, type SystemRoutes } from './system.ts'

/** What every request passes through, built once. */
export interface Pipeline {
  context: Context
  limits: Limits
  turns: RequestTurns
  /** Origins whose pages are ours. */
  ownOrigins: ReadonlySet<string>
  bodies: BodyShares
  readers: Readers
  /** Handles what is declared `apart`; without it, it is handled like the rest. */
  apart: ApartThreads | undefined
  streamCounts: StreamCounts
  streamWatch: StreamWatch
}

/** What became of a request, for the figures. `operation` is empty for routes that are none. */
export interface Answered {
  operation: string
  method: string
  status: number
  seconds: number
}

export interface AppOptions {
  operations: readonly Operation[]
  limits: Limits
  system: SystemRoutes
  /** Origins whose pages may read with a Bearer token. */
  allowsOrigin: (origin: string) => Promise<boolean>
  /** Hosts that are answered for beside the configured ones. */
  isProvenHost: ProvenHostLookup
  answered?: (answered: Answered) => void
  apart?: ApartThreads
}

export interface App extends Koa {
  /** Compiles what routes need beforehand, a route a turn. A request that comes before compiles its own. */
  prepare(): Promise<void>
}

/** The Koa application with every operation mounted. */
export function createApp(context: Context, options: AppOptions): App {
  const { settings } = context
  const pipeline: Pipeline = {
    context,
    limits: options.limits,
    turns: new RequestTurns(),
    ownOrigins: ownOrigins(settings),
    bodies: new BodyShares(context.db, context.log),
    readers: new Readers(options.operations),
    apart: options.apart,
    streamCounts: new StreamCounts(settings),
    streamWatch: new StreamWatch(context.identity, context.log),
  }
  // Of the addresses that proxies name only the last is known to be true: the one that the trusted proxy saw itself.
  const app = new Koa({ proxy: settings.trustProxy, maxIpsCount: 1 })
  app.silent = true
  const answerOptions: AnswerOptions = {
    context,
    // A line for each request, of members that are named here: nothing in it has to be looked for and taken out.
    lines: context.log.child({}, { redact: [] }),
    checkHost: hostCheck(context, options.isProvenHost),
    allowsOrigin: options.allowsOrigin,
    answered: options.answered,
  }
  app.use((ctx, next) => answer(ctx, next, answerOptions))
  const router = new Router({ strict: true, sensitive: true })
  mountSystem(router, options.system)
  const routes = options.operations.map((operation) => ({ operation, route: mount(operation, pipeline) }))
  for (const { operation, route } of routes) {
    router.register(operation.declaration.path, [operation.declaration.method.toLowerCase()], async (ctx) => {
      ctx.state['operation'] = operation.declaration.id
      ctx.state['page'] = operation.declaration.page
      await route.handle(ctx, ctx.params)
    })
  }
  mountPreflights(router, options.operations)
  app.use(dispatch(router))
  app.use((ctx) => {
    // A browser of an origin that may do nothing here learns nothing, not even which routes there are.
    if (!isPreflight(ctx)) throw notFound()
    ctx.status = 204
  })
  const prepare = async () => {
    for (const { route } of routes) {
      await setImmediate()
      route.compile()
    }
  }
  return Object.assign(app, { prepare })
}

/** Whether a browser asks what a page may send. Source: WHATWG Fetch, CORS-preflight request. */
const isPreflight = ({ method, req: { headers } }: KoaContext): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/** What every request is judged, answered and written down with, whatever its route. */
interface AnswerOptions {
  context: Context
  lines: Logger
  checkHost: ReturnType<typeof hostCheck>
  allowsOrigin: AppOptions['allowsOrigin']
  answered: AppOptions['answered']
}

/**
 * Answers a request: names it, judges where it goes and whence it comes, has it handled, tells errors, writes its line,
 * codes the answer. One middleware, because each further one costs every request a turn of its own.
 */
async function answer(ctx: KoaContext, next: () => Promise<unknown>, options: AnswerOptions): Promise<void> {
  const requestId = nameRequest(ctx)
  const started = performance.now()
  try {
    refuseWrongHost(ctx)
    const checked = options.checkHost(ctx)
    if (checked) await checked
    const { origin } = ctx.req.headers
    await (origin === undefined ? next() : crossOrigin(ctx, next, origin, options.allowsOrigin))
  } catch (error) {
    writeError(ctx, error, requestId, options.context)
  }
  const rest = dropRest(ctx)
  if (rest) await rest
  const { operation = '' } = ctx.state as { operation?: string }
  const { method, status } = ctx
  const elapsed = performance.now() - started
  options.answered?.({ operation, method, status, seconds: elapsed / 1000 })
  // What no route has is told by its path, or nobody would see what is asked in vain.
  const path = operation === '' && status === 404 ? { path: shownPath(ctx.path) } : {}
  options.lines.info({ requestId, method, operation, status, ms: Math.round(elapsed), ...path }, 'request')
  const coded = compressAnswer(ctx)
  if (coded) await coded
}

function nameRequest(ctx: KoaContext): string {
  const given = ctx.req.headers['x-request-id']
  const id = typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : randomUUID()
  ctx.state['requestId'] = id
  ctx.set('X-Request-Id', id)
  ctx.set('X-Content-Type-Options', 'nosniff')
  return id
}

function writeError(ctx: KoaContext, error: unknown, requestId: string, { settings, log }: Context): void {
  const written = problemOf(error, { instance: ctx.path, requestId, baseUrl: settings.baseUrl, log })
  const { page } = ctx.state as { page?: true | 'member' }
  if (page) writeProblemPage(ctx, written, page)
  else writeProblem(ctx, written)
}

/** Refuses a request whose Host is missing, doubled or another one than its target's, and closes its connection. */
function refuseWrongHost({ req, res }: KoaContext): void {
  const fault = hostFault(req)
  if (!fault) return
  res.shouldKeepAlive = false
  throw fault
}

/** Pages of proven domains may call with a Bearer token; cookies are never shared. Source: WHATWG Fetch, CORS. */
async function crossOrigin(
  ctx: KoaContext,
  next: () => Promise<unknown>,
  origin: string,
  allows: (origin: string) => Promise<boolean>,
): Promise<void> {
  ctx.vary('Origin')
  const allowed = await allows(origin)
  if (allowed) ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposedHeaders })
  if (!allowed || !isPreflight(ctx)) return void (await next())
  ctx.status = 204
  ctx.set({
    'Access-Control-Allow-Methods': 'GET, POST, PATCH, PUT, DELETE',
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, Idempotency-Key, Idempotency-Window, If-Match, If-None-Match, Last-Event-ID, X-Network, X-Request-Id',
    'Access-Control-Max-Age': preflightSeconds,
  })
}
