import type { Context as KoaContext } from 'koa'
import { getCallerOrganization, type Caller } from '../../kernel/caller.ts'
import type { TSchema } from '../../kernel/schema.ts'
import type { AuthenticationResult } from '../../kernel/ports/identity.ts'
import type { OperationDeclaration, Operation, RequestDetails } from '../../kernel/operation.ts'
import { defaultPageRequest } from '../../kernel/page.ts'
import { createProblem } from '../../kernel/problem.ts'
import { uuid } from '../../kernel/schema.ts'
import { withThreadHandler, assertThreadRoom } from '../apart/thread-operations.ts'
import { createBodyReader, parseBody, type BodyKind, type BodyReader } from '../body/body.ts'
import { removeRepresentationMarks } from '../coding/content-coding.ts'
import { revalidateAnswer, writeAnswer } from '../coding/write-answer.ts'
import { assertAcceptsEvents, streamEvents } from '../events/event-streams.ts'
import { IssueCollector } from '../problems/issue-collector.ts'
import { createFieldsParser, fieldsParameterName, getSelectableSchema, type FieldsParser } from '../query/fields.ts'
import { parseQuery, toPlainParameters, type QueryParameter } from '../query/parameters.ts'
import { authorizeOrigin, authorizeCaller } from './authorize.ts'
import { exposedHeaders } from '../heads/preflight.ts'
import { etagMatches, createEtag, getSuccessStatus } from './present-value.ts'
import { parsePageRequest, splitQuery } from '../query/page-request.ts'
import { runHandler, type ValidatedRequest, type HandlerValue } from './run-handler.ts'
import { createUploadReader, type UploadReader } from '../body/upload.ts'
import {
  createBodyValidator,
  createParameterValidator,
  type BodyValidator,
  type ParameterValidator,
} from './validate.ts'
import type { Pipeline } from './app.ts'

/** Maximum size of a JSON body in bytes, unless its operation declares another. */
const defaultMaxBodyBytes = 1024 * 1024
const emptyBytes = Buffer.alloc(0)
/** How the bodies of a route are read and validated. */
interface MountedBody {
  kind: BodyKind
  read: BodyReader
  validate: BodyValidator
  defaultValue: unknown
}

/** An operation with all its validators and readers compiled. */
interface MountedOperation {
  operation: Operation
  validateParams: ParameterValidator
  validateQuery: ParameterValidator
  /** Null if the members of the answer cannot be selected. */
  parseFields: FieldsParser | null
  body: MountedBody | null
  upload: UploadReader
  isEventStream: boolean
  /** Whether a thread validates the body. */
  runsInThread: boolean
}

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
  let compiled: MountedOperation | undefined
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
 * refused. @throws RATE_LIMITED above the limit, in place of what else is wrong
 */
async function admitRequest(
  ctx: KoaContext,
  mounted: MountedOperation,
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
  try {
    admitCaller(ctx, mounted, authenticated, pipeline)
    assertStartAllowed(ctx, declaration, caller, pipeline)
    if (mounted.runsInThread) assertThreadRoom(pipeline.workerThreads, caller, { address: getAddress() })
    return await readRequest(ctx, mounted, params, authenticated, pipeline)
  } catch (error) {
    if (findSender) await count()
    throw error
  }
}

function compileOperation(operation: Operation, runsInThread: boolean): MountedOperation {
  const { declaration } = operation
  const names = [...declaration.path.matchAll(/[:*](\w+)/g)].map((match) => match[1] as string)
  const params = Object.fromEntries(
    names.map((name) => [name, declaration.params?.[name] ?? uuid(`The ${name} of the path.`)]),
  )
  const selectableSchema = getSelectableSchema(declaration)
  const success = declaration.returns[getSuccessStatus(declaration)]
  return {
    operation,
    validateParams: createParameterValidator(params),
    validateQuery: createParameterValidator(
      (declaration.query ?? {}) as Record<string, TSchema>,
      allowsUnknownParameters(declaration),
    ),
    parseFields: selectableSchema && createFieldsParser(selectableSchema),
    body: declaration.body ? compileBody(declaration, declaration.body) : null,
    upload: createUploadReader(declaration),
    runsInThread,
    isEventStream:
      success !== null && typeof success === 'object' && 'type' in success && success.type === 'text/event-stream',
  }
}

