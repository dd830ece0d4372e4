import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import { invalid } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'

/** What the rules for hosts depend on. */
export type HostSettings = Pick<Context['settings'], 'production' | 'baseUrl' | 'publicUrl' | 'mcpUrl' | 'apiUrl'>

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const proofLabel = '_tessera.'
/** Source: RFC 1035, section 2.3.4; the name of the record has to fit too. */
const maxLength = 253 - proofLabel.length

/** Reads the part below which a wildcard stands: `example.com` of `*.example.com`, and any other host as it is. */
export const baseOf = (domain: string): string => domain.replace(/^\*\./, '')

/** Names the DNS record that proves a domain. Source: namespaces follow RFC 8552 (underscored names). */
export const recordNameOf = (domain: string): string => `${proofLabel}${baseOf(domain)}`

export const isWildcard = (domain: string): boolean => domain.startsWith('*.')

/** Tells whether a host is a name of this machine alone. Source: RFC 6761, section 6.3. */
export const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

/**
 * Reads the domains that an application wants to name: in ASCII and small letters, each once.
 * @throws VALIDATION_FAILED at the path of each that may not be named
 */
export function parseDomains(settings: HostSettings, domains: readonly string[]): string[] {
  const issues: { path: string; code: string; message: string }[] = []
  const parsed = domains.map((text, at) => {
    const domain = asciiOf(text)
    const message = domain === undefined ? 'is not a host name' : objectionTo(settings, domain)
    if (message !== undefined) issues.push({ path: `domains[${at}]`, code: 'not_allowed', message })
    return domain ?? text
  })
  if (issues.length > 0) throw invalid(issues)
  return [...new Set(parsed)]
}

/**
 * Writes a host, or a wildcard, in ASCII and small letters. What people read is always this form, so that letters of
 * another script that look alike are seen for what they are. Source: UTS #46. @returns undefined where it is none
 */
export function asciiOf(text: string): string | undefined {
  const wildcard = isWildcard(text)
  const name = wildcard ? text.slice(2) : text
  if (!/^[^\s/\\:?#@%[\]*_]+$/.test(name)) return undefined
  const host = domainToASCII(name)
  if (host === '' || host.length > maxLength || !host.split('.').every((part) => label.test(part) && !isBroken(part)))
    return undefined
  return wildcard ? `*.${host}` : host
}

/** Tells whether a label is marked as encoded but encodes nothing. Source: RFC 5890, section 2.3.2.1. */
const isBroken = (part: string) => part.startsWith('xn--') && domainToUnicode(part) === part

/**
 * Says why an application may not name a domain: addresses, names of this machine, public suffixes (below which
 * strangers register) and the platform's own hosts. @returns undefined where it may
 */
export function objectionTo(settings: HostSettings, domain: string): string | undefined {
  const host = baseOf(domain)
  if (isIP(host) !== 0 || /^(\d+|0x[0-9a-f]*)$/.test(host.split('.').at(-1) ?? ''))
    return 'must be a name, not an address'
  if (isOwnHost(settings, domain)) return 'is a host of this platform'
  if (isLocalhost(host)) {
    if (settings.production) return 'must be a name that the whole internet knows'
    return isWildcard(domain) || host === 'localhost' ? 'must be one name below localhost' : undefined
  }
  const { domain: registrable } = parse(host, { allowPrivateDomains: true })
  return registrable === null ? 'is a public suffix: anybody may register names below it' : undefined
}

/**
 * Tells whether a domain is, lies below or covers a host of the platform. Of names below localhost only the very
 * hosts are the platform's, as every name there is this machine.
 */
function isOwnHost({ baseUrl, publicUrl, mcpUrl, apiUrl }: HostSettings, domain: string): boolean {
  const host = baseOf(domain)
  const own = [baseUrl, publicUrl, mcpUrl, apiUrl].map((address) => new URL(address).hostname)
  return own.some((name) => host === name
    || (!isLocalhost(name) && host.endsWith(`.${name}`))
    || (isWildcard(domain) && wildcardOf(name) === domain))
}

/** Names the wildcard that covers a host: exactly one label stands for the asterisk. Source: RFC 9525, section 6.3. */
export function wildcardOf(host: string): string {
  return `*.${host.slice(host.indexOf('.') + 1)}`
}
