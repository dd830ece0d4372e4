import type { HttpMethod } from '../catalogue/operations.ts'

/** The idempotency key of a change, as its request headers say it. */
export interface RequestKey {
  readonly key: string
  /** Seconds after which the same key is a new request; null leaves that to the API. */
  readonly window: string | null
}

/** The `Accept` of a read whose answer the bridge itself uses. */
export const acceptJson = 'application/json, application/problem+json'

/** One call of the API. It has no credentials: these are the caller's and never come from arguments. */
export interface ApiRequest {
  readonly method: HttpMethod
  /** The percent-encoded path with the query; it begins with `/`. */
  readonly path: string
  readonly accept: string
  readonly body: { readonly mediaType: string; readonly content: string | Uint8Array } | null
  /** Absent if the request has no key. */
  readonly idempotency?: RequestKey & {
    readonly chosenBy: 'caller' | 'bridge' | 'confirmation'
    /** True if the same call has the same key and the API is known to honour it. */
    readonly isRepeatable?: boolean
  }
}

/** An answer of the API, read as far as it was requested. */
export interface ApiAnswer {
  readonly status: number
  /** The Content-Type header, unchanged. */
  readonly mediaType: string | null
  readonly location: string | null
  readonly retryAfter: string | null
  /** True if the API gave this answer before and did nothing now; absent counts as false. */
  readonly isReplayed?: boolean
  /** The bytes from `start` on; all the rest if `complete` is true. */
  readonly bytes: Uint8Array
  readonly start: number
  readonly complete: boolean
  /** The size of the whole body in bytes, if the API stated it or the body was read to its end. */
  readonly size: number | null
}

/** A range of a body in bytes: `[from, to)`. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}
