import type { ArgumentPlan } from '../arguments/arguments.ts'
import { isJson } from '../arguments/body-form.ts'
import { parseJson } from '../json.ts'
import { DocumentError, resolveReference, isRecord, type ApiDocument } from '../openapi.ts'
import type { ExposedOperation } from './operations.ts'
import type { ApiAnswer, ByteRange } from '../results/api-request.ts'

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
  const body = isJson(mediaType ?? '') ? parseJson(bytes) : null
  if (!isRecord(body) || !Array.isArray(body['messages'])) throw new PromptAnswerError('it has no messages')
  const { description } = body
  if (description !== undefined && typeof description !== 'string')
    throw new PromptAnswerError('its description is not text')
  const messages = body['messages'].map((message: unknown, index) => {
    if (!isRecord(message) || !isRole(message['role'])) throw new PromptAnswerError(`messages[${index}] has no role`)
    if (!isContent(message['content'])) throw new PromptAnswerError(`messages[${index}] has no content that is known`)
    return { role: message['role'], content: message['content'] }
  })
  return { ...(description !== undefined && { description }), messages }
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
