import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The stand-in's answer: a value as JSON or a text in the candidate, an HTTP error, or a way to fail. */
export type GeminiAnswer =
  | { json: (request: GeminiRequest) => unknown }
  | { text: string }
  | { status: number; body?: string }
  | 'hangs'
  | 'breaks'
  | 'no candidates'

export interface GeminiRequest {
  path: string
  body: Record<string, unknown>
  /** The parsed text of the question. */
  question: {
    members: { index: number; path: string }[]
    columns: { index: number; heading: string; example?: string }[]
  }
}

export interface GeminiStandIn {
  url: string
  /** The well-formed requests that arrived. */
  requests: GeminiRequest[]
  /** The reasons for which the real API would have refused requests. */
  refusals: string[]
  nextAnswer: GeminiAnswer
  stop(): Promise<void>
}

const knownMembers = {
  request: [
    'contents',
    'systemInstruction',
    'generationConfig',
    'safetySettings',
    'tools',
    'toolConfig',
    'cachedContent',
  ],
  content: ['role', 'parts'],
  part: ['text'],
  config: [
    'temperature',
    'topP',
    'topK',
    'candidateCount',
    'maxOutputTokens',
    'stopSequences',
    'responseMimeType',
    'responseSchema',
    'responseJsonSchema',
    'thinkingConfig',
    'seed',
  ],
  thinking: ['includeThoughts', 'thinkingBudget', 'thinkingLevel'],
  schema: [
    '$id',
    '$defs',
    '$ref',
    '$anchor',
    'type',
    'format',
    'title',
    'description',
    'enum',
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'minimum',
    'maximum',
    'anyOf',
    'oneOf',
    'properties',
    'additionalProperties',
    'required',
    'propertyOrdering',
  ],
}
const schemaTypes = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null']

/**
 * Starts a server that accepts and refuses what models.generateContent of the Gemini API does. It refuses other paths
 * and methods, a missing or wrong key, unknown members, and keywords that its JSON Schema does not have. Source: Gemini
 * API, REST reference of models.generateContent and GenerationConfig.
 */
