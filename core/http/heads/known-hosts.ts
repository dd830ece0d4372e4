import { networkInterfaces } from 'node:os'
import type { Context as KoaContext } from 'koa'
import { problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'

/** Tells whether an organization has proven that a host name is its own. */
export type ProvenHostLookup = (host: string) => Promise<boolean>

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::\d{1,5})?$/
const addressPattern = /^(\d{1,3}(\.\d{1,3}){3}|\[.*\])$/
const maxAcceptedHosts = 100
const watchedPath = /^\/health\//

/**
 * Makes the check of a request's Host. Pages and links are made for the host that was asked, so a host that is not ours
 * would lead people and caches to somebody else. Ours are those of the configured addresses, of ALLOWED_HOSTS and proven domains; outside
 * production also the names and addresses of this machine. What watches a process asks it by its address, so health is
 * answered under every host. Source: RFC 9110, section 7.4; CWE-644.
 * @returns a function that throws MISDIRECTED_REQUEST (421)
 */
export function hostCheck({ settings }: Pick<Context, 'settings'>, isProven: ProvenHostLookup): (ctx: KoaContext) => Promise<void> | void {
  const { baseUrl, publicUrl, apiUrl, allowedHosts, production } = settings
  const known = new Set([baseUrl, publicUrl, apiUrl].map((address) => new URL(address).hostname).concat(allowedHosts))
  if (!production) for (const name of machineHosts(settings.host)) known.add(name)
  // Spellings that were known, with their ports: most requests come with the same few.
  const accepted = new Set<string>()
  const refuse = () => { throw problem('MISDIRECTED_REQUEST', 'This server does not answer for the host of the request.') }
  const refuseUnproven = async (host: string) => { if (!(await isProven(host))) refuse() }
  return (ctx) => {
    const sent = ctx.host
    // A request of HTTP/1.0 may come without a host.
    if (sent === '' || accepted.has(sent) || watchedPath.test(ctx.path)) return
    const host = hostPattern.exec(sent.toLowerCase())?.[1]
    if (host !== undefined && (known.has(host) || (!production && host.endsWith('.localhost')))) {
      if (accepted.size < maxAcceptedHosts) accepted.add(sent)
      return
    }
    if (host === undefined || addressPattern.test(host)) return refuse()
    return refuseUnproven(host)
  }
}

/** Names and addresses by which this machine is reached: a phone in the same network opens a page by its address. */
function machineHosts(listening: string): string[] {
  const everywhere = listening === '0.0.0.0' || listening === '::'
  const addresses = everywhere ? Object.values(networkInterfaces()).flatMap((each) => each ?? []).map(({ address }) => address) : [listening]
  return ['localhost', '127.0.0.1', '[::1]', ...addresses.map((address) => (address.includes(':') ? `[${address}]` : address.toLowerCase()))]
}
