import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the stand-in answers: a value as JSON in the text of the candidate, or what goes wrong. */
export type GeminiAnswer =
  | { json: (request: GeminiRequest) => unknown }
  | { text: string }
  | { status: number; body?: string }
  | 'hangs' | 'breaks' | 'no candidates'

export interface GeminiRequest {
  path: string
  body: Record<string, unknown>
  /** The text of the question. */
  question: { members: { index: number; path: string }[]; columns: { index: number; heading: string; example?: string }[] }
}

export interface GeminiStandIn {
  url: string
  /** What came and was well-formed. */
  requests: GeminiRequest[]
  /** What the real API would have refused, and why. */
  refused: string[]
  answer: GeminiAnswer
  stop(): Promise<void>
}

const members = {
  request: ['contents', 'systemInstruction', 'generationConfig', 'safetySettings', 'tools', 'toolConfig', 'cachedContent'],
  content: ['role', 'parts'],
  part: ['text'],
  config: ['temperature', 'topP', 'topK', 'candidateCount', 'maxOutputTokens', 'stopSequences', 'responseMimeType',
    'responseSchema', 'responseJsonSchema', 'thinkingConfig', 'seed'],
  thinking: ['includeThoughts', 'thinkingBudget', 'thinkingLevel'],
  schema: ['$id', '$defs', '$ref', '$anchor', 'type', 'format', 'title', 'description', 'enum', 'items', 'prefixItems', 'minItems',
    'maxItems', 'minimum', 'maximum', 'anyOf', 'oneOf', 'properties', 'additionalProperties', 'required', 'propertyOrdering'],
}
const types = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null']

/**
 * A server that takes what models.generateContent of the Gemini API takes and refuses what it refuses: other paths and
 * methods, a missing or wrong key, unknown members, words that its JSON Schema does not have. Source: Gemini API, REST
 * reference of models.generateContent and GenerationConfig.
 */
export async function startGemini(key: string): Promise<GeminiStandIn> {
  const server = createServer((request, response) => void answer(standIn, key, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const standIn: GeminiStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [], refused: [], answer: { json: () => ({ correspondences: [] }) },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return standIn
}

async function answer(standIn: GeminiStandIn, key: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const fault = faultOf(request, key, text)
  if (fault) {
    standIn.refused.push(fault.why)
    return send(response, fault.status, JSON.stringify({ error: { code: fault.status, message: fault.why, status: 'INVALID_ARGUMENT' } }))
  }
  const body = JSON.parse(text) as Record<string, unknown>
  const question = JSON.parse((body['contents'] as { parts: { text: string }[] }[])[0]?.parts[0]?.text ?? 'null') as GeminiRequest['question']
  const read: GeminiRequest = { path: request.url ?? '', body, question }
  standIn.requests.push(read)
  reply(standIn.answer, read, response)
}

function reply(how: GeminiAnswer, request: GeminiRequest, response: ServerResponse): void {
  if (how === 'hangs') return
  if (how === 'breaks') return void response.destroy()
  if (how === 'no candidates') return send(response, 200, JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' } }))
  if ('status' in how) return send(response, how.status, how.body ?? JSON.stringify({ error: { code: how.status, message: 'no' } }))
  const text = 'text' in how ? how.text : JSON.stringify(how.json(request))
  send(response, 200, JSON.stringify({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }], modelVersion: 'stand-in',
  }))
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}

function faultOf(request: IncomingMessage, key: string, text: string): { status: number; why: string } | null {
  const fault = (status: number, why: string) => ({ status, why })
  if (request.method !== 'POST') return fault(404, `no ${request.method}`)
  if (!/^\/v1(?:beta)?\/models\/gemini-[a-z0-9.-]+:generateContent$/.test(request.url ?? '')) return fault(404, `no ${request.url}`)
  if (request.headers['x-goog-api-key'] === undefined) return fault(403, 'no key')
  if (request.headers['x-goog-api-key'] !== key) return fault(400, 'API key not valid')
  if (!/^application\/json/.test(request.headers['content-type'] ?? '')) return fault(400, 'no JSON')
  let body: unknown
  try { body = JSON.parse(text) } catch { return fault(400, 'broken JSON') }
  const why = bodyFault(body)
  return why === null ? null : fault(400, why)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const strange = (value: Record<string, unknown>, known: readonly string[], at: string) =>
  Object.keys(value).filter((name) => !known.includes(name)).map((name) => `Unknown name "${name}" at '${at}'`)[0] ?? null

function bodyFault(body: unknown): string | null {
  if (!isObject(body)) return 'no object'
  const { contents, systemInstruction, generationConfig: config } = body
  if (!Array.isArray(contents) || contents.length === 0) return 'contents is not specified'
  const all = [...contents as unknown[], ...(systemInstruction === undefined ? [] : [systemInstruction])]
  return strange(body, members.request, 'request') ?? all.map(contentFault).find((one) => one !== null) ?? configFault(config)
}

function contentFault(content: unknown): string | null {
  if (!isObject(content)) return 'content is no object'
  const { parts, role } = content
  if (!Array.isArray(parts) || parts.length === 0) return 'contents.parts must not be empty'
  if (role !== undefined && role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.'
  return strange(content, members.content, 'content')
    ?? parts.map((part: unknown) => (isObject(part) ? strange(part, members.part, 'part') : 'part')).find((one) => one !== null) ?? null
}

function configFault(config: unknown): string | null {
  if (config === undefined) return null
  if (!isObject(config)) return 'generation_config is no object'
  const { responseJsonSchema, responseSchema, responseMimeType, temperature, thinkingConfig } = config
  if (responseJsonSchema !== undefined && responseSchema !== undefined) return 'response_schema and response_json_schema exclude each other'
  if ((responseJsonSchema ?? responseSchema) !== undefined && responseMimeType !== 'application/json') return 'needs response_mime_type'
  if (temperature !== undefined && !(typeof temperature === 'number' && temperature >= 0 && temperature <= 2)) return 'temperature'
  if (isObject(thinkingConfig)) {
    const wrong = strange(thinkingConfig, members.thinking, 'thinking_config')
    if (wrong !== null) return wrong
  }
  return strange(config, members.config, 'generation_config')
    ?? (responseJsonSchema === undefined ? null : schemaFault(responseJsonSchema))
}

function schemaFault(schema: unknown): string | null {
  if (!isObject(schema)) return 'schema is no object'
  const wrong = strange(schema, members.schema, 'response_json_schema')
  if (wrong !== null) return wrong
  if (schema['type'] !== undefined && !types.includes(String(schema['type']))) return `no type ${String(schema['type'])}`
  const { properties, items, required } = schema
  const inner = [...(isObject(properties) ? Object.values(properties) : []), ...(items === undefined ? [] : [items])]
  const missing = Array.isArray(required) && required.some((name) => !isObject(properties) || !(String(name) in properties))
  return missing ? 'required names no property' : inner.map(schemaFault).find((one) => one !== null) ?? null
}
