import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import { createValidationProblem } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'

/** The settings that the rules for hosts depend on. */
export type HostSettings = Pick<Context['settings'], 'production' | 'baseUrl' | 'publicUrl' | 'mcpUrl' | 'apiUrl'>

const labelPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const proofLabel = '_tessera.'
/** Maximum length of a host, so that the name of its DNS record fits too. Source: RFC 1035, section 2.3.4. */
const maxLength = 253 - proofLabel.length

/** Returns the parent of a wildcard (`example.com` for `*.example.com`) and every other host unchanged. */
export const getBaseDomain = (domain: string): string => domain.replace(/^\*\./, '')

/** Returns the name of the DNS record that proves a domain. Source: RFC 8552 (underscored names). */
export const getProofRecordName = (domain: string): string => `${proofLabel}${getBaseDomain(domain)}`

export const isWildcard = (domain: string): boolean => domain.startsWith('*.')

/** Checks whether a host name always means this machine. Source: RFC 6761, section 6.3. */
export const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

/**
 * Parses the domains that a caller wants to set for an application: in ASCII and small letters, without duplicates.
 * @throws VALIDATION_FAILED with the path of each domain that is not allowed
 */
export function parseDomains(settings: HostSettings, domains: readonly string[]): string[] {
  const issues: { path: string; code: string; message: string }[] = []
  const parsed = domains.map((text, at) => {
    const domain = toAsciiDomain(text)
    const message = domain === undefined ? 'is not a host name' : findDomainObjection(settings, domain)
    if (message !== undefined) issues.push({ path: `domains[${at}]`, code: 'not_allowed', message })
    return domain ?? text
  })
  if (issues.length > 0) throw createValidationProblem(issues)
  return [...new Set(parsed)]
}

/**
 * Converts a host or a wildcard to ASCII and small letters. People always see this form, so that similar letters of
 * another script are visible as what they are. Source: UTS #46.
 * @returns undefined if the text is no host name
 */
export function toAsciiDomain(text: string): string | undefined {
  const wildcard = isWildcard(text)
  const name = wildcard ? text.slice(2) : text
  if (!/^[^\s/\\:?#@%[\]*_]+$/.test(name)) return undefined
  const host = domainToASCII(name)
  if (
    host === ''
    || host.length > maxLength
    || !host.split('.').every((part) => labelPattern.test(part) && !isBrokenLabel(part))
  )
    return undefined
  return wildcard ? `*.${host}` : host
}

/** Checks whether a label is marked as encoded but encodes nothing. Source: RFC 5890, section 2.3.2.1. */
const isBrokenLabel = (part: string) => part.startsWith('xn--') && domainToUnicode(part) === part

/**
 * Returns the reason why an application may not use a domain. Not allowed are IP addresses, names of this machine,
 * public suffixes (strangers can register names below them) and the platform's own hosts.
 * @returns undefined if the domain is allowed
 */
export function findDomainObjection(settings: HostSettings, domain: string): string | undefined {
  const host = getBaseDomain(domain)
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
 * Checks whether a domain equals, lies below or covers a host of the platform. Below localhost only the exact hosts
 * belong to the platform, because every name there means this machine.
 */
function isOwnHost({ baseUrl, publicUrl, mcpUrl, apiUrl }: HostSettings, domain: string): boolean {
  const host = getBaseDomain(domain)
  const own = [baseUrl, publicUrl, mcpUrl, apiUrl].map((address) => new URL(address).hostname)
  return own.some(
    (name) =>
      host === name
      || (!isLocalhost(name) && host.endsWith(`.${name}`))
      || (isWildcard(domain) && getWildcard(name) === domain),
  )
}

/**
 * Returns the wildcard that covers a host: the asterisk stands for exactly one label. Source: RFC 9525, section 6.3.
 */
export function getWildcard(host: string): string {
  return `*.${host.slice(host.indexOf('.') + 1)}`
}
