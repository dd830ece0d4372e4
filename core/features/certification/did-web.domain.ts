import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { invalid } from '../../kernel/problem.ts'

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const refuse = (message: string) => invalid([{ path: 'domain', code: 'not_a_host', message }])

/**
 * A bare host as `did:web` names it: small letters, ASCII by IDNA, no scheme, path or port, no address.
 * Source: did:web method specification; UTS #46. @param localhost whether names of this machine are taken
 * @throws VALIDATION_FAILED
 */
export function bareHost(text: string, localhost: boolean): string {
  if (!/^[^\s/\\:?#@%[\]]+$/.test(text)) throw refuse('must be a bare host name, without scheme, port or path')
  const host = domainToASCII(text)
  if (host === '' || host.length > 253) throw refuse('is not a host name')
  const labels = host.split('.')
  if (isIP(host) !== 0 || /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? ''))
    throw refuse('must be a name, not an address')
  if (!labels.every((part) => label.test(part) && !isBroken(part))) throw refuse('is not a host name')
  if (isLocal(labels) && !localhost) throw refuse('must be a name that the whole internet knows')
  return host
}

/** Names that no other machine resolves to the same one. Source: RFC 6761. */
const isLocal = (labels: readonly string[]) => labels.length === 1 || labels.at(-1) === 'localhost'

/** Marked as encoded, but it encodes nothing. Source: RFC 5890, section 2.3.2.1. */
const isBroken = (part: string) => part.startsWith('xn--') && domainToUnicode(part) === part
