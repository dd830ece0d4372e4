/** What became of a call. `unknown`: it may have been done, and nobody knows; `later`: it was not done, and may be tried again. */
export type GoogleOutcome =
  | { status: 'sent' }
  | {
      status: 'failed'
      /** Google's word for it, such as `INVALID_ARGUMENT`. */
      code: string
      /** Whether Google has no such card or class. */
      isGone?: true
    }
  | { status: 'later'; afterSeconds: number }
  | { status: 'unknown' }

/** An outcome of a call that was not answered as it should be. */
export type GoogleFailure = Exclude<GoogleOutcome, { status: 'sent' }>

/** An answer of Google with its JSON; undefined if it is none. */
export interface GoogleAnswer {
  status: number
  retryAfter: string | null
  body: unknown
}

const defaultSeconds = 5
const maxSeconds = 3_600

/** Creates the outcome of a call that Google puts off. @param retryAfter value of the header `Retry-After` */
export function createPostponement(retryAfter: string | null, seconds = defaultSeconds): GoogleFailure {
  const wanted = retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : seconds
  return { status: 'later', afterSeconds: Math.min(Math.max(wanted, 1), maxSeconds) }
}
