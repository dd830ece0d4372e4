/** One part of a multipart body. */
export interface BodyPart {
  /** The Content-Type of the part. */
  readonly mediaType: string
  readonly bytes: Uint8Array
}

const maxParts = 32
const maxHeaderBytes = 8 * 1024
const lineEnd = Buffer.from('\r\n')

export const isMultipartMixed = (mediaType: string) => /^multipart\/mixed\s*(;|$)/i.test(mediaType)

/**
 * Parses the parts of a multipart body in order. Returns null if the body is not valid: it has no boundary or no end,
 * more than 32 parts, a part with malformed headers, or an encoded part. Nested parts are not parsed. Source: RFC 2046,
 * section 5.1.
 */
export function parseParts(mediaType: string, body: Uint8Array): readonly BodyPart[] | null {
  const boundary = parseBoundary(mediaType)
  if (boundary === null) return null
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const parts: BodyPart[] = []
  let at = findDelimiter(bytes, boundary, 0)
  while (at !== null && !at.isLast) {
    const next = findDelimiter(bytes, boundary, at.end)
    const part = next && parsePart(bytes.subarray(at.end, next.start))
    if (!part || parts.length === maxParts) return null
    parts.push(part)
    at = next
  }
  return at === null || parts.length === 0 ? null : parts
}

/**
 * Parses the boundary; null if it is not valid. Source: RFC 2046, section 5.1.1; RFC 9110, section 5.6.6, parameters.
 */
function parseBoundary(mediaType: string): string | null {
  const [, quoted, token] = /;\s*boundary=(?:"([^"\\]+)"|([^\s;"]+))\s*(?:;|$)/i.exec(mediaType) ?? []
  const boundary = quoted ?? token ?? ''
  return /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(boundary) ? boundary : null
}

interface Delimiter {
  /** The beginning of the line break before the delimiter, which belongs to the delimiter. */
  readonly start: number
  /** The position after the delimiter's own line break. */
  readonly end: number
  readonly isLast: boolean
}

/**
 * Finds the next line that separates parts.
 * @param from a position after a line break, or 0
 */
function findDelimiter(bytes: Buffer, boundary: string, from: number): Delimiter | null {
  const dashes = `--${boundary}`
  for (let at = bytes.indexOf(dashes, from, 'latin1'); at >= 0; at = bytes.indexOf(dashes, at + 1, 'latin1')) {
    const begins = at === 0 || (at >= 2 && bytes.subarray(at - 2, at).equals(lineEnd))
    if (!begins) continue
    const broken = bytes.indexOf(lineEnd, at + dashes.length)
    const rest = bytes.toString('latin1', at + dashes.length, broken < 0 ? bytes.length : broken)
    const start = Math.max(from, at - 2)
    if (/^--[ \t]*$/.test(rest)) return { start, end: bytes.length, isLast: true }
    if (broken >= 0 && /^[ \t]*$/.test(rest)) return { start, end: broken + 2, isLast: false }
  }
  return null
}

/** Parses the headers, an empty line and the content of a part; headers or content may be missing. */
function parsePart(part: Buffer): BodyPart | null {
  const bare = part.subarray(0, 2).equals(lineEnd)
  const split = bare ? -2 : part.indexOf('\r\n\r\n', 0, 'latin1')
  const content = bare || split >= 0 ? split + 4 : part.length
  if (content > maxHeaderBytes) return null
  const headers = parseHeaders(part.toString('latin1', 0, bare ? 0 : content))
  const encoding = headers?.get('content-transfer-encoding') ?? 'binary'
  if (headers === null || !/^(7bit|8bit|binary)$/i.test(encoding)) return null
  return { mediaType: headers.get('content-type') ?? 'text/plain', bytes: part.subarray(content) }
}

/**
 * Parses headers by name in lower case; null if a line is not a header. Source: RFC 5322, section 2.2, without folding.
 */
function parseHeaders(text: string): Map<string, string> | null {
  const headers = new Map<string, string>()
  for (const line of text.split('\r\n').filter((one) => one !== '')) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return null
    headers.set(name.toLowerCase(), value.trim())
  }
  return headers
}
