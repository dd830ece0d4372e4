import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import { isLocalhost } from './domains/domains.hosts.ts'
import { findProvenOwner } from './domains/domains.owner.ts'

/** How long an answer is cached, in milliseconds, and for how many hosts. */
const cacheMs = 10_000
const maxHosts = 10_000

/**
 * Creates a function that checks whether an organization has proven that a host is its own. Answers are cached for 10 s
 * because browsers send an Origin with every call.
 * @returns a function of a host in small letters, without port
 */
export function createProvenHostCheck({ db }: Pick<Context, 'db'>): (host: string) => Promise<boolean> {
  const cachedHosts = new Map<string, { proven: boolean; until: number }>()
  return async (host) => {
    const now = performance.now()
    const cachedHost = cachedHosts.get(host)
    if (cachedHost && cachedHost.until > now) return cachedHost.proven
    const isProven = (await findProvenOwner(db, host)) !== undefined
    if (cachedHosts.size >= maxHosts) cachedHosts.clear()
    cachedHosts.set(host, { proven: isProven, until: now + cacheMs })
    return isProven
  }
}

/**
 * Creates a function that checks whether pages of an origin may read answers: the origin must be a proven domain with
 * https on port 443. In development, names below localhost may also use http and any port.
 * @returns a function of an Origin header
 */
export function createOriginCheck(context: Pick<Context, 'db' | 'settings'>): (origin: string) => Promise<boolean> {
  const isProven = createProvenHostCheck(context)
  return async (origin) => {
    const host = getOriginHost(origin, !context.settings.production)
    return host !== undefined && isProven(host)
  }
}

/**
 * Checks whether a page is on a proven domain of this application, with https and without an explicit port.
 * @param isDevelopment whether names below localhost may also use http and any port
 */
export async function isApplicationOrigin(
  db: Knex,
  application: string,
  origin: string,
  isDevelopment = false,
): Promise<boolean> {
  const host = getOriginHost(origin, isDevelopment)
  const owner = host === undefined ? undefined : await findProvenOwner(db, host)
  if (!owner) return false
  const { organization, domain } = owner
  const found = await db('application_domains')
    .where({ application, organization, domain, status: 'proven' })
    .first<{ id: string } | undefined>('id')
  return found !== undefined
}

/**
 * Checks whether a page is on a proven domain of any application of this organization, with https and without an explicit
 * port.
 * @param isDevelopment whether names below localhost may also use http and any port
 */
export async function isOrganizationOrigin(
  db: Knex,
  organization: string,
  origin: string,
  isDevelopment = false,
): Promise<boolean> {
  const host = getOriginHost(origin, isDevelopment)
  const owner = host === undefined ? undefined : await findProvenOwner(db, host)
  return owner?.organization === organization
}

const hostNamePattern = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

/**
 * Returns the host of an origin whose pages may be allowed at all; undefined for an Origin that no browser would send.
 */
function getOriginHost(origin: string, isDevelopment: boolean): string | undefined {
  const url = URL.parse(origin)
  if (url?.origin !== origin || !hostNamePattern.test(url.hostname)) return undefined
  if (isLocalhost(url.hostname)) return isDevelopment && /^https?:$/.test(url.protocol) ? url.hostname : undefined
  return url.protocol === 'https:' && url.port === '' ? url.hostname : undefined
}
