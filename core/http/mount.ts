import type { Context as KoaContext } from 'koa'
import { organizationOf, type Caller } from '../kernel/caller.ts'
import type { TSchema } from '../kernel/schema.ts'
import type { Authenticated } from '../kernel/parts.ts'
import type { Declaration, Operation, RequestFacts } from '../kernel/operation.ts'
import { emptyPage } from '../kernel/page.ts'
import { problem } from '../kernel/problem.ts'
import { uuid } from '../kernel/schema.ts'
import { handledApart, refuseUnread } from './apart/apart.ts'
import { bodyReader, parseBody, type BodyKind, type BodyReader } from './body.ts'
import { plainTags } from './coding/coding.ts'
import { revalidate, writeAnswer } from './coding/write.ts'
import { checkAccept, streamEvents } from './events.ts'
import { Faults } from './faults.ts'
import { parseQuery, plainOf } from './parameters.ts'
import { checkOrigin, permit } from './permit.ts'
import { exposedHeaders } from './heads/preflight.ts'
import { etagMatches, etagOf, successOf } from './present.ts'
import { readPage, splitQuery } from './query.ts'
import { runHandler, type Run, type Value } from './run.ts'
import { uploadReader, type UploadReader } from './upload.ts'
import { bodyJudge, parameterJudge, type BodyJudge, type ParameterJudge } from './validate.ts'
import type { Pipeline } from './app.ts'

/** Bytes a JSON body may have unless its operation says otherwise. */
const defaultLimit = 1024 * 1024
const noBytes = Buffer.alloc(0)
/** How a route's bodies are read and judged. */
interface MountedBody {
  kind: BodyKind
  read: BodyReader
  judge: BodyJudge
  standard: unknown
}

/** An operation with everything compiled that can be compiled at start. */
interface Mounted {
  operation: Operation
  judgeParams: ParameterJudge
  judgeQuery: ParameterJudge
  body: MountedBody | null
  upload: UploadReader
  streams: boolean
  /** Whether another thread judges the body. */
  isApart: boolean
}

/** One route. */
export interface Route {
  handle(ctx: KoaContext, params: Record<string, string>): Promise<void>
  /** Compiles its validators, unless a request did already. Fails for a schema that does not compile. */
  compile(): void
}

/** The route of an operation: authenticate, limit, permit, validate, run, present. */
export function mount(declared: Operation, pipeline: Pipeline): Route {
  const operation = handledApart(declared, pipeline.apart)
  let compiled: Mounted | undefined
  const mounted = () => (compiled ??= compile(operation, operation !== declared))
  return {
    compile: mounted,
    async handle(ctx, params) {
      // Refusals too are for every page to read.
      if (operation.declaration.cors) {
        ctx.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposedHeaders })
      }
      const authenticated = await admit(ctx, mounted(), pipeline)
      refuseAgain(ctx, operation.declaration, authenticated.caller, pipeline)
      if (mounted().isApart) refuseUnread(pipeline.apart, authenticated.caller, { address: addressOf(ctx) })
      const run = await read(ctx, mounted(), params, authenticated, pipeline)
      const value = await runHandler(run, pipeline)
      await write(ctx, mounted(), value, { caller: authenticated.caller, pipeline })
    },
  }
}

function compile(operation: Operation, isApart: boolean): Mounted {
  const { declaration } = operation
  const names = [...declaration.path.matchAll(/[:*](\w+)/g)].map((match) => match[1] as string)
  const params = Object.fromEntries(
    names.map((name) => [name, declaration.params?.[name] ?? uuid(`The ${name} of the path.`)]),
  )
  const success = declaration.returns[successOf(declaration)]
  return {
    operation,
    judgeParams: parameterJudge(params),
    judgeQuery: parameterJudge((declaration.query ?? {}) as Record<string, TSchema>, takesMore(declaration)),
    body: declaration.body ? compileBody(declaration, declaration.body) : null,
    upload: uploadReader(declaration),
    isApart,
    streams:
      success !== null && typeof success === 'object' && 'type' in success && success.type === 'text/event-stream',
  }
}

/** Addresses of pages get about, and what others hang on them, as `utm_source`, is no fault of who follows one. */
const takesMore = ({ page, openQuery }: Declaration): boolean => page !== undefined || openQuery === true

function compileBody(
  { page, method, bodyLimit: limit = defaultLimit, tooLarge = 'PAYLOAD_TOO_LARGE' }: Declaration,
  schema: TSchema,
): MountedBody {
  const kind = page ? 'form' : method === 'PATCH' ? 'patch' : 'json'
  return {
    kind,
    read: bodyReader({ limit, tooLarge, kind }),
    judge: bodyJudge(schema),
    standard: (schema as { default?: unknown }).default,
  }
}

