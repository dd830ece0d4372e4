import { OutboundError, type FetchedResponse, type OutboundReason } from '../../../kernel/ports/outbound.ts'
import type { Context } from '../../../kernel/work.ts'
import { VerificationError } from '../formats/index.ts'

/** The time in milliseconds that one verification may still spend on JSON-LD expansion, over all its documents. */
export interface ExpansionAllowance {
  leftMs: number
}

/**
 * The limits of one verification: how many requests to other hosts it may send, and how many milliseconds all of them
 * may take; the time that the verification computes does not count. `expansionMs` limits the JSON-LD expansion of all
 * its proofs together.
 */
export interface FetcherLimits {
  maxRequests: number
  timeoutMs: number
  expansionMs?: number
}

const defaultLimits: FetcherLimits = { maxRequests: 8, timeoutMs: 10_000 }
/** Default of `expansionMs`, for a verification that holds no place that others wait for. */
const defaultExpansionMs = 8_000

/** Maximum duration of one fetch, in milliseconds. */
const maxFetchMs = 5_000

const reasonWords: Record<OutboundReason, string> = {
  blocked_address: 'is at an address that is not asked',
  dns_failed: 'has a name that does not resolve',
  tls_failed: 'has no valid certificate for its name',
  timeout: 'does not answer in time',
  too_large: 'answers more than is read',
  http_status: 'answers with an error',
  content_type: 'answers another media type',
  redirects: 'redirects too often',
  unreachable: 'is out of reach',
}

/** The guarded client of one verification, which counts and times all its fetches together. */
export class VerificationFetcher {
  readonly context: Context
  readonly expansion: ExpansionAllowance
  #leftMs: number
  #left: number

  constructor(
    context: Context,
    { maxRequests, timeoutMs, expansionMs = defaultExpansionMs }: FetcherLimits = defaultLimits,
  ) {
    this.context = context
    this.expansion = { leftMs: expansionMs }
    this.#left = maxRequests
    this.#leftMs = timeoutMs
  }

  /**
   * Fetches a resource.
   * @param label what the error message calls the resource
   * @throws VerificationError with `unknown` if the resource cannot be fetched
   */
  async get(label: string, url: string, types: readonly string[], maxBytes: number): Promise<FetchedResponse> {
    const timeoutMs = Math.min(maxFetchMs, Math.ceil(this.#leftMs))
    const refusal =
      this.#left-- <= 0 ? 'the credential needs too many addresses' : timeoutMs <= 0 ? 'the time for it is over' : null
    if (refusal !== null) throw new VerificationError(`${label} is not fetched: ${refusal}`, { unknown: true })
    const startedAt = performance.now()
    try {
      return await this.context.outbound.get(url, { mediaTypes: types, maxBytes, timeoutMs })
    } catch (cause) {
      if (!(cause instanceof OutboundError)) throw cause
      throw new VerificationError(`${label} cannot be fetched: its host ${reasonWords[cause.reason]}`, {
        cause,
        unknown: true,
      })
    } finally {
      this.#leftMs -= performance.now() - startedAt
    }
  }
}
