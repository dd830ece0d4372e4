import ip from 'ipaddr.js'

/**
 * Returns the network that limits count an address by, as the API does: an IPv4 address itself, or the /64 network of
 * an IPv6 address, because one customer can change addresses freely within a /64. Source: RFC 6177, section 2; RFC
 * 4291, sections 2.5.1 and 2.5.5.2.
 */
export function getNetwork(address: string): string {
  const bare = address.replace(/%.*$/, '')
  if (!ip.IPv6.isValid(bare)) return address
  const parsed = ip.IPv6.parse(bare)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
