import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { OutboundError } from '../kernel/ports/outbound.ts'
import { removeBrackets, lookUpInSystem } from './address-lookup.ts'

/** Timeouts in milliseconds for one try and for the whole lookup. */
const tryTimeoutMs = 1_500
const totalTimeoutMs = 5_000

/** DNS error codes for an absent record: the name is unknown, or it has no record of this type. */
const absentCodes = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Reads the TXT records of a name. The resolvers follow aliases (CNAME), as for every other user of DNS.
 * @param resolvers `<host>:<port>` of the resolvers to ask; those of the system if empty
 * @returns each record as one text; empty if there are none @throws OutboundError `dns_failed`, `timeout`
 */
export async function lookUpTextRecords(name: string, resolvers: readonly string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: tryTimeoutMs, tries: 2 })
  const late = setTimeout(() => resolver.cancel(), totalTimeoutMs)
  try {
    if (resolvers.length > 0) resolver.setServers(await Promise.all(resolvers.map(resolveDnsServer)))
    const records = await resolver.resolveTxt(name)
    return records.map((parts) => parts.join(''))
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    if (absentCodes.has(code)) return []
    if (cause instanceof OutboundError) throw cause
    const reason = code === 'ETIMEOUT' || code === 'ECANCELLED' ? 'timeout' : 'dns_failed'
    throw new OutboundError(reason, `the TXT records of ${name} could not be read (${code})`, { cause })
  } finally {
    clearTimeout(late)
  }
}

/** Converts the host of a resolver to an IP address, because the library accepts no names. */
async function resolveDnsServer(text: string): Promise<string> {
  const at = text.lastIndexOf(':')
  const [host, port] = [removeBrackets(text.slice(0, at)), text.slice(at + 1)]
  const address = isIP(host) === 0 ? ((await lookUpInSystem(host)).addresses[0] ?? '') : host
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`
}
