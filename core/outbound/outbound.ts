import type { Logger } from 'pino'
import { OutboundError, type FetchedResponse, type Outbound, type OutboundOptions } from '../kernel/ports/outbound.ts'
import type { AddressLookup } from './address-lookup.ts'
import { parseAllowedHosts, findAddressObjection } from './target.ts'

export interface OutboundSettings {
  /** Hosts that may be private and reached by http: `<host>` at the standard port, `<host>:<port>` at that port. */
  outboundAllow: readonly string[]
  /** `<host>=<address>:<port>` entries that replace a DNS lookup. The address is checked like any other. */
  outboundResolve: readonly string[]
  /** `<host>:<port>` of the DNS resolvers for TXT records; the resolvers of the system if empty. */
  dnsResolvers?: readonly string[]
}

export interface OutboundDependencies {
  settings: OutboundSettings
  log: Logger
}

/**
 * Creates the guarded fetches of a process. No module is loaded and no name is looked up before the first fetch.
 * @param lookUp replaces the lookup of the machine; its addresses are checked like any other
 */
export function createOutbound({ settings, log }: OutboundDependencies, lookUp?: AddressLookup): Outbound {
  const allowed = parseAllowedHosts(settings.outboundAllow)
  const fetchUrl = async (
    url: string,
    options: OutboundOptions & { form?: string },
    signal: AbortSignal,
  ): Promise<FetchedResponse> => {
    const { fetchWhole, createGuard } = await import('./follow-redirects.ts')
    return fetchWhole(url, options, createGuard(settings, lookUp), signal)
  }
  const logFailure = async <T>(url: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      if (!(cause instanceof OutboundError)) throw cause
      // Only the host is logged, because paths and queries may hold secrets of the user who gave the address.
      log.info({ host: URL.parse(url)?.host, reason: cause.reason, err: cause }, 'a guarded fetch ended without a body')
      throw cause
    }
  }
  const fetchInTime = (url: string, options: OutboundOptions & { form?: string }) =>
    logFailure(url, () => {
      const signal = AbortSignal.timeout(options.timeoutMs)
      return raceTimeout(signal, fetchUrl(url, options, signal))
    })
  return {
    get: fetchInTime,
    postForm: (url, form, options) => fetchInTime(url, { ...options, form: form.toString() }),
    stream: (url, options, take) =>
      logFailure(url, async () => {
        const [{ createGuard }, { streamUrl }] = await Promise.all([
          import('./follow-redirects.ts'),
          import('./stream.ts'),
        ])
        return streamUrl(url, options, createGuard(settings, lookUp), take)
      }),
    async readTextRecords(name) {
      const { lookUpTextRecords } = await import('./text-records.ts')
      return lookUpTextRecords(name, settings.dnsResolvers ?? [])
    },
    findObjection: (url) => findAddressObjection(url, allowed),
  }
}

/** Returns the result of `work`, or throws a `timeout`. A DNS lookup cannot be cancelled, so it is left running. */
async function raceTimeout<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const end = () => {
    timeout.reject(new OutboundError('timeout', 'no whole answer came in time'))
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, timeout.promise])
  } catch (cause) {
    throw signal.aborted ? new OutboundError('timeout', 'no whole answer came in time', { cause }) : cause
  } finally {
    signal.removeEventListener('abort', end)
  }
}
