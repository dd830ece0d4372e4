/** The part of a trace that is passed on to the API. Source: W3C Trace Context, traceparent. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 2 hexadecimal digits; the lowest bit says that the trace is recorded. */
  readonly traceFlags: string
}

/** A later version may add fields at the end. Version ff and ids of zeros only are invalid. */
const traceparentPattern = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/

/** Parses a `traceparent`; returns null if it is not well-formed. Source: W3C Trace Context, section 3.2. */
export function parseTraceparent(value: unknown): Trace | null {
  if (typeof value !== 'string') return null
  const [, version, traceId, traceFlags, rest] = traceparentPattern.exec(value) ?? []
  if (traceId === undefined || traceFlags === undefined || (version === '00' && rest !== undefined)) return null
  return { traceId, traceFlags }
}
