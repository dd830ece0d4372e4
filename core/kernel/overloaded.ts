/**
 * An error for a valid request that the server cannot serve now, because it has no capacity or the request takes too
 * much. Answered with 503 and no code.
 */
export class OverloadedError extends Error {
  override name = 'OverloadedError'
  readonly retryAfterSeconds: number

  /** @param message English sentence for the caller */
  constructor(message: string, retryAfterSeconds: number, options: ErrorOptions = {}) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
