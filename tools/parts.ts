import { isUtf8 } from 'node:buffer'
import type { ApiAnswer } from './request.ts'

/** A tool result shows this much of a body; the rest stands behind a link. In bytes. */
export const shownPart = 256 * 1024

/**
 * Where to cut a text after at most `limit` bytes: after its last whole line if that is not far away, else after a
 * whole character.
 */
export function cutText(bytes: Uint8Array, limit: number): number {
  if (bytes.length <= limit) return bytes.length
  const line = bytes.lastIndexOf(0x0a, limit - 1) + 1
  if (line > limit - 64 * 1024) return line
  let end = limit
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return end
}

/** The bytes as text, a byte order mark kept; null where they are not UTF-8. */
export const utf8 = (bytes: Uint8Array): string | null =>
  isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : null

export const base64 = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** A text in another encoding than UTF-8 is handed on as bytes. */
export const saysUtf8 = (mediaType: string) => /;\s*charset=(?!"?utf-?8"?\s*(;|$))/i.exec(mediaType) === null

/** `#bytes=<first>-<last>`, without a last one for the rest. */
export const rangeOf = (first: number, end?: number) => `#bytes=${first}-${end === undefined ? '' : end - 1}`

export const sizeText = ({ size }: ApiAnswer) => (size === null ? 'more' : String(size))
