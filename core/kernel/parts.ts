import type { Knex } from 'knex'
import type { Caller } from './caller.ts'
import type { JobType, Move } from './job.ts'
import type { Problem } from './problem.ts'

/** A job to start. `product` and `endUser` bind who may read it under the specification's own status routes. */
export interface NewJob {
  type: JobType
  organization: string
  application?: string
  /** The sheet whose mint route answers the status. */
  product?: string
  /** The buyer who started it. */
  endUser?: string
  total: number
  payload: unknown
  /** Whether it counts towards the jobs that its organization may have waiting: those that callers start do. */
  counts?: boolean
}

/** Members of a job's result that have become others. */
export interface Amendment { job: string; result: Record<string, unknown> }

/** Jobs of this process: rows in PostgreSQL are the truth, the bell only makes it quick. */
export interface Queue {
  /**
   * Writes the row in the caller's transaction. @returns its id. Ring after the commit.
   * @throws RATE_LIMITED for one that counts, past the limit of its organization and kind
   */
  enqueue(trx: Knex, job: NewJob): Promise<string>
  /**
   * Refuses at once, without asking the database, where a job of that organization and kind was refused a moment ago.
   * @throws RATE_LIMITED
   */
  refuseAgain(organization: string, type: JobType): void
  /** Changes counters and errors of a job in the caller's transaction (locks its row). */
  advance(trx: Knex, job: string, move: Move): Promise<void>
  /** Counts units of many jobs as done, in one statement. */
  advanceAll(trx: Knex, done: ReadonlyMap<string, number>): Promise<void>
  /** Makes waiting jobs due now. In a transaction: takes hold with its commit. */
  wake(trx: Knex, ...jobs: readonly string[]): Promise<void>
  /**
   * Changes members of the results of jobs that have completed. A run that is about to complete one of them with what
   * it read before loses it, and the job runs again.
   */
  amend(trx: Knex, amendments: readonly Amendment[]): Promise<void>
  /** Rings the doorbell. Never throws: a lost ring is found by the sweep. */
  ring(job: string): void
  /** Whether the doorbell works; without Redis the database alone rings, and that is ready too. */
  ready(): boolean
}

/** A message to a person: sent by mail or text, or shown in the outbox in development. */
export interface Message { to: string; channel: 'email' | 'sms'; subject: string; text: string }

export interface Post {
  /** Writes the message in the caller's transaction; it leaves after the commit. */
  send(trx: Knex, message: Message): Promise<void>
}

/** LISTEN and NOTIFY over one connection a process, however many listen. */
export interface Notices {
  on(channel: string, listener: (payload: string) => void): () => void
  /** In the caller's transaction: heard when it commits. Payload at most 7,900 bytes. */
  notify(trx: Knex, channel: string, payload: string): Promise<void>
  /** The number of this process while others can see that it lives, else null. */
  readonly presence: number | null
  /** Whether the process of this number is gone. One that lost its connection looks so until it is back. */
  isGone(db: Knex, number: number): Promise<boolean>
}

/** Does work on bytes of anybody in threads of its own, in turns by owner. */
export interface Apart {
  /** @throws RATE_LIMITED, OverloadedError where there is no room or it takes too long, or what the task throws */
  run(task: string, bytes: Buffer, owner: string): Promise<unknown>
}

export interface Clock { now(): Date }

/** The credential of a request, judged. `problem` is thrown after the rate limit was counted. */
export interface Authenticated {
  caller: Caller
  /** The session token that was presented, if any. */
  credential: string | null
  /** Whether the credential came in a cookie, so that the Origin has to be checked. */
  cookie: boolean
  problem?: Problem
}

/** Who people and programs are, and what they may do. */
export interface Identity {
  /** Tells who sends a request, from its headers alone. @param prefers which of two session cookies speaks, when a browser has both */
  authenticate(headers: Record<string, string | string[] | undefined>, prefers?: 'member' | 'endUser'): Promise<Authenticated>
  /**
   * Calls the listener as soon as a credential has ended, or may do other things, in any process; with it a way to tell
   * whether that may be what a caller came by. @returns how to stop
   */
  onCredentialEnded(listener: (concerns: (caller: Caller) => boolean) => void): () => void
  /** Writes a mail to the Owners of an organization, in the caller's transaction. */
  mailOwners(trx: Knex, organization: string, message: Pick<Message, 'subject' | 'text'>): Promise<void>
}

/** Why an address that a user gave was not fetched. */
export const outboundReasons = [
  'blocked_address', 'dns_failed', 'tls_failed', 'timeout', 'too_large', 'http_status', 'content_type', 'redirects', 'unreachable',
] as const
export type OutboundReason = (typeof outboundReasons)[number]

/** A guarded fetch ended without a body. The message is for the log, not for callers. */
export class OutboundError extends Error {
  override name = 'OutboundError'
  readonly reason: OutboundReason
  /** Of `http_status`: what was answered, where it was HTTP. */
  readonly status: number | null
  constructor(reason: OutboundReason, message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.reason = reason
    this.status = options.status ?? null
  }
}

export interface OutboundOptions {
  /** Value of Accept, and what the answer's media type has to be one of; any when empty. */
  types: readonly string[]
  /** Bytes of the body after decoding. */
  most: number
  /** Milliseconds for everything, redirects included. */
  patience: number
  /** A redirect that leaves the origin of the address ends the fetch. */
  sameOrigin?: boolean
  /** As `If-None-Match`. */
  headers?: Record<string, string>
}

export interface Fetched { url: string; status: number; type: string; headers: Record<string, string>; body: Buffer }

export interface StreamOptions {
  /** As of `get`. */
  types: readonly string[]
  /** Bytes of the body after decoding. */
  most: number
  /** Milliseconds until the answer begins, redirects included; then between two pieces of its body. */
  firstByte: number
  /** Milliseconds for everything. */
  patience: number
  headers?: Record<string, string>
  /** Sent to the origin of the address only: a redirect to another one goes on without them. */
  secrets?: Record<string, string>
  /** Ends it early; then its reason is thrown. */
  signal?: AbortSignal
}

/** An answer whose body is still coming, decoded and never more than the limit; null where `If-None-Match` met. */
export interface Streamed {
  status: number
  type: string
  headers: Record<string, string>
  body: AsyncIterable<Buffer> | null
}

/**
 * Fetches an address that a user gave: https only, the name resolved once and pinned, no private address, at most 3
 * redirects each checked again, no credentials.
 */
export interface Outbound {
  /** @returns an answer of status 200, or 304 where a header asked for it. @throws OutboundError */
  get(url: string, options: OutboundOptions): Promise<Fetched>
  /**
   * The same for bodies that are too large for memory. `take` has to read the body to its end or throw; the connection
   * ends with it. @throws OutboundError, or what `take` throws
   */
  stream<T>(url: string, options: StreamOptions, take: (answer: Streamed) => Promise<T>): Promise<T>
  /** Reads the TXT records of a name, none where there is none. @throws OutboundError `dns_failed`, `timeout` */
  texts(name: string): Promise<string[]>
  /** Why an address will never be fetched, whatever its name leads to; undefined where it may be. */
  objection(url: string): string | undefined
}
