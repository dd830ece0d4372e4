/**
 * Something that this installation lacks, or that is away, and nothing is wrong with the request: answered 503.
 * The message is a sentence for the caller.
 */
export class UnavailableError extends Error {
  override name = 'UnavailableError'
}
