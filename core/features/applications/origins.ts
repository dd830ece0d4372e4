import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import { isLocalhost } from './domains/domains.hosts.ts'
import { findProvenOwner } from './domains/domains.owner.ts'

/** How long an answer is remembered, in milliseconds, and of how many hosts. */
const rememberedMs = 10_000
const maxHosts = 10_000

/**
 * Tells whether an organization has proven that a host is its own. Answers are remembered for 10 s: browsers send an
 * Origin with every call. @returns a function of a host in small letters, without port
 */
export function isProvenHost({ db }: Pick<Context, 'db'>): (host: string) => Promise<boolean> {
  const known = new Map<string, { proven: boolean; until: number }>()
  return async (host) => {
    const now = performance.now()
    const remembered = known.get(host)
    if (remembered && remembered.until > now) return remembered.proven
    const proven = await findProvenOwner(db, host) !== undefined
    if (known.size >= maxHosts) known.clear()
    known.set(host, { proven, until: now + rememberedMs })
    return proven
  }
}

/**
 * Tells whether pages of an origin may read answers: a proven domain by https on its usual port. Below localhost, in
 * development, any port and http will do. @returns a function of an Origin header
 */
export function allowsOrigin(context: Pick<Context, 'db' | 'settings'>): (origin: string) => Promise<boolean> {
  const isProven = isProvenHost(context)
  return async (origin) => {
    const host = hostOfOrigin(origin, !context.settings.production)
    return host !== undefined && isProven(host)
  }
}

/** Tells whether a page is on a proven domain of this application: https without a port of its own. */
export async function isOriginOf(db: Knex, application: string, origin: string): Promise<boolean> {
  const host = hostOfOrigin(origin, false)
  const owner = host === undefined ? undefined : await findProvenOwner(db, host)
  if (!owner) return false
  const { organization, domain } = owner
  const found = await db('application_domains').where({ application, organization, domain, status: 'proven' })
    .first<{ id: string } | undefined>('id')
  return found !== undefined
}

const hostName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

/** Reads the host of an origin whose pages may be let in at all. An Origin that no browser would write has none. */
function hostOfOrigin(origin: string, development: boolean): string | undefined {
  const url = URL.parse(origin)
  if (url?.origin !== origin || !hostName.test(url.hostname)) return undefined
  if (isLocalhost(url.hostname)) return development && /^https?:$/.test(url.protocol) ? url.hostname : undefined
  return url.protocol === 'https:' && url.port === '' ? url.hostname : undefined
}
