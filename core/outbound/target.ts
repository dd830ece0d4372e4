import { isIP } from 'node:net'
import { OutboundError } from '../kernel/parts.ts'
import { isPublic } from './addresses.ts'
import { bare, isAddress, type LookUp } from './names.ts'

/** Where one request of a fetch goes, looked up and judged. Whoever connects takes these addresses and no others. */
export interface Target { url: URL; addresses: string[]; port: number }

export interface Guard { lookUp: LookUp; allowed: ReadonlySet<string> }

const standardPort: Record<string, number> = { 'https:': 443, 'http:': 80 }

const blocked = (message: string) => new OutboundError('blocked_address', message)

/** Judges an address and everything its name leads to. @throws OutboundError `blocked_address`, `dns_failed` */
export async function targetOf(text: string, { lookUp, allowed }: Guard, base?: URL): Promise<Target> {
  const { url, port, trusted } = judged(text, allowed, base)
  const found = isAddress(url.hostname) ? { addresses: [bare(url.hostname)] } : await lookUp(url.hostname)
  if (found.addresses.length === 0) throw new OutboundError('dns_failed', `${url.hostname} has no address`)
  const wrong = found.addresses.find((address) => !isPublic(address))
  if (wrong !== undefined && !trusted) throw blocked(`${url.hostname} leads to ${wrong}`)
  return { url, addresses: found.addresses, port: found.port ?? port }
}

/** What keeps an address from ever being fetched, told without asking anybody where it leads; undefined for nothing. */
export function objectionTo(text: string, allowed: ReadonlySet<string>): string | undefined {
  try {
    const { url, trusted } = judged(text, allowed)
    const host = bare(url.hostname)
    const isPrivate = isAddress(host) ? !isPublic(host) : localName.test(host)
    return isPrivate && !trusted ? 'the address is a private one' : undefined
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    return cause.message
  }
}

/** Names of this machine itself. Source: RFC 6761, section 6.3. */
const localName = /^(?:.+\.)?localhost\.?$/i

/** What an address itself says. Other ports than the standard one are for hosts that are allowed with theirs. @throws OutboundError `blocked_address` */
function judged(text: string, allowed: ReadonlySet<string>, base?: URL) {
  const url = URL.parse(text, base?.href)
  if (url === null) throw blocked('the address is not a URL')
  const port = url.port === '' ? standardPort[url.protocol] : Number(url.port)
  if (port === undefined) throw blocked(`${url.protocol} is not fetched`)
  if (url.username !== '' || url.password !== '') throw blocked('the address carries credentials')
  const isStandard = port === standardPort[url.protocol]
  const trusted = allowed.has(`${url.hostname}:${port}`) || (isStandard && allowed.has(url.hostname))
  if (url.protocol !== 'https:' && !trusted) throw blocked(`${url.hostname} is fetched by https only`)
  if (!isStandard && !trusted) {
    throw blocked(`${url.hostname} is not asked at port ${port}`)
  }
  return { url, port, trusted }
}

/**
 * Hosts of OUTBOUND_ALLOW as URLs spell them: small letters, IPv6 in brackets. One without a port is allowed at the
 * standard port of the scheme alone. What is no host allows nothing.
 */
export function allowedHosts(entries: readonly string[]): ReadonlySet<string> {
  return new Set(entries.flatMap((entry) => {
    const host = isIP(entry) === 6 ? `[${entry}]` : entry
    const name = URL.parse(`http://${host}`)?.hostname
    const port = /:(\d+)$/.exec(host.replace(/^\[.*\]/, ''))?.[1]
    return name === undefined || /[/?#@\\]/.test(entry) ? [] : [port === undefined ? name : `${name}:${port}`]
  }))
}
