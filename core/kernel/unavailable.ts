/**
 * Thrown when this installation lacks something, or something is not reachable, although the request is valid. Answered
 * with 503. The message is a sentence for the caller.
 */
export class UnavailableError extends Error {
  override name = 'UnavailableError'
}

/**
 * Thrown when another process did not answer, on which the request depends, and nothing was changed. Answered with 502.
 * The message is a sentence for the caller.
 */
export class BadGatewayError extends Error {
  override name = 'BadGatewayError'
}
