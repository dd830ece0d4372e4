/**
 * Why a sign-in by a provider of identities came to nothing:
 * - `ended`: it was not begun in this browser, was used, or began more than 10 minutes ago
 * - `refused`: what the provider answered proves nobody
 * - `unproven`: the provider has not proven the person's e-mail address
 * - `unavailable`: the provider does not answer
 * - `notEnabled`: the organization has switched this way off
 */
export type ProviderFailure = 'ended' | 'refused' | 'unproven' | 'unavailable' | 'notEnabled'

/** Thrown if a person came back from a provider of identities and cannot be signed in. The message is for the log. */
export class ProviderSignInError extends Error {
  override name = 'ProviderSignInError'
  readonly failure: ProviderFailure
  /** Where the sign-in was to lead, once that is known. */
  back: string | null = null
  constructor(failure: ProviderFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.failure = failure
  }
}
