import { isDataModel1 } from '../model/index.ts'
import { type JsonObject, parseDateTimeStamp, VerificationError } from '../formats/index.ts'

/** Maximum difference between the clocks of two machines, in milliseconds. */
const maxSkewMs = 5 * 60 * 1000

/** Parses a date and time. @throws VerificationError if the value is none. @returns milliseconds since 1970 */
export function parseInstant(value: unknown, name: string): number {
  const time = parseDateTimeStamp(value)
  if (time === null) throw new VerificationError(`${name} is no date and time with an offset`)
  return time
}

/**
 * Checks that now is between two times, with a tolerance of five minutes; either time may be absent.
 * @throws VerificationError
 */
export function assertWithinPeriod(
  now: Date,
  { from, until }: { from?: [string, unknown]; until?: [string, unknown] },
): void {
  const begin = from?.[1] === undefined ? null : parseInstant(from[1], from[0])
  const end = until?.[1] === undefined ? null : parseInstant(until[1], until[0])
  if (begin !== null && begin > now.getTime() + maxSkewMs)
    throw new VerificationError(`${from?.[0]} is in the future: ${String(from?.[1])}`)
  if (end !== null && end < now.getTime() - maxSkewMs)
    throw new VerificationError(`${until?.[0]} is past: ${String(until?.[1])}`)
  if (begin !== null && end !== null && end < begin) throw new VerificationError(`${until?.[0]} is before ${from?.[0]}`)
}

/**
 * Checks whether a credential is valid now; for the Data Model 1.1 also by the dates of that version.
 * @returns a sentence
 * @throws VerificationError
 * Source: W3C Verifiable Credentials Data Model 2.0, section 4.9; 1.1, sections 4.6 and 4.7; RFC 7519, sections 4.1.4
 * and 4.1.5, for the claims of a token
 */
export function checkValidity(credential: JsonObject, now: Date): string {
  const { validFrom, validUntil, exp, nbf } = credential
  assertWithinPeriod(now, { from: ['validFrom', validFrom], until: ['validUntil', validUntil] })
  if (isDataModel1(credential)) return checkDataModel1Validity(credential, now)
  assertWithinPeriod(now, { from: ['nbf', parseNumericDate(nbf, 'nbf')], until: ['exp', parseNumericDate(exp, 'exp')] })
  const began = validFrom === undefined ? 'It is valid now' : `It is valid since ${String(validFrom)}`
  return validUntil === undefined ? `${began}, without an end` : `${began}, until ${String(validUntil)}`
}

function checkDataModel1Validity({ issuanceDate, expirationDate, validUntil }: JsonObject, now: Date): string {
  assertWithinPeriod(now, { from: ['issuanceDate', issuanceDate], until: ['expirationDate', expirationDate] })
  const end = expirationDate ?? validUntil
  return `It is valid since ${String(issuanceDate)}, ${end === undefined ? 'without an end' : `until ${String(end)}`}`
}

/** Converts seconds since 1970 to a date and time. @throws VerificationError if the value is no number of seconds */
function parseNumericDate(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || Math.abs(value) > 1e11)
    throw new VerificationError(`${name} is no number of seconds`)
  return new Date(value * 1_000).toISOString()
}
