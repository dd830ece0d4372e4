/** Nothing is wrong with the request, but there is no room for it now, or it takes more than it may. Answered 503, without a code. */
export class OverloadedError extends Error {
  override name = 'OverloadedError'
  readonly retryAfterSeconds: number

  /** @param message English sentence for the caller */
  constructor(message: string, retryAfterSeconds: number, options: ErrorOptions = {}) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