export async function startGemini(key: string): Promise<GeminiStandIn> {
  const server = createServer((request, response) => void answerRequest(standIn, key, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const standIn: GeminiStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    refusals: [],
    nextAnswer: { json: () => ({ correspondences: [] }) },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return standIn
}

async function answerRequest(
  standIn: GeminiStandIn,
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const fault = findRequestFault(request, key, text)
  if (fault) {
    standIn.refusals.push(fault.why)
    return sendJson(
      response,
      fault.status,
      JSON.stringify({ error: { code: fault.status, message: fault.why, status: 'INVALID_ARGUMENT' } }),
    )
  }
  const body = JSON.parse(text) as Record<string, unknown>
  const question = JSON.parse(
    (body['contents'] as { parts: { text: string }[] }[])[0]?.parts[0]?.text ?? 'null',
  ) as GeminiRequest['question']
  const geminiRequest: GeminiRequest = { path: request.url ?? '', body, question }
  standIn.requests.push(geminiRequest)
  sendAnswer(standIn.nextAnswer, geminiRequest, response)
}

function sendAnswer(plannedAnswer: GeminiAnswer, request: GeminiRequest, response: ServerResponse): void {
  if (plannedAnswer === 'hangs') return
  if (plannedAnswer === 'breaks') return void response.destroy()
  if (plannedAnswer === 'no candidates')
    return sendJson(response, 200, JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' } }))
  if ('status' in plannedAnswer)
    return sendJson(
      response,
      plannedAnswer.status,
      plannedAnswer.body ?? JSON.stringify({ error: { code: plannedAnswer.status, message: 'no' } }),
    )
  const text = 'text' in plannedAnswer ? plannedAnswer.text : JSON.stringify(plannedAnswer.json(request))
  sendJson(
    response,
    200,
    JSON.stringify({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
      modelVersion: 'stand-in',
    }),
  )
}

function sendJson(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}

function findRequestFault(request: IncomingMessage, key: string, text: string): { status: number; why: string } | null {
  const fault = (status: number, why: string) => ({ status, why })
  if (request.method !== 'POST') return fault(404, `no ${request.method}`)
  if (!/^\/v1(?:beta)?\/models\/gemini-[a-z0-9.-]+:generateContent$/.test(request.url ?? ''))
    return fault(404, `no ${request.url}`)
  if (request.headers['x-goog-api-key'] === undefined) return fault(403, 'no key')
  if (request.headers['x-goog-api-key'] !== key) return fault(400, 'API key not valid')
  if (!/^application\/json/.test(request.headers['content-type'] ?? '')) return fault(400, 'no JSON')
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return fault(400, 'broken JSON')
  }
  const why = findBodyFault(body)
  return why === null ? null : fault(400, why)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const findUnknownMember = (value: Record<string, unknown>, known: readonly string[], at: string) =>
  Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => `Unknown name "${name}" at '${at}'`)[0] ?? null

function findBodyFault(body: unknown): string | null {
  if (!isObject(body)) return 'no object'
  const { contents, systemInstruction, generationConfig: config } = body
  if (!Array.isArray(contents) || contents.length === 0) return 'contents is not specified'
  const all = [...(contents as unknown[]), ...(systemInstruction === undefined ? [] : [systemInstruction])]
  return (
    findUnknownMember(body, knownMembers.request, 'request')
    ?? all.map(findContentFault).find((one) => one !== null)
    ?? findConfigFault(config)
  )
}

function findContentFault(content: unknown): string | null {
  if (!isObject(content)) return 'content is no object'
  const { parts, role } = content
  if (!Array.isArray(parts) || parts.length === 0) return 'contents.parts must not be empty'
  if (role !== undefined && role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.'
  return (
    findUnknownMember(content, knownMembers.content, 'content')
    ?? parts
      .map((part: unknown) => (isObject(part) ? findUnknownMember(part, knownMembers.part, 'part') : 'part'))
      .find((one) => one !== null)
    ?? null
  )
}

function findConfigFault(config: unknown): string | null {
  if (config === undefined) return null
  if (!isObject(config)) return 'generation_config is no object'
  const { responseJsonSchema, responseSchema, responseMimeType, temperature, thinkingConfig } = config
  if (responseJsonSchema !== undefined && responseSchema !== undefined)
    return 'response_schema and response_json_schema exclude each other'
  if ((responseJsonSchema ?? responseSchema) !== undefined && responseMimeType !== 'application/json')
    return 'needs response_mime_type'
  if (temperature !== undefined && !(typeof temperature === 'number' && temperature >= 0 && temperature <= 2))
    return 'temperature'
  if (isObject(thinkingConfig)) {
    const wrong = findUnknownMember(thinkingConfig, knownMembers.thinking, 'thinking_config')
    if (wrong !== null) return wrong
  }
  return (
    findUnknownMember(config, knownMembers.config, 'generation_config')
    ?? (responseJsonSchema === undefined ? null : findSchemaFault(responseJsonSchema))
  )
}

function findSchemaFault(schema: unknown): string | null {
  if (!isObject(schema)) return 'schema is no object'
  const wrong = findUnknownMember(schema, knownMembers.schema, 'response_json_schema')
  if (wrong !== null) return wrong
  if (schema['type'] !== undefined && !schemaTypes.includes(String(schema['type'])))
    return `no type ${String(schema['type'])}`
  const { properties, items, required } = schema
  const inner = [...(isObject(properties) ? Object.values(properties) : []), ...(items === undefined ? [] : [items])]
  const missing =
    Array.isArray(required) && required.some((name) => !isObject(properties) || !(String(name) in properties))
  return missing ? 'required names no property' : (inner.map(findSchemaFault).find((one) => one !== null) ?? null)
}
