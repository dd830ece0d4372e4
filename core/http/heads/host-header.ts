import type { IncomingMessage } from 'node:http'
import { createProblem, type ProblemError } from '../../kernel/problem.ts'

/** A host name or address with an optional port. Source: RFC 3986, section 3.2.2; RFC 9112, section 3.2. */
const hostPattern = /^(?:[a-z0-9._~%!$&'()*+;=-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i

/**
 * Checks the host that a request names. A proxy in front of this server has to read the same host as the server does;
 * otherwise an attacker could make one answer for the other. So there must be exactly one Host, it must be valid, and a
 * target in absolute form must name the same host. This is stricter than RFC 9112, section 3.2.2, which would let the
 * target win, because no legitimate client sends two different hosts. Source: RFC 9112, sections 3.2 and 3.2.2.
 * @returns the problem, or undefined
 */
export function findHostProblem({
  headers,
  rawHeaders,
  httpVersion,
  url = '/',
}: IncomingMessage): ProblemError | undefined {
  const { host } = headers
  const createHostProblem = (message: string) => createProblem('INVALID_REQUEST', message, { path: 'Host' })
  if (host === undefined) return httpVersion === '1.1' ? createHostProblem('The request has no Host.') : undefined
  // Node keeps only the first Host header; the raw list has all of them.
  if (countHeader(rawHeaders, 'host') > 1) return createHostProblem('The request has more than one Host.')
  if (!hostPattern.test(host)) return createHostProblem('The Host is none.')
  if (url.startsWith('/') || url === '*') return undefined
  const target = URL.parse(url)
  if (target === null) return createHostProblem('The target of the request is no address.')
  const own = URL.parse(`${target.protocol}//${host}`)
  return target.host === own?.host
    ? undefined
    : createHostProblem('The target of the request and its Host name different hosts.')
}

function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] as string
    if (sent.length === name.length && sent.toLowerCase() === name) count++
  }
  return count
}
