import type { IncomingMessage } from 'node:http'
import { problem, type Problem } from '../../kernel/problem.ts'

/** A name or an address with an optional port, and nothing else. Source: RFC 3986, section 3.2.2; RFC 9112, section 3.2. */
const hostValue = /^(?:[a-z0-9._~%!$&'()*+;=-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i

/**
 * Judges where a request says that it goes. A proxy in front of us and we have to read the same host, or one could be
 * made to answer for the other. So there is exactly one Host, it is a host, and a target in absolute form names the same.
 * Source: RFC 9112, sections 3.2 and 3.2.2, of which the last would let the target win; stricter, as no client of ours
 * sends two different ones.
 * @returns what is wrong with it, or undefined
 */
export function hostFault({ headers, rawHeaders, httpVersion, url = '/' }: IncomingMessage): Problem | undefined {
  const { host } = headers
  const refused = (message: string) => problem('INVALID_REQUEST', message, { path: 'Host' })
  if (host === undefined) return httpVersion === '1.1' ? refused('The request has no Host.') : undefined
  // Node keeps the first of several and drops the others; the raw list has them all.
  if (timesSent(rawHeaders, 'host') > 1) return refused('The request has more than one Host.')
  if (!hostValue.test(host)) return refused('The Host is none.')
  if (url.startsWith('/') || url === '*') return undefined
  const target = URL.parse(url)
  if (target === null) return refused('The target of the request is no address.')
  const own = URL.parse(`${target.protocol}//${host}`)
  return target.host === own?.host ? undefined : refused('The target of the request and its Host name different hosts.')
}

function timesSent(rawHeaders: readonly string[], name: string): number {
  let times = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] as string
    if (sent.length === name.length && sent.toLowerCase() === name) times++
  }
  return times
}
