import { isJson, isText } from './body.ts'
import { base64, saysUtf8, utf8 } from './parts.ts'
import { visible } from './visible.ts'

/** What a result is made of. Source: MCP, tools, tool result. */
export type Block =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } }
  | {
      type: 'resource_link'
      uri: string
      name: string
      title?: string
      description?: string
      mimeType?: string
      size?: number
    }

/** The bytes as text; null where their media type or they themselves are something else than UTF-8 text. */
export const textIn = (mediaType: string, bytes: Uint8Array) =>
  isText(mediaType) && saysUtf8(mediaType) ? utf8(bytes) : null

/** Pictures and sounds as such, text as text, other bytes as a blob. @param uri names the bytes */
export function blockOf(mimeType: string, bytes: Uint8Array, uri: string): Block {
  const [, seen] = /^(image|audio)\//i.exec(mimeType) ?? []
  if (seen !== undefined)
    return { type: seen.toLowerCase() as 'image' | 'audio', data: base64(bytes), mimeType }
  const text = textIn(mimeType, bytes)
  if (text !== null) return shownText(mimeType, text)
  return { type: 'resource', resource: { uri, mimeType, blob: base64(bytes) } }
}

/** A text in which nothing is hidden from a reader. */
export const shownText = (mimeType: string, text: string): Block => ({
  type: 'text',
  text: visible(text, isJson(mimeType)),
})
