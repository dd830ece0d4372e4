import { networkInterfaces } from 'node:os'
import type { Context as KoaContext } from 'koa'
import { createProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'

/** A function that checks whether an organization has proven that it controls a host name. */
export type ProvenHostLookup = (host: string) => Promise<boolean>

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::\d{1,5})?$/
const addressPattern = /^(\d{1,3}(\.\d{1,3}){3}|\[.*\])$/
const maxAcceptedHosts = 100
const healthPath = /^\/health\//

/**
 * Creates the check of a request's Host. Pages and links are built for the requested host, so a foreign host would lead
 * people and caches to another site. Accepted are the hosts of the configured addresses, of ALLOWED_HOSTS and of proven
 * domains; outside production also the names and addresses of this machine. Health checks are answered under every
 * host, because monitors call a process by its address. Source: RFC 9110, section 7.4; CWE-644.
 * @returns a function that throws MISDIRECTED_REQUEST (421) for any other host
 */
export function createHostCheck(
  { settings }: Pick<Context, 'settings'>,
  isProvenHost: ProvenHostLookup,
): (ctx: KoaContext) => Promise<void> | void {
  const { baseUrl, publicUrl, apiUrl, allowedHosts, production } = settings
  const knownHosts = new Set(
    [baseUrl, publicUrl, apiUrl].map((address) => new URL(address).hostname).concat(allowedHosts),
  )
  if (!production) for (const name of listMachineHosts(settings.host)) knownHosts.add(name)
  // Host headers, with ports, that were accepted before: most requests use the same few spellings.
  const acceptedSpellings = new Set<string>()
  const throwMisdirected = () => {
    throw createProblem('MISDIRECTED_REQUEST', 'This server does not answer for the host of the request.')
  }
  const assertProven = async (host: string) => {
    if (!(await isProvenHost(host))) throwMisdirected()
  }
  return (ctx) => {
    const sent = ctx.host
    // An HTTP/1.0 request may have no Host.
    if (sent === '' || acceptedSpellings.has(sent) || healthPath.test(ctx.path)) return
    const host = hostPattern.exec(sent.toLowerCase())?.[1]
    if (host !== undefined && (knownHosts.has(host) || (!production && host.endsWith('.localhost')))) {
      if (acceptedSpellings.size < maxAcceptedHosts) acceptedSpellings.add(sent)
      return
    }
    if (host === undefined || addressPattern.test(host)) return throwMisdirected()
    return assertProven(host)
  }
}

/** Lists the names and addresses of this machine; a phone in the same network opens a page by the machine's address. */
function listMachineHosts(configuredHost: string): string[] {
  const listensEverywhere = configuredHost === '0.0.0.0' || configuredHost === '::'
  const addresses = listensEverywhere
    ? Object.values(networkInterfaces())
        .flatMap((each) => each ?? [])
        .map(({ address }) => address)
    : [configuredHost]
  return [
    'localhost',
    '127.0.0.1',
    '[::1]',
    ...addresses.map((address) => (address.includes(':') ? `[${address}]` : address.toLowerCase())),
  ]
}
