import { request as httpRequest } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ElicitRequestSchema,
  type CallToolResult,
  type ElicitRequestFormParams,
  type ElicitResult,
  type ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js'

/** Answers what the bridge asks a person. */
export type Answering = (asked: ElicitRequestFormParams) => ElicitResult | Promise<ElicitResult>

/** The reference client, connected. @param answering without it the client does not declare that it can ask */
export async function connect(
  url: string,
  headers: Record<string, string> = {},
  { answering, revision }: { answering?: Answering; revision?: string } = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: answering ? { elicitation: {} } : {} })
  if (answering) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answering(params as ElicitRequestFormParams))
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    ...(revision !== undefined && { fetch: speaking(revision) }),
  })
  await client.connect(transport as Parameters<Client['connect']>[0])
  return client
}

/** The reference client begins with its newest revision; this has it begin with another one. */
const speaking = (revision: string) => (url: string | URL, init?: RequestInit) => {
  if (typeof init?.body !== 'string' || !init.body.includes('"method":"initialize"')) return fetch(url, init)
  const message = JSON.parse(init.body) as { params: object }
  const params = { ...message.params, protocolVersion: revision }
  return fetch(url, { ...init, body: JSON.stringify({ ...message, params }) })
}

export async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args })) as CallToolResult
}

export const textOf = (result: CallToolResult) =>
  result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')

export async function readText(client: Client, uri: string): Promise<{ mimeType: string | undefined; text: string }> {
  const {
    contents: [first],
  } = (await client.readResource({ uri })) as ReadResourceResult
  if (!first || !('text' in first)) throw new Error('It is not text')
  return { mimeType: first.mimeType, text: first.text }
}

/** The error a JSON-RPC request ends in. */
export async function errorOf(
  work: Promise<unknown>,
): Promise<{ code: number; message: string; data?: Record<string, unknown> }> {
  try {
    await work
  } catch (cause) {
    return cause as { code: number; message: string; data?: Record<string, unknown> }
  }
  throw new Error('It did not fail')
}

export interface RawAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** One HTTP request exactly as given; a header named twice is sent twice. */
export async function raw(
  url: string,
  options: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer },
): Promise<RawAnswer> {
  return await new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      { method: options.method ?? 'POST', headers: options.headers ?? {}, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        )
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    // As bytes: Node would write the headers in the encoding of a body that is text.
    request.end(Buffer.from(options.body ?? ''))
  })
}

export const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A JSON-RPC message over a bare POST. */
export async function post(
  url: string,
  message: unknown,
  headers: Record<string, string | string[]> = {},
): Promise<RawAnswer> {
  return await raw(url, { headers: { ...usual, ...headers }, body: JSON.stringify(message) })
}

/** The JSON-RPC messages of an answer, from JSON or from an event stream. */
export function messagesOf({ text, headers }: RawAnswer): Record<string, unknown>[] {
  if (!String(headers['content-type']).startsWith('text/event-stream'))
    return [JSON.parse(text) as Record<string, unknown>]
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>)
}

export const initialize = (protocolVersion: string, capabilities: object = {}) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo: { name: 'bare', version: '1' } },
})

/** Begins a session without the reference client; the headers to go on with. */
export async function bareSession(
  url: string,
  protocolVersion: string,
  headers: Record<string, string> = {},
  capabilities: object = {},
) {
  const answer = await post(url, initialize(protocolVersion, capabilities), headers)
  const result = messagesOf(answer)[0]?.['result'] as Record<string, unknown>
  const session = {
    ...headers,
    'mcp-session-id': String(answer.headers['mcp-session-id']),
    'mcp-protocol-version': String(result['protocolVersion']),
  }
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  return { result, headers: session }
}
