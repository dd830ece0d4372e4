import type { Answer } from './answer.ts'
import type { Caller, EndUserCaller, KeyCaller, MemberCaller, OrganizationCaller, SessionCaller } from './caller.ts'
import type { Code } from './codes.ts'
import type { JobType } from './job.ts'
import type { ListDeclaration, Page } from './page.ts'
import type { Permission } from './permission.ts'
import type { Static, TObject, TProperties, TSchema } from './schema.ts'
import type { Received, Upload } from './upload.ts'
import type { Context, Work } from './work.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * Who may call: a permission of an organization; `public`: anyone, told apart when signed in;
 * `endUser`: a buyer's session only; `member`: a member's session only; `session`: either of the two; `signedIn`: whoever has a valid credential, the rule decides.
 */
export type Access = Permission | 'public' | 'endUser' | 'member' | 'session' | 'signedIn'

type CallerFor<A extends Access> = A extends 'public' ? Caller
  : A extends 'endUser' ? EndUserCaller
  : A extends 'member' ? MemberCaller
  : A extends 'session' ? SessionCaller
  : A extends 'signedIn' ? KeyCaller | MemberCaller | EndUserCaller
  : OrganizationCaller

/** What the bridge tells an assistant about an operation. Source: MCP tool annotations. */
export interface Hints { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }

/**
 * A body that is not described as a JSON value: bytes, text, or `json`, an object in a language of its own. `schema`
 * describes the JSON among several media.
 */
export interface Media { type: string; description: string; binary?: boolean; json?: true; schema?: TSchema }

export interface Declaration<A extends Access = Access, P extends string = string, B extends TSchema = TSchema,
  Q extends TProperties = TProperties> {
  /** Snake case, ends in `_v1`. */
  id: string
  method: Method
  /** With `:name` parameters, each a UUID unless `params` says otherwise; `*name` is all that is left. */
  path: P
  summary: string
  description?: string
  tag: string
  access: A
  params?: Record<string, TSchema>
  query?: Q
  /** Parameters that it does not declare are passed over, as those of a page are. */
  openQuery?: true
  list?: ListDeclaration
  body?: B
  /** Instead of a body: the content types of what is received as it comes, each with what it holds. */
  upload?: Readonly<Record<string, TSchema>>
  /** Bytes of the body this route takes, 1 MiB unless stated; of an upload those of its file, unpacked. */
  bodyLimit?: number
  /** The answer to a body past `bodyLimit`; PAYLOAD_TOO_LARGE unless stated. */
  tooLarge?: Code
  /** An invalid body is 400 for every cause; 422 unless stated. */
  invalidBody?: 400
  /** The success status with its schema, media, or null for no body; others that JSON may have after it. */
  returns: { readonly [status: number]: TSchema | Media | readonly Media[] | null }
  /** Codes beyond those that the pipeline adds to every operation of this shape. */
  problems?: readonly Code[]
  /** Where the created thing, or the started job, is read. */
  location?: (value: never) => string
  etag?: true
  /** Headers that caches have to tell answers apart by, and other fixed headers. */
  headers?: Record<string, string>
  /** Its change is a single statement: no transaction is opened around it unless its answer is kept under a key. */
  single?: true
  /** With dryRun=true it stores nothing, and its answer is kept under no idempotency key. */
  dryRun?: true
  /** Type of the job that it starts, of which an organization may have so many waiting. */
  starts?: JobType
  /** CORS open to every page, without credentials. */
  cors?: true
  /** Route is answered but not described. */
  hidden?: true
  /**
   * A page for people: bodies are forms, problems are answered as HTML. Implies `hidden`. Of two sessions of one browser
   * the buyer's counts, on a page for members theirs.
   */
  page?: true | 'member'
  /** Exposed to assistants under this name: GET as resource, others as tool. */
  mcp?: string
  /** `tool` forces a GET to be a tool. */
  mcpType?: 'tool' | 'resource'
  hints?: Partial<Hints>
  /** Irreversible: assistants ask the user first. */
  confirm?: true
  /** Its rule judges where it was sent from, not the pipeline: sign-in routes, which pages of an application use too. */
  anyOrigin?: true
  /**
   * Its body is parsed, judged and handled in a thread of its own, with limits of time and memory: it may be anyone's, and
   * may cost far more than its size says. The handler gets `body` and `context` alone, and opens no transaction.
   */
  apart?: true
  /**
   * It begins, changes or ends the caller's session: its answer is never kept under an idempotency key, and no page of
   * another site may send it, with or without a cookie.
   */
  changesSession?: true
}

