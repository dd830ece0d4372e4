/** Refused as one segment of a path: it would name another place, or no place at all. */
const leaving = /^\.{0,2}$|[\u0000-\u001f\u007f]/

/** The value as exactly one percent-encoded segment; null where it cannot be one (RFC 3986, sections 3.3 and 5.2.4). */
export function encodeSegment(value: string): string | null {
  return leaving.test(value) || !value.isWellFormed() ? null : encodeURIComponent(value)
}

/** What a segment of an address stands for; null where it is malformed or leaves its place. */
export function decodeSegment(segment: string): string | null {
  const decoded = decode(segment)
  return decoded === null || leaving.test(decoded) ? null : decoded
}

/** Percent-decoded text, null where it is malformed. */
export function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    if (cause instanceof URIError) return null
    throw cause
  }
}
