import ip from 'ipaddr.js'

/**
 * Addresses at which a cloud answers its own machines although they look public. Other clouds use link-local addresses.
 */
const metadataAddresses = new Set(['168.63.129.16'])

/** The only block of IPv6 that is global unicast. Source: IANA, Internet Protocol Version 6 Address Space. */
const globalUnicastRange: [ip.IPv6, number] = [ip.IPv6.parse('2000::'), 3]

/** The block for examples in documents, which no real host uses. Source: RFC 9637. */
const documentationRange: [ip.IPv6, number] = [ip.IPv6.parse('3fff::'), 20]

/**
 * Checks whether an address belongs to the public internet. Private, loopback, link-local, multicast, unspecified,
 * reserved and shared addresses do not; neither does any IPv6 address that stands for an IPv4 address, whatever that
 * address is. Source: IANA special-purpose address registries.
 */
export function isPublicAddress(address: string): boolean {
  if (!ip.isValid(address)) return false
  const parsed = ip.parse(address)
  if (parsed.range() !== 'unicast' || metadataAddresses.has(parsed.toString())) return false
  if (parsed.kind() === 'ipv4') return true
  const ipv6 = parsed as ip.IPv6
  return ipv6.zoneId === undefined && ipv6.match(globalUnicastRange) && !ipv6.match(documentationRange)
}
