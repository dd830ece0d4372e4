import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { OutboundError } from '../kernel/parts.ts'
import { bare, systemLookUp } from './names.ts'

/** Milliseconds for one try, and for all of a look-up. */
const tryMs = 1_500
const wholeMs = 5_000

/** What DNS answers where there is no such record: the name is unknown, or it has none of this type. */
const absent = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Reads the TXT records of a name. Aliases (CNAME) are followed by the resolvers, as for every other user of DNS.
 * @param resolvers `<host>:<port>` of the ones to ask; those of the system when empty
 * @returns each record as one text, none where there is none. @throws OutboundError `dns_failed`, `timeout`
 */
export async function lookUpTexts(name: string, resolvers: readonly string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: tryMs, tries: 2 })
  const late = setTimeout(() => resolver.cancel(), wholeMs)
  try {
    if (resolvers.length > 0) resolver.setServers(await Promise.all(resolvers.map(serverOf)))
    const records = await resolver.resolveTxt(name)
    return records.map((parts) => parts.join(''))
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    if (absent.has(code)) return []
    if (cause instanceof OutboundError) throw cause
    const reason = code === 'ETIMEOUT' || code === 'ECANCELLED' ? 'timeout' : 'dns_failed'
    throw new OutboundError(reason, `the TXT records of ${name} could not be read (${code})`, { cause })
  } finally {
    clearTimeout(late)
  }
}

/** Names a resolver by its address, as the library wants it. */
async function serverOf(text: string): Promise<string> {
  const at = text.lastIndexOf(':')
  const [host, port] = [bare(text.slice(0, at)), text.slice(at + 1)]
  const address = isIP(host) === 0 ? (await systemLookUp(host)).addresses[0] ?? '' : host
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`
}
