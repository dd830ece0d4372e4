/** Reasons why the address that a user gave was not fetched. */
export const outboundReasons = [
  'blocked_address',
  'dns_failed',
  'tls_failed',
  'timeout',
  'too_large',
  'http_status',
  'content_type',
  'redirects',
  'unreachable',
] as const
export type OutboundReason = (typeof outboundReasons)[number]

/** Thrown when a guarded fetch ends without a body. The message is for the log, not for callers. */
export class OutboundError extends Error {
  override name = 'OutboundError'
  readonly reason: OutboundReason
  /** For `http_status`: the status of the response, if it was HTTP. */
  readonly status: number | null
  constructor(reason: OutboundReason, message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.reason = reason
    this.status = options.status ?? null
  }
}

export interface OutboundOptions {
  /** Accepted media types of the response, also sent as the Accept header; any type if the list is empty. */
  mediaTypes: readonly string[]
  /** Maximum size of the decoded body in bytes. */
  maxBytes: number
  /** Timeout in milliseconds for the whole fetch, redirects included. */
  timeoutMs: number
  /** Whether a redirect to another origin ends the fetch. */
  sameOrigin?: boolean
  /** Extra request headers, such as `If-None-Match`. */
  headers?: Record<string, string>
}

/** What a form is sent with: the limits of a fetch, which follows no redirect. */
export type OutboundFormOptions = Omit<OutboundOptions, 'sameOrigin'>

export interface FetchedResponse {
  url: string
  status: number
  type: string
  headers: Record<string, string>
  body: Buffer
}

export interface OutboundStreamOptions {
  /** Accepted media types of the response, also sent as the Accept header; any type if the list is empty. */
  mediaTypes: readonly string[]
  /** Maximum size of the decoded body in bytes. */
  maxBytes: number
  /** Timeout in milliseconds until the response begins, redirects included, and then between two chunks of its body. */
  idleTimeoutMs: number
  /** Timeout in milliseconds for the whole fetch. */
  timeoutMs: number
  headers?: Record<string, string>
  /** Headers that are sent only to the origin of the address; a redirect to another origin is followed without them. */
  secretHeaders?: Record<string, string>
  /** Ends the fetch early; the fetch then throws the signal's reason. */
  signal?: AbortSignal
}

/** A response whose body is still arriving, decoded and limited in size. `body` is null if `If-None-Match` matched. */
export interface StreamedResponse {
  status: number
  type: string
  headers: Record<string, string>
  body: AsyncIterable<Buffer> | null
}

/**
 * Guarded fetches of addresses that users gave: only https, the name resolved once and pinned, no private addresses, at
 * most 3 redirects with each target checked again, none of a form, no credentials.
 */
export interface Outbound {
  /** Fetches an address. @returns a response with status 200, or 304 if a header asked for it @throws OutboundError */
  get(url: string, options: OutboundOptions): Promise<FetchedResponse>
  /**
   * Sends a form with POST and reads the whole answer. What it says goes to the address itself and to no other: a
   * redirect ends it with `redirects`. @returns a response with status 200 @throws OutboundError
   */
  postForm(url: string, form: URLSearchParams, options: OutboundFormOptions): Promise<FetchedResponse>
  /**
   * Fetches a body that is too large for memory. `handleResponse` has to read the body to its end or throw; the
   * connection is closed when it returns. @throws OutboundError, or what `handleResponse` throws
   */
  stream<T>(
    url: string,
    options: OutboundStreamOptions,
    handleResponse: (answer: StreamedResponse) => Promise<T>,
  ): Promise<T>
  /** Reads the TXT records of a name; empty if there are none. @throws OutboundError `dns_failed`, `timeout` */
  readTextRecords(name: string): Promise<string[]>
  /**
   * Returns the reason why an address can never be fetched, whatever its name resolves to, or undefined if it may be.
   */
  findObjection(url: string): string | undefined
}
