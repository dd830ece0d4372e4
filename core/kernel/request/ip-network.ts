import ip from 'ipaddr.js'

/**
 * Returns the network by which rate limits count an address. An IPv4 address counts by itself. An IPv6 address counts
 * by its /64, the smallest network that a customer gets and in which the customer can change addresses at will. An
 * IPv4-mapped IPv6 address counts as IPv4. Source: RFC 6177, section 2; RFC 4291, sections 2.5.1 and 2.5.5.2.
 */
export function toIpNetwork(address: string): string {
  if (!address.includes(':')) return address
  const bare = address.replace(/%.*$/, '')
  if (!ip.IPv6.isValid(bare)) return address
  const parsed = ip.IPv6.parse(bare)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
