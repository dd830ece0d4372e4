import type { ArgumentPlan } from '../arguments/arguments.ts'
import { isJson } from '../arguments/body-form.ts'
import { showInvisible, showInvisibleTexts } from '../arguments/show-invisible.ts'
import { parseExactJson } from '../json.ts'
import { DocumentError, resolveReference, isRecord, type ApiDocument } from '../openapi.ts'
import type { ExposedOperation } from './operations.ts'
import type { ApiAnswer, ByteRange } from '../results/api-request.ts'
import { cutShownText, maxShownBytes } from '../results/text-parts.ts'

/** A prompt as `prompts/list` shows it. Source: MCP, prompts. */
export interface PromptEntry {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
}

export interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** The answer to `prompts/get`. */
export interface PromptResult {
  readonly description?: string
  readonly messages: readonly PromptMessage[]
}

export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Readonly<Record<string, unknown>>
}

/** The API answered something that is not a prompt. The message names the place. */
export class PromptAnswerError extends Error {
  override name = 'PromptAnswerError'
}

/**
 * Reads a GET operation that answers messages as a prompt; its parameters are the prompt's arguments.
 * @returns the entry, and in `choices` the allowed values of the arguments that have a fixed list
 * @throws DocumentError for a parameter that is not text, because arguments of prompts are always text
 */
export function readPrompt(
  document: ApiDocument,
  { name, title, description }: ExposedOperation,
  { bindings, inputSchema }: ArgumentPlan,
): { entry: PromptEntry; choices: ReadonlyMap<string, readonly string[]> } {
  const properties = isRecord(inputSchema['properties']) ? inputSchema['properties'] : {}
  const required: unknown = inputSchema['required']
  const choices = new Map<string, readonly string[]>()
  const promptArguments = bindings
    .filter(({ argument }) => Object.hasOwn(properties, argument))
    .map(({ argument, schema: { schema, pointer } }) => {
      const { schema: behind } = resolveReference(document, schema, pointer)
      if (behind['type'] !== 'string') throw new DocumentError(`the argument ${argument} of a prompt is not text`)
      if (Array.isArray(behind['enum'])) choices.set(argument, behind['enum'].filter(isString))
      const words = schema['description'] ?? behind['description']
      const isRequired = Array.isArray(required) && required.includes(argument)
      return { name: argument, description: isString(words) ? words : argument, required: isRequired }
    })
  return { entry: { name, title, description, arguments: promptArguments }, choices }
}

/** Returns the part of an answer that is read. Larger answers are not prompts. */
export const getPromptRange = (): ByteRange => ({ from: 0, to: maxPromptBytes })
const maxPromptBytes = 8 * 1024 * 1024

/** Parses the messages of a success. @throws PromptAnswerError */
export function parsePromptResult({ mediaType, bytes, complete }: ApiAnswer): PromptResult {
  if (!complete) throw new PromptAnswerError(`it is larger than ${maxPromptBytes / 1024 / 1024} MiB`)
  const body = isJson(mediaType ?? '') ? parseExactJson(bytes) : null
  if (!isRecord(body) || !Array.isArray(body['messages'])) throw new PromptAnswerError('it has no messages')
  const { description } = body
  if (description !== undefined && typeof description !== 'string')
    throw new PromptAnswerError('its description is not text')
  const messages = body['messages'].map((message: unknown, index) => {
    if (!isRecord(message) || !isRole(message['role'])) throw new PromptAnswerError(`messages[${index}] has no role`)
    if (!isContent(message['content'])) throw new PromptAnswerError(`messages[${index}] has no content that is known`)
    return { role: message['role'], content: message['content'] }
  })
  const shown = showPromptMessages(messages)
  return { ...(description !== undefined && { description: cutShownText(description, false).text }), messages: shown }
}

/**
 * Makes all characters of the messages visible and cuts them to 256 KiB together, which the texts then say. A picture
 * or a sound that has no room is replaced by a text that names it, and all messages behind the end by one text.
 */
function showPromptMessages(messages: readonly PromptMessage[]): PromptMessage[] {
  const shown: PromptMessage[] = []
  let left = maxShownBytes - noteRoom
  for (const { role, content } of messages) {
    const part = showContent(content, left)
    left -= Buffer.byteLength(JSON.stringify(part))
    shown.push({ role, content: part })
    if (left <= 0) break
  }
  const missing = messages.length - shown.length
  const note = { type: 'text', text: `(${missing} more messages: together too large to be shown.)` }
  return missing === 0 ? shown : [...shown, { role: 'user', content: note }]
}

/** The bytes that are kept free for notes. */
const noteRoom = 1024

/** @param left the bytes that there is room for */
function showContent(content: PromptMessage['content'], left: number): PromptMessage['content'] {
  const { type, text, resource, data, name } = content
  if (isString(text)) return { ...content, text: showText(text, false, left) }
  if (isRecord(resource) && isString(resource['text'])) {
    const isJsonText = isJson(String(resource['mimeType'] ?? ''))
    return { ...content, resource: { ...resource, text: showText(resource['text'], isJsonText, left) } }
  }
  const base64 = isRecord(resource) ? resource['blob'] : data
  if (!isString(base64)) return showInvisibleTexts({ ...content, name: showInvisible(String(name), false) })
  if (base64.length <= left) return content
  return { type: 'text', text: `(${String(type)} of ${base64.length} bytes in base64: too large to be shown.)` }
}

function showText(text: string, json: boolean, left: number): string {
  const { text: shown, end, size } = cutShownText(text, json, left)
  return end === size ? shown : `${shown}\n(The first ${end} of ${size} bytes.)`
}

const isRole = (value: unknown): value is 'user' | 'assistant' => value === 'user' || value === 'assistant'
const isString = (value: unknown): value is string => typeof value === 'string'
const isBase64 = (value: unknown) => isString(value) && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0

/**
 * Returns whether a value is a content block. Source: MCP, prompts, data types: text, image, audio, embedded resource,
 * resource link.
 */
function isContent(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false
  const { type, text, data, mimeType, resource, uri, name } = value
  if (type === 'text') return isString(text)
  if (type === 'image' || type === 'audio') return isBase64(data) && isString(mimeType)
  if (type === 'resource_link') return isString(uri) && isString(name)
  if (type !== 'resource' || !isRecord(resource) || !isString(resource['uri'])) return false
  return isString(resource['text']) || isBase64(resource['blob'])
}
