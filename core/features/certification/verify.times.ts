import { isOfFirstModel } from './model.contexts.ts'
import { momentOf } from './model.times.ts'
import { Doubt, type Json } from './verify.doubt.ts'

/** Milliseconds by which the clocks of two machines may differ. */
const skew = 5 * 60 * 1000

/** @throws Doubt for what is no instant. @returns milliseconds since 1970 */
export function instantOf(value: unknown, name: string): number {
  const time = momentOf(value)
  if (time === null) throw new Doubt(`${name} is no date and time with an offset`)
  return time
}

/** A beginning and an end, each where it is there. @throws Doubt unless now is between them, give or take five minutes */
export function refuseOutside(now: Date, { from, until }: { from?: [string, unknown]; until?: [string, unknown] }): void {
  const begin = from?.[1] === undefined ? null : instantOf(from[1], from[0])
  const end = until?.[1] === undefined ? null : instantOf(until[1], until[0])
  if (begin !== null && begin > now.getTime() + skew) throw new Doubt(`${from?.[0]} is in the future: ${String(from?.[1])}`)
  if (end !== null && end < now.getTime() - skew) throw new Doubt(`${until?.[0]} is past: ${String(until?.[1])}`)
  if (begin !== null && end !== null && end < begin) throw new Doubt(`${until?.[0]} is before ${from?.[0]}`)
}

/**
 * Whether a credential holds now; one of the Data Model 1.1 by its own dates as well. @returns a sentence. @throws Doubt
 * Source: W3C Verifiable Credentials Data Model 2.0, section 4.9; 1.1, sections 4.6 and 4.7; RFC 7519, sections 4.1.4 and 4.1.5, where a token has such claims
 */
export function validityOf(credential: Json, now: Date): string {
  const { validFrom, validUntil, exp, nbf } = credential
  refuseOutside(now, { from: ['validFrom', validFrom], until: ['validUntil', validUntil] })
  if (isOfFirstModel(credential)) return firstValidityOf(credential, now)
  refuseOutside(now, { from: ['nbf', claimed(nbf, 'nbf')], until: ['exp', claimed(exp, 'exp')] })
  const began = validFrom === undefined ? 'It is valid now' : `It is valid since ${String(validFrom)}`
  return validUntil === undefined ? `${began}, without an end` : `${began}, until ${String(validUntil)}`
}

function firstValidityOf({ issuanceDate, expirationDate, validUntil }: Json, now: Date): string {
  refuseOutside(now, { from: ['issuanceDate', issuanceDate], until: ['expirationDate', expirationDate] })
  const end = expirationDate ?? validUntil
  return `It is valid since ${String(issuanceDate)}, ${end === undefined ? 'without an end' : `until ${String(end)}`}`
}

/** Seconds since 1970 as an instant. */
function claimed(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || Math.abs(value) > 1e11) throw new Doubt(`${name} is no number of seconds`)
  return new Date(value * 1_000).toISOString()
}