/** 429, then 401, then 403. */
async function admit(ctx: KoaContext, { operation, streams }: Mounted, pipeline: Pipeline): Promise<Authenticated> {
  const { declaration } = operation
  const authenticated = await pipeline.context.identity.authenticate(ctx.req.headers, preferredKind(declaration))
  ctx.state['caller'] = authenticated.caller
  ctx.set(await pipeline.limits.count(authenticated.caller, () => addressOf(ctx)))
  if (streams && !ctx.res.closed) ctx.res.once('close', pipeline.streamCounts.take(authenticated.caller, () => addressOf(ctx)))
  if (authenticated.problem) throw authenticated.problem
  permit(authenticated.caller, declaration.access)
  checkOrigin(authenticated, declaration, ctx.req.headers, pipeline.ownOrigins)
  return authenticated
}

/** Who goes on sending what was refused a moment ago is not even read; an answer that is kept is given all the same. */
function refuseAgain({ req }: KoaContext, { starts }: Declaration, caller: Caller, { context }: Pipeline): void {
  const organization = organizationOf(caller)
  if (!starts || organization === null || req.headers['idempotency-key'] !== undefined) return
  context.queue.refuseAgain(organization, starts)
}

/** Whose cookie speaks on a route, when a browser has two. */
const preferredKind = ({ access, page }: Declaration): 'endUser' | 'member' =>
  access === 'endUser' || page === true ? 'endUser' : 'member'

/** 406, 415, 413, then everything that is 400 or 422 at once. */
async function read(
  ctx: KoaContext,
  mounted: Mounted,
  params: Record<string, string>,
  authenticated: Authenticated,
  pipeline: Pipeline,
): Promise<Run> {
  const { operation, judgeParams, judgeQuery } = mounted
  const { list, invalidBody } = operation.declaration
  if (mounted.streams) checkAccept(ctx)
  const upload = mounted.upload(ctx)
  const bytes = (await mounted.body?.read(ctx)) ?? noBytes
  const faults = new Faults(invalidBody === 400)
  const given: Record<string, unknown> = { ...params }
  judgeParams(given, faults)
  const { ofList, own } = list
    ? splitQuery(parseQuery(ctx.querystring))
    : { ofList: [], own: parseQuery(ctx.querystring) }
  const page = list ? readPage(ofList, list, faults) : emptyPage
  const query = plainOf(own)
  judgeQuery(query, faults)
  const value = mounted.isApart ? bytes : mounted.body ? judgedBody(mounted.body, bytes, faults) : undefined
  faults.refuse()
  const { caller, credential } = authenticated
  return {
    operation,
    caller,
    params: given as Record<string, string>,
    query,
    page,
    body: { value, bytes },
    requestId: ctx.state['requestId'] as string,
    path: ctx.path,
    target: `${ctx.method} ${ctx.path}?${ctx.querystring}`,
    request: factsOf(ctx, credential),
    upload,
    precondition: preconditionOf(ctx),
    db: pipeline.context.db,
  }
}

function judgedBody({ kind, judge, standard }: MountedBody, bytes: Buffer, faults: Faults): unknown {
  if (bytes.length === 0 && standard !== undefined) return structuredClone(standard)
  const value = parseBody(bytes, kind, faults)
  if (value !== undefined) judge(value, bytes.length, faults)
  return value
}

/** What the handler may ask about its request. The signal is made when someone wants it. */
function factsOf(ctx: KoaContext, credential: string | null): RequestFacts {
  let signal: AbortSignal | undefined
  return {
    id: ctx.state['requestId'] as string,
    get address() {
      return addressOf(ctx)
    },
    headers: ctx.req.headers,
    get target() {
      return `${ctx.path}${ctx.search}`
    },
    credential,
    get signal() {
      return (signal ??= endOf(ctx))
    },
  }
}

/** Aborts when the client is gone before its answer. */
function endOf({ res }: KoaContext): AbortSignal {
  if (res.closed) return AbortSignal.abort()
  const controller = new AbortController()
  res.once('close', () => controller.abort())
  return controller.signal
}

/** The peer, or the client that a trusted proxy names. */
const addressOf = (ctx: KoaContext): string => ctx.ip.replace(/^::ffff:/, '')

/** Throws 412 when the caller's If-Match names another representation than the present one. */
function preconditionOf(ctx: KoaContext): (representation: unknown) => void {
  const header = ctx.req.headers['if-match']
  return (representation) => {
    if (header === undefined || etagMatches(plainTags(header), etagOf(JSON.stringify(representation)), false)) return
    throw problem('PRECONDITION_FAILED', 'The entity has changed since you read it. Read it again.')
  }
}

async function write(
  ctx: KoaContext,
  { operation: { declaration } }: Mounted,
  value: Value,
  { caller, pipeline: { context: { log }, streamWatch } }: { caller: Caller; pipeline: Pipeline },
): Promise<void> {
  if ('events' in value) {
    const stream = await streamEvents(ctx, value.events, (err) =>
      log.warn({ err, requestId: ctx.state['requestId'] as string }, 'an event stream was broken off'),
    )
    return stream ? streamWatch.follow(stream, caller, ctx.req.headers, preferredKind(declaration)) : undefined
  }
  writeAnswer(ctx, value)
  if (declaration.etag && declaration.method === 'GET') revalidate(ctx, value, caller.kind === 'anonymous')
}