/**
 * Checks whether unknown query parameters are ignored. Links to pages are shared, and others add parameters such as
 * `utm_source`, which is no fault of the person who follows the link.
 */
const allowsUnknownParameters = ({ transport: { page, allowsUnknownQuery } }: OperationDeclaration): boolean =>
  page !== undefined || allowsUnknownQuery === true

function compileBody(
  {
    method,
    transport: { page, maxBodyBytes: maxBytes = defaultMaxBodyBytes, tooLargeCode = 'PAYLOAD_TOO_LARGE' },
  }: OperationDeclaration,
  schema: TSchema,
): MountedBody {
  const kind = page ? 'form' : method === 'PATCH' ? 'patch' : 'json'
  return {
    kind,
    read: createBodyReader({ maxBytes, tooLargeCode, kind }),
    validate: createBodyValidator(schema),
    defaultValue: (schema as { default?: unknown }).default,
  }
}

/** Authorizes a caller. Answers 401 first, then 403. */
function admitCaller(
  ctx: KoaContext,
  { operation: { declaration }, isEventStream }: MountedOperation,
  authenticated: AuthenticationResult,
  pipeline: Pipeline,
): void {
  if (isEventStream && !ctx.res.closed)
    ctx.res.once(
      'close',
      pipeline.streamCounts.addStream(authenticated.caller, () => getClientAddress(ctx)),
    )
  if (authenticated.problem) throw authenticated.problem
  authorizeCaller(authenticated.caller, declaration.access.rule)
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
  mounted: MountedOperation,
  params: Record<string, string>,
  authenticated: AuthenticationResult,
  pipeline: Pipeline,
): Promise<ValidatedRequest> {
  const { operation, validateParams, validateQuery } = mounted
  const { list, transport } = operation.declaration
  if (mounted.isEventStream) assertAcceptsEvents(ctx)
  const upload = mounted.upload(ctx)
  const bytes = (await mounted.body?.read(ctx)) ?? emptyBytes
  const issues = new IssueCollector(transport.invalidBodyStatus === 400)
  const paramValues: Record<string, unknown> = { ...params }
  validateParams(paramValues, issues)
  const { ofFields, others } = splitFields(parseQuery(ctx.querystring), mounted)
  const { ofList, own } = list ? splitQuery(others) : { ofList: [], own: others }
  const page = list ? parsePageRequest(ofList, list, issues) : defaultPageRequest
  const selection = mounted.parseFields?.(ofFields, issues) ?? null
  const query = toPlainParameters(own)
  validateQuery(query, issues)
  const sender = await findSender(ctx, operation, { params: paramValues, bytes, issues, pipeline })
  const body = mounted.runsInThread ? bytes : mounted.body ? parseValidBody(mounted.body, bytes, issues) : undefined
  issues.assertNone()
  const { caller, credential } = authenticated
  return {
    operation,
    caller,
    params: paramValues as Record<string, string>,
    query,
    page,
    selection,
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

/** Separates `fields` from the other parameters of an operation that has it. */
function splitFields(
  parameters: QueryParameter[],
  { parseFields }: MountedOperation,
): { ofFields: QueryParameter[]; others: QueryParameter[] } {
  const isFields = ({ name }: QueryParameter) => name === fieldsParameterName
  if (!parseFields || !parameters.some(isFields)) return { ofFields: [], others: parameters }
  return {
    ofFields: parameters.filter(isFields),
    others: parameters.filter((parameter) => !isFields(parameter)),
  }
}

function parseValidBody({ kind, validate, defaultValue }: MountedBody, bytes: Buffer, issues: IssueCollector): unknown {
  if (bytes.length === 0 && defaultValue !== undefined) return structuredClone(defaultValue)
  const body = parseBody(bytes, kind, issues)
  if (body !== undefined) validate(body, bytes.length, issues)
  return body
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
  { operation: { declaration } }: MountedOperation,
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
