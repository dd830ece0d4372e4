import ip from 'ipaddr.js'

/** Where a cloud answers its own machines although the address looks public; others use link-local ones. */
const metadata = new Set(['168.63.129.16'])

/** Only this block of IPv6 is global unicast. Source: IANA, Internet Protocol Version 6 Address Space. */
const globalUnicast: [ip.IPv6, number] = [ip.IPv6.parse('2000::'), 3]

/** Examples of documents; never a real host. Source: RFC 9637. */
const documentation: [ip.IPv6, number] = [ip.IPv6.parse('3fff::'), 20]

/**
 * Whether an address is one of the public internet. Refused are private, loopback, link-local, multicast, unspecified,
 * reserved and shared ones, and every IPv6 address that stands for an IPv4 one, whatever that is.
 * Source: IANA special-purpose address registries.
 */
export function isPublic(address: string): boolean {
  if (!ip.isValid(address)) return false
  const parsed = ip.parse(address)
  if (parsed.range() !== 'unicast' || metadata.has(parsed.toString())) return false
  if (parsed.kind() === 'ipv4') return true
  const six = parsed as ip.IPv6
  return six.zoneId === undefined && six.match(globalUnicast) && !six.match(documentation)
}
