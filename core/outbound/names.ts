import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { OutboundError } from '../kernel/parts.ts'

/** Where a name leads. `port` replaces the one of the address that was asked for. */
export interface Answered { addresses: string[]; port?: number }

/** Asks who a name is: the only place where a guarded fetch meets DNS. @throws OutboundError `dns_failed` */
export type LookUp = (host: string) => Promise<Answered>

/** As every program of this machine: hosts file, search domains, resolver. */
export const systemLookUp: LookUp = async (host) => {
  try {
    const found = await lookup(host, { all: true })
    return { addresses: found.map(({ address }) => address) }
  } catch (cause) {
    throw new OutboundError('dns_failed', `${host} has no address`, { cause })
  }
}

/** Names of OUTBOUND_RESOLVE, `host=address:port`, before those of another look-up. A name may stand there twice. */
export function withFixed(entries: readonly string[], other: LookUp): LookUp {
  const fixed = new Map<string, { addresses: string[]; port: number }>()
  for (const entry of entries) {
    const [host = '', target = ''] = entry.split('=')
    const colon = target.lastIndexOf(':')
    const address = bare(target.slice(0, colon))
    const port = Number(target.slice(colon + 1))
    fixed.set(host, { addresses: [...(fixed.get(host)?.addresses ?? []), address], port })
  }
  return async (host) => fixed.get(host) ?? other(host)
}

/** A host as sockets take it: an IPv6 address without the brackets of URLs. */
export const bare = (host: string) => host.replace(/^\[|\]$/g, '')

/** An address is no name: it leads to itself. */
export const isAddress = (host: string) => isIP(bare(host)) !== 0
