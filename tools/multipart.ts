/** One part of a body that has several. */
export interface Part {
  /** Its Content-Type. */
  readonly mediaType: string
  readonly bytes: Uint8Array
}

const mostParts = 32
const mostHeaderBytes = 8 * 1024
const lineEnd = Buffer.from('\r\n')

export const isMixed = (mediaType: string) => /^multipart\/mixed\s*(;|$)/i.test(mediaType)

/**
 * The parts of a multipart body, in order; null where it is not one: no boundary, no end, more than 32 parts, a part
 * whose headers are malformed or say that its bytes are encoded. A part is not taken apart again.
 * Source: RFC 2046, section 5.1.
 */
export function partsOf(mediaType: string, body: Uint8Array): readonly Part[] | null {
  const boundary = boundaryOf(mediaType)
  if (boundary === null) return null
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const parts: Part[] = []
  let at = delimiter(bytes, boundary, 0)
  while (at !== null && !at.last) {
    const next = delimiter(bytes, boundary, at.end)
    const part = next && partIn(bytes.subarray(at.end, next.start))
    if (!part || parts.length === mostParts) return null
    parts.push(part)
    at = next
  }
  return at === null || parts.length === 0 ? null : parts
}

/** Source: RFC 2046, section 5.1.1, `boundary`; RFC 9110, section 5.6.6, parameters. */
function boundaryOf(mediaType: string): string | null {
  const [, quoted, token] = /;\s*boundary=(?:"([^"\\]+)"|([^\s;"]+))\s*(?:;|$)/i.exec(mediaType) ?? []
  const boundary = quoted ?? token ?? ''
  return /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(boundary) ? boundary : null
}

interface Delimiter {
  /** Where the line break before it begins, which is a part of it. */
  readonly start: number
  /** Behind its own line break. */
  readonly end: number
  readonly last: boolean
}

/**
 * The next line that separates parts.
 * @param from behind a line break, or 0
 */
function delimiter(bytes: Buffer, boundary: string, from: number): Delimiter | null {
  const dashes = `--${boundary}`
  for (let at = bytes.indexOf(dashes, from, 'latin1'); at >= 0; at = bytes.indexOf(dashes, at + 1, 'latin1')) {
    const begins = at === 0 || (at >= 2 && bytes.subarray(at - 2, at).equals(lineEnd))
    if (!begins) continue
    const broken = bytes.indexOf(lineEnd, at + dashes.length)
    const rest = bytes.toString('latin1', at + dashes.length, broken < 0 ? bytes.length : broken)
    const start = Math.max(from, at - 2)
    if (/^--[ \t]*$/.test(rest)) return { start, end: bytes.length, last: true }
    if (broken >= 0 && /^[ \t]*$/.test(rest)) return { start, end: broken + 2, last: false }
  }
  return null
}

/** Headers, an empty line, and the content; either may be missing. */
function partIn(part: Buffer): Part | null {
  const bare = part.subarray(0, 2).equals(lineEnd)
  const split = bare ? -2 : part.indexOf('\r\n\r\n', 0, 'latin1')
  const content = bare || split >= 0 ? split + 4 : part.length
  if (content > mostHeaderBytes) return null
  const headers = headersIn(part.toString('latin1', 0, bare ? 0 : content))
  const encoding = headers?.get('content-transfer-encoding') ?? 'binary'
  if (headers === null || !/^(7bit|8bit|binary)$/i.test(encoding)) return null
  return { mediaType: headers.get('content-type') ?? 'text/plain', bytes: part.subarray(content) }
}

/** By name in lower case; null where a line is none. Source: RFC 5322, section 2.2, without folding. */
function headersIn(text: string): Map<string, string> | null {
  const headers = new Map<string, string>()
  for (const line of text.split('\r\n').filter((one) => one !== '')) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return null
    headers.set(name.toLowerCase(), value.trim())
  }
  return headers
}
