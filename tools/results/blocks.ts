import { isJson, isText } from '../arguments/body-form.ts'
import { encodeBase64, isDeclaredUtf8, decodeUtf8 } from './text-parts.ts'
import { showInvisible } from '../arguments/show-invisible.ts'

/** One block of a result's content. Source: MCP, tools, tool result. */
export type ContentBlock =
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

/** Decodes bytes as text; null if the media type or the bytes are not UTF-8 text. */
export const decodeText = (mediaType: string, bytes: Uint8Array) =>
  isText(mediaType) && isDeclaredUtf8(mediaType) ? decodeUtf8(bytes) : null

/**
 * Converts bytes to a block: images and audio as such, text as text, anything else as a blob.
 * @param uri names the bytes
 */
export function toContentBlock(mimeType: string, bytes: Uint8Array, uri: string): ContentBlock {
  const [, seen] = /^(image|audio)\//i.exec(mimeType) ?? []
  if (seen !== undefined) return { type: seen.toLowerCase() as 'image' | 'audio', data: encodeBase64(bytes), mimeType }
  const text = decodeText(mimeType, bytes)
  if (text !== null) return createTextBlock(mimeType, text)
  return { type: 'resource', resource: { uri, mimeType, blob: encodeBase64(bytes) } }
}

/** Creates a text block in which all characters are visible. */
export const createTextBlock = (mimeType: string, text: string): ContentBlock => ({
  type: 'text',
  text: showInvisible(text, isJson(mimeType)),
})
