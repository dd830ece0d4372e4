import { OutboundError, type FetchedResponse, type OutboundOptions } from '../kernel/ports/outbound.ts'
import {
  sendRequest,
  getRedirect,
  createWholeBodyHandler,
  type FetchExpectations,
  type ResponseHead,
  type ResponseHandler,
} from './send-request.ts'
import { lookUpInSystem, withFixedAddresses, type AddressLookup } from './address-lookup.ts'
import type { OutboundSettings } from './outbound.ts'
import { parseAllowedHosts, resolveTarget, type FetchGuard } from './target.ts'

const maxRedirects = 3

/** Creates the guard that checks the addresses of a fetch. */
export const createGuard = (
  { outboundAllow, outboundResolve }: Pick<OutboundSettings, 'outboundAllow' | 'outboundResolve'>,
  lookUp: AddressLookup = lookUpInSystem,
): FetchGuard => ({
  lookUp: withFixedAddresses(outboundResolve, lookUp),
  allowedHosts: parseAllowedHosts(outboundAllow),
})

/** Fetches an address and reads the whole body. @throws OutboundError */
export function fetchWhole(
  address: string,
  options: OutboundOptions & { form?: string },
  guard: FetchGuard,
  signal: AbortSignal,
): Promise<FetchedResponse> {
  return followRedirects(address, options, guard, signal, createWholeBodyHandler(options.maxBytes))
}

/**
 * Sends a request and follows redirects; each new target is checked again. `secretHeaders` are sent only to the first
 * origin: once a redirect has left that origin, no later request has them. @throws OutboundError
 */
export async function followRedirects<T>(
  address: string,
  {
    secretHeaders,
    sameOrigin = false,
    ...expectations
  }: FetchExpectations & { secretHeaders?: Record<string, string>; sameOrigin?: boolean },
  guard: FetchGuard,
  signal: AbortSignal,
  handleResponse: ResponseHandler<T>,
): Promise<T> {
  let target = await resolveTarget(address, guard)
  let headers = { ...secretHeaders, ...expectations.headers }
  for (let hops = 0; ; hops++) {
    signal.throwIfAborted()
    const answer = await sendRequest(target, { ...expectations, headers }, signal, async (head, body, encoding) =>
      getRedirect(head) === undefined
        ? { taken: await handleResponse(head, body, encoding) }
        : { location: getLocation(head) },
    )
    if ('taken' in answer) return answer.taken
    if (expectations.form !== undefined)
      throw new OutboundError('redirects', `${target.url.hostname} leads a form elsewhere`)
    if (hops === maxRedirects) throw new OutboundError('redirects', `more than ${maxRedirects} redirects`)
    const next = await resolveTarget(answer.location, guard, target.url)
    if (next.url.origin !== target.url.origin) {
      if (sameOrigin) throw new OutboundError('redirects', `${target.url.hostname} leads to another origin`)
      headers = { ...expectations.headers }
    }
    target = next
  }
}

const getLocation = (head: ResponseHead) => getRedirect(head) ?? ''
