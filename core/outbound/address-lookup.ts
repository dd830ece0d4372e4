import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { OutboundError } from '../kernel/ports/outbound.ts'

/** The addresses of a name. `port` replaces the port of the requested address. */
export interface AddressLookupResult {
  addresses: string[]
  port?: number
}

/**
 * A function that looks up the addresses of a name. Guarded fetches use DNS only through it.
 * @throws OutboundError `dns_failed`
 */
export type AddressLookup = (host: string) => Promise<AddressLookupResult>

/** Looks up a name like every program of this machine: with hosts file, search domains and resolver. */
export const lookUpInSystem: AddressLookup = async (host) => {
  try {
    const found = await lookup(host, { all: true })
    return { addresses: found.map(({ address }) => address) }
  } catch (cause) {
    throw new OutboundError('dns_failed', `${host} has no address`, { cause })
  }
}

/**
 * Creates a lookup that answers the names of OUTBOUND_RESOLVE, `host=address:port`, itself and passes all others to
 * `fallback`. A name may occur several times, with one address each.
 */
export function withFixedAddresses(entries: readonly string[], fallback: AddressLookup): AddressLookup {
  const fixedAddresses = new Map<string, { addresses: string[]; port: number }>()
  for (const entry of entries) {
    const [host = '', target = ''] = entry.split('=')
    const colon = target.lastIndexOf(':')
    const address = removeBrackets(target.slice(0, colon))
    const port = Number(target.slice(colon + 1))
    fixedAddresses.set(host, { addresses: [...(fixedAddresses.get(host)?.addresses ?? []), address], port })
  }
  return async (host) => fixedAddresses.get(host) ?? fallback(host)
}

/** Removes the brackets that URLs put around an IPv6 address, because sockets take it without them. */
export const removeBrackets = (host: string) => host.replace(/^\[|\]$/g, '')

/** Checks whether a host is an IP address, which needs no lookup. */
export const isIpAddress = (host: string) => isIP(removeBrackets(host)) !== 0