type PathParams<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & PathParams<`/${Rest}`>
  : P extends `${string}:${infer Name}` ? Record<Name, string> : unknown

/** What a request carries beside its declared parts. */
export interface RequestFacts {
  id: string
  /** Remote address, or the forwarded one behind a trusted proxy. */
  address: string
  headers: Record<string, string | string[] | undefined>
  /** Path and query as they came, percent-encoded. */
  target: string
  /** The raw token of the session that was presented, for sign-out and set-active. */
  credential: string | null
  signal: AbortSignal
}

export interface Input<A extends Access, P extends string, B extends TSchema, Q extends TProperties> {
  caller: CallerFor<A>
  params: PathParams<P>
  query: Static<TObject<Q>>
  page: Page
  body: Static<B>
  request: RequestFacts
  /** Throws 412 when the caller's If-Match names another representation than this one. */
  precondition: (representation: unknown) => void
}

/** What a handler without a transaction of its own gets. */
export interface Performing {
  context: Context
  /** Reads outside any transaction. */
  work: Work
  /**
   * The transaction that makes the change; its value is the answer. The idempotency record is written in it, so a
   * crash can never leave the change without its record. Called at most once; return what it returns.
   */
  finish<T>(change: (work: Work) => Promise<T>): Promise<T>
}

/** What the receiver of an upload gets: the reading parts of a request, and what it sends. */
export interface Receiving {
  context: Context
  /** Reads outside any transaction. */
  work: Work
  upload: Upload
}

export type Mode = 'work' | 'read' | 'perform'

/** An operation as the list holds it: types of its handler are erased, its declaration is not. */
export interface Operation {
  readonly declaration: Declaration<Access, string, TSchema, TProperties>
  readonly mode: Mode
  /** Of an upload: receives it before the transaction, and before its key is claimed. */
  readonly receive?: (input: never) => Promise<Received>
  readonly handle: (input: never) => Promise<unknown>
}

type Result = Promise<unknown | Answer>

/** Declares an operation. Handling comes second so that TypeScript infers the handler's types from the declaration. */
export function operation<const A extends Access, const P extends string, B extends TSchema = TSchema,
  Q extends TProperties = Record<never, never>>(declaration: Declaration<A, P, B, Q>) {
  const made = (mode: Mode, handle: (input: never) => Result): Operation =>
    ({ declaration: declaration as unknown as Operation['declaration'], mode, handle })
  return {
    /** One transaction around the handler; none where it is `single` and no answer has to be kept. */
    handledBy: (handle: (input: Input<A, P, B, Q> & { work: Work }) => Result) => made('work', handle as never),
    /** Reads only; no transaction. */
    readBy: (handle: (input: Input<A, P, B, Q> & { work: Work }) => Result) => made('read', handle as never),
    /** No transaction around it: for outbound calls; `finish` opens the one that makes the change. */
    performedBy: (handle: (input: Input<A, P, B, Q> & Performing) => Result) => made('perform', handle as never),
    /**
     * An upload. `receive` judges the request, then takes its bytes, outside any transaction; `handle` makes the change
     * in one. What was received is discarded when nothing comes of it: for a refusal, or an answer that was kept.
     */
    receivedBy: <R extends Received>(
      receive: (input: Omit<Input<A, P, B, Q>, 'body'> & Receiving) => Promise<R>,
      handle: (input: Omit<Input<A, P, B, Q>, 'body'> & { work: Work; received: R }) => Result,
    ): Operation => ({ ...made('work', handle as never), receive: receive as never }),
  }
}
