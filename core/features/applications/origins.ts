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
