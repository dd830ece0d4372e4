import type { Knex } from 'knex'
import type { Answer } from './answer.ts'
import type { Caller, EndUserCaller, KeyCaller, MemberCaller, OrganizationCaller, SessionCaller } from './caller.ts'
import type { ProblemCode } from './problem-codes.ts'
import type { JobType } from './job.ts'
import type { ListDeclaration, PageRequest } from './page.ts'
import type { Permission } from './permission.ts'
import type { Static, TObject, TProperties, TSchema } from './schema.ts'
import type { ReceivedUpload, Upload } from './upload.ts'
import type { Context, Work } from './work.ts'

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * Which callers may call an operation:
 * - a permission: a key or member that has it in the organization
 * - a list of permissions: a key or member that has one of them; the handler decides which one the request needs
 * - `public`: everyone; a valid credential still identifies the caller
 * - `endUser`: a buyer's session only
 * - `member`: a member's session only
 * - `session`: a session of a buyer or of a member
 * - `keyOrMember`: a key or a member's session, also one without an active organization; the handler's own rule decides
 * - `signedIn`: every caller with a valid credential; the handler's own rule decides
 */
export type AccessRule =
  Permission | readonly Permission[] | 'public' | 'endUser' | 'member' | 'session' | 'keyOrMember' | 'signedIn'

type CallerFor<A extends AccessRule> = A extends 'public'
  ? Caller
  : A extends 'endUser'
    ? EndUserCaller
    : A extends 'member'
      ? MemberCaller
      : A extends 'session'
        ? SessionCaller
        : A extends 'keyOrMember'
          ? KeyCaller | MemberCaller
          : A extends 'signedIn'
            ? KeyCaller | MemberCaller | EndUserCaller
            : OrganizationCaller

