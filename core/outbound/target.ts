import { isIP } from 'node:net'
import { OutboundError } from '../kernel/ports/outbound.ts'
import { isPublicAddress } from './addresses.ts'
import { removeBrackets, isIpAddress, type AddressLookup } from './address-lookup.ts'

/** The target of one request, resolved and checked. A connection must use these addresses and no others. */
export interface FetchTarget {
  url: URL
  addresses: string[]
  port: number
}

export interface FetchGuard {
  lookUp: AddressLookup
  allowedHosts: ReadonlySet<string>
}

const standardPorts: Record<string, number> = { 'https:': 443, 'http:': 80 }

const createBlockedError = (message: string) => new OutboundError('blocked_address', message)

/**
 * Checks an address and every IP address to which its name resolves. @throws OutboundError `blocked_address`,
 * `dns_failed`
 */
export async function resolveTarget(
  text: string,
  { lookUp, allowedHosts }: FetchGuard,
  base?: URL,
): Promise<FetchTarget> {
  const { url, port, trusted } = parseAllowedAddress(text, allowedHosts, base)
  const lookupResult = isIpAddress(url.hostname)
    ? { addresses: [removeBrackets(url.hostname)] }
    : await lookUp(url.hostname)
  if (lookupResult.addresses.length === 0) throw new OutboundError('dns_failed', `${url.hostname} has no address`)
  const privateAddress = lookupResult.addresses.find((address) => !isPublicAddress(address))
  if (privateAddress !== undefined && !trusted) throw createBlockedError(`${url.hostname} leads to ${privateAddress}`)
  return { url, addresses: lookupResult.addresses, port: lookupResult.port ?? port }
}

/** Returns the reason why an address can never be fetched, without a DNS lookup, or undefined if there is none. */
export function findAddressObjection(text: string, allowed: ReadonlySet<string>): string | undefined {
  try {
    const { url, trusted } = parseAllowedAddress(text, allowed)
    const host = removeBrackets(url.hostname)
    const isPrivate = isIpAddress(host) ? !isPublicAddress(host) : localNamePattern.test(host)
    return isPrivate && !trusted ? 'the address is a private one' : undefined
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    return cause.message
  }
}

/** Names of this machine itself. Source: RFC 6761, section 6.3. */
const localNamePattern = /^(?:.+\.)?localhost\.?$/i

/**
 * Parses an address and checks what it says itself. A non-standard port is only accepted for a host that is allowed
 * with it.
 * @throws OutboundError `blocked_address`
 */
function parseAllowedAddress(text: string, allowed: ReadonlySet<string>, base?: URL) {
  const url = URL.parse(text, base?.href)
  if (url === null) throw createBlockedError('the address is not a URL')
  const port = url.port === '' ? standardPorts[url.protocol] : Number(url.port)
  if (port === undefined) throw createBlockedError(`${url.protocol} is not fetched`)
  if (url.username !== '' || url.password !== '') throw createBlockedError('the address carries credentials')
  const isStandard = port === standardPorts[url.protocol]
  const trusted = allowed.has(`${url.hostname}:${port}`) || (isStandard && allowed.has(url.hostname))
  if (url.protocol !== 'https:' && !trusted) throw createBlockedError(`${url.hostname} is fetched by https only`)
  if (!isStandard && !trusted) {
    throw createBlockedError(`${url.hostname} is not asked at port ${port}`)
  }
  return { url, port, trusted }
}

/**
 * Parses the hosts of OUTBOUND_ALLOW to the spelling of URLs: lower case, IPv6 in brackets. A host without a port is
 * allowed only at the standard port of the scheme. An entry that is not a host allows nothing.
 */
export function parseAllowedHosts(entries: readonly string[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap((entry) => {
      const host = isIP(entry) === 6 ? `[${entry}]` : entry
      const name = URL.parse(`http://${host}`)?.hostname
      const port = /:(\d+)$/.exec(host.replace(/^\[.*\]/, ''))?.[1]
      return name === undefined || /[/?#@\\]/.test(entry) ? [] : [port === undefined ? name : `${name}:${port}`]
    }),
  )
}
