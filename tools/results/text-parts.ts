import { isUtf8 } from 'node:buffer'
import { showInvisible } from '../arguments/show-invisible.ts'
import type { ApiAnswer } from './api-request.ts'

/** The bytes of a body that a tool result shows; a link leads to the rest. */
export const maxShownBytes = 256 * 1024

/**
 * Returns where to cut a text after at most `maxBytes` bytes: after the last whole line if that is near, otherwise
 * after a whole character.
 */
export function findTextCut(bytes: Uint8Array, maxBytes: number): number {
  if (bytes.length <= maxBytes) return bytes.length
  const line = bytes.lastIndexOf(0x0a, maxBytes - 1) + 1
  if (line > 0 && line > maxBytes - 64 * 1024) return line
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return end
}

/** The part of a text that is shown: its bytes up to `end` of `size`, with visible characters. */
export interface ShownText {
  readonly text: string
  readonly end: number
  readonly size: number
}

/** Makes all characters of a text visible and cuts it, so that at most `maxBytes` bytes are shown. */
export function cutShownText(text: string, json: boolean, maxBytes = maxShownBytes): ShownText {
  const size = Buffer.byteLength(text)
  if (size <= maxBytes) {
    const whole = showInvisible(text, json)
    if (whole === text || Buffer.byteLength(whole) <= maxBytes) return { text: whole, end: size, size }
  }
  const bytes = Buffer.from(text)
  for (let room = Math.min(maxBytes, size); ;) {
    const end = findTextCut(bytes, room)
    const shown = showInvisible(decodeUtf8(bytes.subarray(0, end)) ?? '', json)
    const shownSize = Buffer.byteLength(shown)
    if (shownSize <= maxBytes) return { text: shown, end, size }
    // The name of an invisible character takes more bytes than the character.
    room = Math.max(0, Math.floor((end * maxBytes) / shownSize) - 1)
  }
}

/** Decodes bytes as text and keeps a byte order mark; null if they are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | null =>
  isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : null

export const encodeBase64 = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** Returns whether the media type states no other charset than UTF-8. Other text is passed on as bytes. */
export const isDeclaredUtf8 = (mediaType: string) => /;\s*charset=(?!"?utf-?8"?\s*(;|$))/i.exec(mediaType) === null

/** Formats `#bytes=<first>-<last>`; without an end it has no last position. */
export const formatByteRange = (first: number, end?: number) => `#bytes=${first}-${end === undefined ? '' : end - 1}`

export const formatSize = ({ size }: Pick<ApiAnswer, 'size'>) => (size === null ? 'more' : String(size))
