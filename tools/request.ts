import type { Method } from './operations.ts'

/** One call of the API, without credentials: they are the caller's and never come from arguments. */
export interface ApiRequest {
  readonly method: Method
  /** From `/`, percent-encoded, with the query. */
  readonly path: string
  readonly accept: string
  readonly body: { readonly mediaType: string; readonly content: string | Uint8Array } | null
}

/** What the API answered, read as far as it was asked for. */
export interface ApiAnswer {
  readonly status: number
  /** The Content-Type header as it came. */
  readonly mediaType: string | null
  readonly location: string | null
  readonly retryAfter: string | null
  /** The bytes from `start`; all of the rest when `complete`. */
  readonly bytes: Uint8Array
  readonly start: number
  readonly complete: boolean
  /** Bytes of the whole body, where the API said so or it was read to its end. */
  readonly size: number | null
}

/** A part of a body: `[from, to)` in bytes. */
export interface Window {
  readonly from: number
  readonly to: number
}
