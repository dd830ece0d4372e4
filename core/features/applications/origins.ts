import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'

/** How long an answer is believed, in milliseconds, and how many hosts are remembered. */
const believed = 10_000
const most = 10_000

/**
 * Tells whether some application calls a host its own, remembering for 10 s: browsers send an Origin with every call.
 * @returns a function of a host name without port
 */
export function allowsOrigin({ db, clock }: Pick<Context, 'db' | 'clock'>): (host: string) => Promise<boolean> {
  const known = new Map<string, { allowed: boolean; until: number }>()
  return async (host) => {
    const now = clock.now().getTime()
    const remembered = known.get(host)
    if (remembered && remembered.until > now) return remembered.allowed
    const owners = db('applications').whereRaw('domains @> array[?]::text[]', [host.toLowerCase()])
    const found = await owners.first('id') as unknown
    if (known.size >= most) known.clear()
    known.set(host, { allowed: found !== undefined, until: now + believed })
    return found !== undefined
  }
}

/** Tells whether a page is on a domain of this application: https without a port of its own. */
export async function isOriginOf(db: Knex, application: string, origin: string): Promise<boolean> {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname, origin: canonical } = new URL(origin)
  if (protocol !== 'https:' || canonical !== origin || canonical !== `https://${hostname}`) return false
  const found = await db('applications').where({ id: application })
    .whereRaw('domains @> array[?]::text[]', [hostname]).first<{ id: string } | undefined>('id')
  return found !== undefined
}
