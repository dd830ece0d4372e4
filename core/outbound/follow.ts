import { OutboundError, type Fetched, type OutboundOptions } from '../kernel/parts.ts'
import { ask, redirectOf } from './ask.ts'
import { systemLookUp, withFixed, type LookUp } from './names.ts'
import type { OutboundSettings } from './outbound.ts'
import { allowedHosts, targetOf, type Guard } from './target.ts'

const mostRedirects = 3

/** What a fetch is judged by. */
export const guardOf = (
  { outboundAllow, outboundResolve }: OutboundSettings,
  lookUp: LookUp = systemLookUp,
): Guard => ({ lookUp: withFixed(outboundResolve, lookUp), allowed: allowedHosts(outboundAllow) })

/** Asks, and goes where it is sent, each time to a target that was judged anew. @throws OutboundError */
export async function follow(
  address: string,
  options: OutboundOptions,
  guard: Guard,
  signal: AbortSignal,
): Promise<Fetched> {
  let target = await targetOf(address, guard)
  for (let hops = 0; ; hops++) {
    signal.throwIfAborted()
    const answer = await ask(target, options, signal)
    const location = redirectOf(answer)
    if (location === undefined) return answer
    if (hops === mostRedirects) throw new OutboundError('redirects', `more than ${mostRedirects} redirects`)
    target = await targetOf(location, guard, target.url)
  }
}
