import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { createValidationProblem } from '../../../kernel/problem.ts'

const labelPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const createInvalidDomainProblem = (message: string) =>
  createValidationProblem([{ path: 'domain', code: 'not_a_host', message }])

/**
 * Parses a bare host as `did:web` names it: small letters, ASCII by IDNA, no scheme, path or port, no IP address.
 * Source: did:web method specification; UTS #46.
 * @param isLocalhostAllowed whether names of this machine are accepted
 * @throws VALIDATION_FAILED
 */
export function parseBareHost(text: string, isLocalhostAllowed: boolean): string {
  if (!/^[^\s/\\:?#@%[\]]+$/.test(text))
    throw createInvalidDomainProblem('must be a bare host name, without scheme, port or path')
  const host = domainToASCII(text)
  if (host === '' || host.length > 253) throw createInvalidDomainProblem('is not a host name')
  const labels = host.split('.')
  if (isIP(host) !== 0 || /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? ''))
    throw createInvalidDomainProblem('must be a name, not an address')
  if (!labels.every((part) => labelPattern.test(part) && !isBrokenLabel(part)))
    throw createInvalidDomainProblem('is not a host name')
  if (isLocalName(labels) && !isLocalhostAllowed)
    throw createInvalidDomainProblem('must be a name that the whole internet knows')
  return host
}

/** Checks whether a name is local: other machines do not resolve it to the same host. Source: RFC 6761. */
const isLocalName = (labels: readonly string[]) => labels.length === 1 || labels.at(-1) === 'localhost'

/** Checks whether a label is marked as encoded but encodes nothing. Source: RFC 5890, section 2.3.2.1. */
const isBrokenLabel = (part: string) => part.startsWith('xn--') && domainToUnicode(part) === part
