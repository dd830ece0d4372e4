import { OutboundError, type Fetched, type OutboundReason } from '../../kernel/parts.ts'
import type { Context } from '../../kernel/work.ts'
import type { ExpansionAllowance } from './proofs.expand.ts'
import { Doubt } from './verify.doubt.ts'

/**
 * What one verification may ask of other hosts: how often, and milliseconds for all of it. `expansionMs`: that contexts
 * may be applied for, by all of its proofs together.
 */
export interface ReachLimits { most: number; patience: number; expansionMs?: number }

const usual: ReachLimits = { most: 8, patience: 10_000 }
/** Milliseconds, where nobody keeps a place meanwhile that others wait for. */
const usualExpansionMs = 8_000

/** Milliseconds that one fetch may take of them. */
const longest = 5_000

const words: Record<OutboundReason, string> = {
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

/** The guarded fetches of one verification, counted and timed together. */
export class Reach {
  readonly context: Context
  readonly expansion: ExpansionAllowance
  readonly #until: number
  #left: number

  constructor(context: Context, { most, patience, expansionMs = usualExpansionMs }: ReachLimits = usual) {
    this.context = context
    this.expansion = { leftMs: expansionMs }
    this.#left = most
    this.#until = performance.now() + patience
  }

  /** @param what names it in the sentence of a doubt. @param most bytes. @throws Doubt where it cannot be had, which leaves open what it says */
  async get(what: string, url: string, types: readonly string[], most: number): Promise<Fetched> {
    const patience = Math.min(longest, Math.ceil(this.#until - performance.now()))
    if (this.#left-- <= 0 || patience <= 0) {
      throw new Doubt(`${what} is not fetched: the credential needs too many addresses`, { unknown: true })
    }
    try {
      return await this.context.outbound.get(url, { types, most, patience })
    } catch (cause) {
      if (!(cause instanceof OutboundError)) throw cause
      throw new Doubt(`${what} cannot be fetched: its host ${words[cause.reason]}`, { cause, unknown: true })
    }
  }
}
