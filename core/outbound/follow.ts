import { OutboundError, type Fetched, type OutboundOptions } from '../kernel/parts.ts'
import { ask, redirectOf, whole, type Asked, type Head, type Take } from './ask.ts'
import { systemLookUp, withFixed, type LookUp } from './names.ts'
import type { OutboundSettings } from './outbound.ts'
import { allowedHosts, targetOf, type Guard } from './target.ts'

const mostRedirects = 3

/** What a fetch is judged by. */
export const guardOf = (
  { outboundAllow, outboundResolve }: Pick<OutboundSettings, 'outboundAllow' | 'outboundResolve'>,
  lookUp: LookUp = systemLookUp,
): Guard => ({ lookUp: withFixed(outboundResolve, lookUp), allowed: allowedHosts(outboundAllow) })

/** A fetch whose body comes as a whole. @throws OutboundError */
export function follow(
  address: string,
  options: OutboundOptions,
  guard: Guard,
  signal: AbortSignal,
): Promise<Fetched> {
  return followTo(address, options, guard, signal, whole(options.most))
}

/**
 * Asks, and goes where it is sent, each time to a target that was judged anew. `secrets` are headers for the first
 * origin alone: what has left it once goes on without them, wherever it is sent. @throws OutboundError
 */
export async function followTo<T>(
  address: string,
  { secrets, sameOrigin = false, ...asked }: Asked & { secrets?: Record<string, string>; sameOrigin?: boolean },
  guard: Guard,
  signal: AbortSignal,
  take: Take<T>,
): Promise<T> {
  let target = await targetOf(address, guard)
  let headers = { ...secrets, ...asked.headers }
  for (let hops = 0; ; hops++) {
    signal.throwIfAborted()
    const answer = await ask(target, { ...asked, headers }, signal, async (head, body, encoding) =>
      (redirectOf(head) === undefined ? { taken: await take(head, body, encoding) } : { location: locationOf(head) }))
    if ('taken' in answer) return answer.taken
    if (hops === mostRedirects) throw new OutboundError('redirects', `more than ${mostRedirects} redirects`)
    const next = await targetOf(answer.location, guard, target.url)
    if (next.url.origin !== target.url.origin) {
      if (sameOrigin) throw new OutboundError('redirects', `${target.url.hostname} leads to another origin`)
      headers = { ...asked.headers }
    }
    target = next
  }
}

const locationOf = (head: Head) => redirectOf(head) ?? ''
