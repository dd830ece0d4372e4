import type { Context as KoaContext } from 'koa'
import type { TSchema } from '../kernel/schema.ts'
import type { Authenticated } from '../kernel/parts.ts'
import type { Operation, RequestFacts } from '../kernel/operation.ts'
import type { Page } from '../kernel/page.ts'
import { problem } from '../kernel/problem.ts'
import { uuid } from '../kernel/schema.ts'
import { isAnswer } from '../kernel/answer.ts'
import { readBody, type Body } from './body.ts'
import { checkAccept, streamEvents } from './events.ts'
import { checkOrigin, permit } from './permit.ts'
import { etagMatches, etagOf, successOf, type Written } from './present.ts'
import { parseQuery, readPage } from './query.ts'
import { runHandler, type Run } from './run.ts'
import { bodyJudge, parameterJudge, type Judge } from './validate.ts'
import type { Pipeline } from './app.ts'

/** Bytes a JSON body may have unless its operation says otherwise. */
const defaultLimit = 1024 * 1024
const emptyPage: Page = { currentPage: 1, pageSize: 10, explicit: false, cursor: null, filters: { operator: 'and', value: [] }, sorters: [] }

/** An operation with everything compiled that can be compiled at start. */
interface Mounted { operation: Operation; judgeParams: Judge; judgeQuery: Judge; judgeBody: Judge | null; bodyOptional: boolean; streams: boolean }

/** The handler of one route: authenticate, limit, permit, validate, run, present. Fails at start for a bad schema. */
export function mount(operation: Operation, pipeline: Pipeline): (ctx: KoaContext, params: Record<string, string>) => Promise<void> {
  const mounted = compile(operation)
  return async (ctx, params) => {
    const authenticated = await admit(ctx, mounted, pipeline)
    const run = await read(ctx, mounted, params, authenticated, pipeline)
    const value = await runHandler(run, pipeline)
    await write(ctx, mounted, value, authenticated)
  }
}

function compile(operation: Operation): Mounted {
  const { declaration } = operation
  const names = [...declaration.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string)
  const params = Object.fromEntries(names.map((name) => [name, declaration.params?.[name] ?? uuid(`The ${name} of the path.`)]))
  const success = declaration.returns[successOf(declaration)]
  return {
    operation,
    judgeParams: parameterJudge(params),
    judgeQuery: parameterJudge((declaration.query ?? {}) as Record<string, TSchema>),
    judgeBody: declaration.body ? bodyJudge(declaration.body) : null,
    bodyOptional: declaration.body !== undefined && 'default' in declaration.body,
    streams: success !== null && typeof success === 'object' && 'type' in success && success.type === 'text/event-stream',
  }
}

/** 429, then 401, then 403. */
async function admit(ctx: KoaContext, { operation }: Mounted, pipeline: Pipeline): Promise<Authenticated> {
  const { declaration } = operation
  const authenticated = await pipeline.context.identity.authenticate(
    ctx.req.headers, declaration.access === 'endUser' || declaration.page ? 'endUser' : 'member')
  ctx.state['caller'] = authenticated.caller
  ctx.set(await pipeline.limits.count(authenticated.caller, addressOf(ctx)))
  if (authenticated.problem) throw authenticated.problem
  permit(authenticated.caller, declaration.access)
  checkOrigin(authenticated, declaration, ctx.req.headers.origin, pipeline.ownOrigins)
  return authenticated
}

/** 406, 413, 415, then 400 and 422. */
async function read(
  ctx: KoaContext, mounted: Mounted, params: Record<string, string>, authenticated: Authenticated, pipeline: Pipeline,
): Promise<Run> {
  const { declaration } = mounted.operation
  if (mounted.streams) checkAccept(ctx)
  const body = await bodyOf(ctx, mounted)
  const given: Record<string, unknown> = { ...params }
  mounted.judgeParams(given)
  const query = parseQuery(ctx.querystring)
  const page = declaration.list ? readPage(query, declaration.list) : emptyPage
  mounted.judgeQuery(query)
  mounted.judgeBody?.(body.value)
  const { caller, credential } = authenticated
  return {
    operation: mounted.operation, caller, params: given as Record<string, string>, query, page, body, requestId: ctx.state['requestId'] as string,
    target: `${ctx.method} ${ctx.url}`, request: factsOf(ctx, credential), idempotencyKey: ctx.req.headers['idempotency-key'],
    precondition: preconditionOf(ctx), db: pipeline.context.db,
  }
}

async function bodyOf(ctx: KoaContext, { operation: { declaration }, bodyOptional }: Mounted): Promise<Body> {
  if (!declaration.body) return { value: undefined, bytes: Buffer.alloc(0) }
  return readBody(ctx, {
    limit: declaration.bodyLimit ?? defaultLimit, tooLarge: declaration.tooLarge ?? 'PAYLOAD_TOO_LARGE',
    kind: declaration.page ? 'form' : declaration.method === 'PATCH' ? 'patch' : 'json', optional: bodyOptional,
  })
}

function factsOf(ctx: KoaContext, credential: string | null): RequestFacts {
  const controller = new AbortController()
  ctx.res.once('close', () => controller.abort())
  return { id: ctx.state['requestId'] as string, address: addressOf(ctx), headers: ctx.req.headers, credential, signal: controller.signal }
}

/** The peer, or the client that a trusted proxy names. */
const addressOf = (ctx: KoaContext): string => ctx.ip.replace(/^::ffff:/, '')

/** Throws 412 when the caller's If-Match names another representation than the present one. */
function preconditionOf(ctx: KoaContext): (representation: unknown) => void {
  const header = ctx.req.headers['if-match']
  return (representation) => {
    if (header === undefined || etagMatches(header, etagOf(JSON.stringify(representation)), false)) return
    throw problem('PRECONDITION_FAILED', 'The entity has changed since you read it. Read it again.')
  }
}

async function write(ctx: KoaContext, { operation }: Mounted, value: Written | { events: unknown }, { caller }: Authenticated): Promise<void> {
  if ('events' in value) {
    if (!isAnswer(value) || value.kind !== 'events') throw new Error('Not an event stream')
    return streamEvents(ctx, value.events)
  }
  writeAnswer(ctx, value)
  if (operation.declaration.etag) revalidate(ctx, value, caller.kind === 'anonymous')
  if (operation.declaration.cors) ctx.set('Access-Control-Allow-Origin', '*')
}

/** Puts status, headers and bytes on the wire. */
export function writeAnswer(ctx: KoaContext, { status, headers, body }: Written): void {
  ctx.status = status
  for (const [name, text] of Object.entries(headers)) ctx.set(name, text)
  if (body === null) {
    ctx.body = null
    ctx.status = status
    return
  }
  const { 'Content-Type': type } = headers
  ctx.body = body
  if (type !== undefined) ctx.set('Content-Type', type)
}

/** 304 for a reader that has this representation already. */
function revalidate(ctx: KoaContext, { headers }: Written, anonymous: boolean): void {
  ctx.vary('Authorization, Cookie, X-Api-Key')
  ctx.set('Cache-Control', anonymous ? 'public, no-cache' : 'private, no-cache')
  const known = ctx.req.headers['if-none-match']
  if (ctx.method === 'GET' && headers['ETag'] !== undefined && known !== undefined && etagMatches(known, headers['ETag'], true)) {
    ctx.status = 304
    ctx.body = null
  }
}

