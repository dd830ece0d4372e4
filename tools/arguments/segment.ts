/** Matches texts that cannot be one segment of a path: they would name another place, or none at all. */
const forbiddenSegment = /^\.{0,2}$|[\u0000-\u001f\u007f]/

/** Encodes a value as exactly one segment; null if it cannot be one (RFC 3986, sections 3.3 and 5.2.4). */
export function encodeSegment(value: string): string | null {
  return forbiddenSegment.test(value) || !value.isWellFormed() ? null : encodeURIComponent(value)
}

/** Decodes a segment of an address; null if it is malformed or would lead to another place. */
export function decodeSegment(segment: string): string | null {
  const decoded = decodePercent(segment)
  return decoded === null || forbiddenSegment.test(decoded) ? null : decoded
}

/** Decodes percent-encoded text; null if it is malformed. */
export function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    if (cause instanceof URIError) return null
    throw cause
  }
}
