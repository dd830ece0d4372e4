import type { Logger } from 'pino'
import { OutboundError, type Fetched, type Outbound, type OutboundOptions } from '../kernel/parts.ts'
import type { LookUp } from './names.ts'
import { allowedHosts, objectionTo } from './target.ts'

export interface OutboundSettings {
  /** Hosts that may be private, and asked by http: `<host>` at the standard port, `<host>:<port>` at that one. */
  outboundAllow: readonly string[]
  /** `<host>=<address>:<port>` in place of a look-up; the address is judged all the same. */
  outboundResolve: readonly string[]
  /** `<host>:<port>` of the DNS resolvers to ask for TXT records; those of the system when empty. */
  dnsResolvers?: readonly string[]
}

export interface OutboundParts {
  settings: OutboundSettings
  log: Logger
}

/**
 * Guarded fetches of a process. Nothing is loaded and no name looked up before the first one.
 * @param lookUp replaces the machine's own; what it answers is judged like any other
 */
export function outboundOf({ settings, log }: OutboundParts, lookUp?: LookUp): Outbound {
  const allowed = allowedHosts(settings.outboundAllow)
  const fetched = async (url: string, options: OutboundOptions, signal: AbortSignal): Promise<Fetched> => {
    const { follow, guardOf } = await import('./follow.ts')
    return follow(url, options, guardOf(settings, lookUp), signal)
  }
  const told = async <T>(url: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      if (!(cause instanceof OutboundError)) throw cause
      // Paths and queries may hold secrets of whoever gave the address.
      log.info(
        { host: URL.parse(url)?.host, reason: cause.reason, err: cause },
        'a guarded fetch ended without a body',
      )
      throw cause
    }
  }
  return {
    get: (url, options) => told(url, () => {
      const signal = AbortSignal.timeout(options.patience)
      return within(signal, fetched(url, options, signal))
    }),
    stream: (url, options, take) => told(url, async () => {
      const [{ guardOf }, { streamFrom }] = await Promise.all([import('./follow.ts'), import('./stream.ts')])
      return streamFrom(url, options, guardOf(settings, lookUp), take)
    }),
    async texts(name) {
      const { lookUpTexts } = await import('./texts.ts')
      return lookUpTexts(name, settings.dnsResolvers ?? [])
    },
    objection: (url) => objectionTo(url, allowed),
  }
}

/** The outcome, or `timeout` where there is none in time; a look-up cannot be called off, so nobody waits for it. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const end = () => {
    late.reject(new OutboundError('timeout', 'no whole answer came in time'))
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, late.promise])
  } catch (cause) {
    throw signal.aborted ? new OutboundError('timeout', 'no whole answer came in time', { cause }) : cause
  } finally {
    signal.removeEventListener('abort', end)
  }
}