/** Hints that the bridge gives to an assistant about an operation. Source: MCP tool annotations. */
export interface McpHints {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/**
 * A body that no JSON schema describes by itself: bytes, text, or, with `isJson`, a JSON object in its own vocabulary.
 * `schema` describes the JSON where one status has several media types.
 */
export interface MediaContent {
  type: string
  description: string
  isBinary?: boolean
  isJson?: true
  schema?: TSchema
}

/** Who may call an operation and from which pages, where the rule alone does not say it. */
export interface AccessDeclaration<A extends AccessRule = AccessRule> {
  rule: A
  /** Pages of every origin may call the operation (CORS), without credentials. */
  isOpenToAllOrigins?: true
  /**
   * The handler, not the pipeline, checks the origin of the request. For sign-in routes, which pages of an application
   * also use.
   */
  allowsAnyOrigin?: true
  /**
   * The operation begins, changes or ends the caller's session. Its answer is never stored under an idempotency key,
   * and no page of another site may call it, with or without a cookie.
   */
  changesSession?: true
  /**
   * Another system calls the operation and signs its body, see `withSignedHandler`. A request that is admitted is not
   * counted for the rate limit, because all that a busy system reports comes from one address; one that is refused is.
   */
  isSigned?: true
  /** What is foreign or does not exist is 403 with a code of the operation, and never 404. */
  forbidsForeign?: true
}

/** Things that requests name by their ids and that belong to an application. */
export interface ScopedEntity {
  /** Checks whether an id names a thing of an application of an organization. */
  isWithin(db: Knex, place: { organization: string; application: string }, id: string): Promise<boolean>
}

/**
 * What of a request names things of an application: how an operation stays within the application of a key that was made
 * for one. All that is named has to belong to that application, and what does not is not found. An operation without a
 * scope refuses such a key; one that everybody may call answers it like a caller without permissions.
 */
export interface ApplicationScope {
  /** Parameters of the path. */
  params?: Readonly<Record<string, ScopedEntity>>
  /**
   * Members of the body, an id each; a dot leads into a member. If none of them is there, `application` is that of the key.
   */
  body?: Readonly<Record<string, ScopedEntity>>
  /** The filter of a list by which the application is chosen. It is added to those of the request. */
  list?: string
  /** The parameter of the query by which the application is chosen. Left out, it is that of the key. */
  query?: string
  /** Code of the answer for what is not found; NOT_FOUND by default. */
  missingCode?: ProblemCode
}

/** How requests and answers of an operation differ on the wire from those of other operations. */
export interface TransportDeclaration {
  /**
   * A page for people: bodies are forms, problems are answered as HTML, and the document leaves it out. If a browser
   * has two sessions, the buyer's session counts; with `'member'` the member's session counts.
   */
  page?: true | 'member'
  /** Fixed headers of the answer, including those by which caches keep answers apart. */
  headers?: Record<string, string>
  hasEtag?: true
  /** The answer is a file that stays the same as long as the process runs, and is compressed once. */
  isFile?: true
  /** `fields` selects members of the answer, which is one entity. Every list has this parameter without declaring it. */
  selectsFields?: true
  /** Returns the path of the created resource or the started job. */
  location?: (value: never) => string
  /** Maximum size of the body, 1 MiB by default. For an upload: maximum size of the decompressed file. */
  maxBodyBytes?: number
  /** Code of the answer to a body larger than `maxBodyBytes`; PAYLOAD_TOO_LARGE by default. */
  tooLargeCode?: ProblemCode
  /** Status of the answer to an invalid body, whatever the cause; 422 by default. */
  invalidBodyStatus?: 400
  /** Query parameters that are not declared are ignored, as those of a page are. */
  allowsUnknownQuery?: true
}

/** How the handler of an operation runs. */
export interface ExecutionDeclaration {
  /**
   * The change is a single SQL statement: no transaction is opened, unless the answer is stored under an idempotency
   * key.
   */
  isSingleStatement?: true
  /**
   * The handler makes the changes of several requests in one transaction: none is opened for it, unless the answer is
   * stored under an idempotency key.
   */
  sharesTransaction?: true
  /**
   * The body is parsed, validated and handled in a separate thread with limits of time and memory, because it may come
   * from anybody and cost far more than its size suggests. The handler gets only `body` and `context`, and opens no
   * transaction.
   */
  runsInThread?: true
  /** Type of the job that the operation starts. The number of waiting jobs per organization is limited. */
  startsJobType?: JobType
  /**
   * The operation accepts `dryRun=true`: then it stores nothing, and its answer is not stored under an idempotency key.
   */
  hasDryRun?: true
}

/** What the OpenAPI document tells people and assistants about an operation. */
export interface DocumentDeclaration {
  tag: string
  summary: string
  description?: string
  /** The route works but is not in the OpenAPI document. */
  isHidden?: true
  /** Name under which assistants see the operation: a GET as a resource, other methods as a tool. */
  mcpName?: string
  /** `tool` makes a GET a tool instead of a resource. */
  mcpType?: 'tool' | 'resource'
  /** Hints that differ from those of the method. A stored answer of a read-only operation is read again if it is gone. */
  mcpHints?: Partial<McpHints>
  /** The operation is irreversible: assistants ask the user first. */
  needsConfirmation?: true
  /**
   * Assistants show the dry run of the operation to the user before they ask: `always`, or only when it is about `many`.
   * For what cannot be undone and touches many, money or keys. Needs `execution.hasDryRun`.
   */
  preview?: 'always' | 'many'
  /**
   * What the job came to that the operation starts: the GET that answers it, whose path parameter `id` is the job, and a
   * name for the answer. Assistants get it with the result of the call if the job ends soon.
   */
  jobResult?: { name: string; operation: string }
}

/**
 * The options of `declareOperation`. Most operations need only the plain members and `document`; rarer options are in
 * groups.
 */
export interface OperationOptions<A extends AccessRule, P extends string, B extends TSchema, Q extends TProperties> {
  /** Unique name in snake case; ends in `_v1`. */
  id: string
  method: HttpMethod
  /**
   * Path with `:name` parameters, each a UUID unless `params` has another schema. `*name` matches the rest of the path.
   */
  path: P
  /** The rule of access, or the rule with what else decides about callers. */
  access: A | AccessDeclaration<A>
  scope?: ApplicationScope
  params?: Record<string, TSchema>
  query?: Q
  list?: ListDeclaration
  body?: B
  /** For an upload, instead of `body`: the accepted content types, each with the schema of its content. */
  upload?: Readonly<Record<string, TSchema>>
  /**
   * The success status with its schema or media types, or null for no body. Further entries are other statuses that a
   * JSON answer may have.
   */
  returns: { readonly [status: number]: TSchema | MediaContent | readonly MediaContent[] | null }
  /** Problem codes in addition to those that the pipeline adds to every operation of this shape. */
  problemCodes?: readonly ProblemCode[]
  transport?: TransportDeclaration
  execution?: ExecutionDeclaration
  document: DocumentDeclaration
}

/** A declared operation as the pipeline and the document read it: with every group. */
export interface OperationDeclaration extends OperationOptions<AccessRule, string, TSchema, TProperties> {
  access: AccessDeclaration
  transport: TransportDeclaration
  execution: ExecutionDeclaration
}

type PathParams<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & PathParams<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Record<Name, string>
    : unknown

/** The properties of a request besides its declared parts. */
export interface RequestDetails {
  id: string
  /** Remote address, or the forwarded address behind a trusted proxy. */
  address: string
  headers: Record<string, string | string[] | undefined>
  /** Path and query as received, percent-encoded. */
  target: string
  /** Raw token of the session that was presented; sign-out and set-active use it. */
  credential: string | null
  signal: AbortSignal
}

export interface HandlerInput<A extends AccessRule, P extends string, B extends TSchema, Q extends TProperties> {
  caller: CallerFor<A>
  params: PathParams<P>
  query: Static<TObject<Q>>
  page: PageRequest
  body: Static<B>
  request: RequestDetails
  /** Throws PRECONDITION_FAILED (412) when the caller's If-Match does not match this representation. */
  precondition: (representation: unknown) => void
}

/** The input of a handler without a surrounding transaction. */
export interface OutboundHandlerInput {
  context: Context
  /** Access to the database outside any transaction, for reading. */
  work: Work
  /**
   * Runs the change in a transaction and writes the idempotency record in the same transaction, so that a crash can
   * never leave the change without its record. Call it at most once, and return what it returns, which becomes the
   * answer.
   */
  finish<T>(change: (work: Work) => Promise<T>): Promise<T>
}

/** The input of the function that receives an upload. */
export interface UploadReceiverInput {
  context: Context
  /** Access to the database outside any transaction, for reading. */
  work: Work
  upload: Upload
}

/** The input of the function that finds out who signed a request. */
export interface SenderInput<P extends string> {
  context: Context
  params: PathParams<P>
  headers: RequestDetails['headers']
  /** The body as it was sent, unpacked and not parsed. */
  bytes: Buffer
}

export type HandlerMode = 'work' | 'read' | 'perform'

/** An operation in the list of operations. The types of its handler are erased, its declaration is kept. */
export interface Operation {
  readonly declaration: OperationDeclaration
  readonly mode: HandlerMode
  /** Receives an upload before the transaction begins and before the idempotency key is claimed. */
  readonly receive?: (input: never) => Promise<ReceivedUpload>
  /** Finds out who signed a request, before its body is parsed. */
  readonly findSender?: (input: never) => Promise<unknown>
  readonly handle: (input: never) => Promise<unknown>
}

type HandlerReturn = Promise<unknown | Answer>

/**
 * Declares an operation. The handler is given in a second call, so that TypeScript infers its types from the
 * declaration.
 */
export function declareOperation<
  const A extends AccessRule,
  const P extends string,
  B extends TSchema = TSchema,
  Q extends TProperties = Record<never, never>,
>(options: OperationOptions<A, P, B, Q>) {
  const { access, transport = {}, execution = {} } = options
  const declaration = {
    ...options,
    access: typeof access === 'string' ? { rule: access } : access,
    transport,
    execution,
  } as unknown as OperationDeclaration
  const createOperation = (mode: HandlerMode, handle: (input: never) => HandlerReturn): Operation => ({
    declaration,
    mode,
    handle,
  })
  return {
    /**
     * Runs the handler in one transaction, or in none if the operation is `isSingleStatement` or `sharesTransaction` and
     * no answer has to be stored.
     */
    withTransactionHandler: (handle: (input: HandlerInput<A, P, B, Q> & { work: Work }) => HandlerReturn) =>
      createOperation('work', handle as never),
    /**
     * Runs a handler that only reads, without a transaction. @throws Error for another method than GET, because the key
     * of a request that writes is stored with its transaction
     */
    withReadHandler: (handle: (input: HandlerInput<A, P, B, Q> & { work: Work }) => HandlerReturn) => {
      if (declaration.method !== 'GET') throw new Error(`${declaration.id} is no GET and needs another handler`)
      return createOperation('read', handle as never)
    },
    /**
     * Runs the handler without a transaction, for outbound calls; `finish` opens the transaction that makes the change.
     */
    withOutboundHandler: (handle: (input: HandlerInput<A, P, B, Q> & OutboundHandlerInput) => HandlerReturn) =>
      createOperation('perform', handle as never),
    /**
     * Handles an upload. `receive` checks the request and then reads its bytes outside any transaction; `handle` makes
     * the change in a transaction. What was received is discarded if the request is refused or a stored answer is
     * replayed.
     */
    withUploadHandler: <R extends ReceivedUpload>(
      receive: (input: Omit<HandlerInput<A, P, B, Q>, 'body'> & UploadReceiverInput) => Promise<R>,
      handle: (input: Omit<HandlerInput<A, P, B, Q>, 'body'> & { work: Work; received: R }) => HandlerReturn,
    ): Operation => ({ ...createOperation('work', handle as never), receive: receive as never }),
    /**
     * Handles a request that another system has signed, without a transaction like an outbound handler. `findSender`
     * checks the signature of the body before it is parsed, and throws a problem if it is wrong; the handler gets what it
     * returns: null if the sender is not known, whose requests are counted too.
     */
    withSignedHandler: <S>(
      findSender: (input: SenderInput<P>) => Promise<S>,
      handle: (input: HandlerInput<A, P, B, Q> & OutboundHandlerInput & { sender: S }) => HandlerReturn,
    ): Operation => ({
      ...createOperation('perform', handle as never),
      declaration: { ...declaration, access: { ...declaration.access, isSigned: true } },
      findSender: findSender as never,
    }),
  }
}
