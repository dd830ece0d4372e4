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

/** Answers the questions that the bridge asks a person. */
export type ElicitationHandler = (elicitation: ElicitRequestFormParams) => ElicitResult | Promise<ElicitResult>

/** Connects the reference client. Without `answerQuestion`, the client does not declare that it can ask people. */
export async function connectClient(
  url: string,
  headers: Record<string, string> = {},
  { answerQuestion, revision }: { answerQuestion?: ElicitationHandler; revision?: string } = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: answerQuestion ? { elicitation: {} } : {} })
  if (answerQuestion) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerQuestion(params as ElicitRequestFormParams))
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    ...(revision !== undefined && { fetch: createRevisionFetch(revision) }),
  })
  await client.connect(transport as Parameters<Client['connect']>[0])
  return client
}

/**
 * Creates a `fetch` that changes the revision of `initialize`, because the reference client always sends its newest
 * one.
 */
const createRevisionFetch = (revision: string) => (url: string | URL, init?: RequestInit) => {
  if (typeof init?.body !== 'string' || !init.body.includes('"method":"initialize"')) return fetch(url, init)
  const message = JSON.parse(init.body) as { params: object }
  const params = { ...message.params, protocolVersion: revision }
  return fetch(url, { ...init, body: JSON.stringify({ ...message, params }) })
}

export async function callMcpTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args })) as CallToolResult
}

/** Calls a tool, and confirms the preview if the answer is one, as a client does that cannot ask. */
export async function callConfirmedTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> {
  const result = await callMcpTool(client, name, args)
  const confirm = result.structuredContent?.['confirm']
  return typeof confirm === 'string' ? await callMcpTool(client, name, { ...args, confirm }) : result
}

export const getResultText = (result: CallToolResult) =>
  result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')

export async function readResourceText(
  client: Client,
  uri: string,
): Promise<{ mimeType: string | undefined; text: string }> {
  const {
    contents: [first],
  } = (await client.readResource({ uri })) as ReadResourceResult
  if (!first || !('text' in first)) throw new Error('It is not text')
  return { mimeType: first.mimeType, text: first.text }
}

/** Returns the error of a JSON-RPC request. */
export async function catchError(
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

/** Sends one HTTP request exactly as given. A header with two values is sent twice. */
export async function sendRawRequest(
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
    // The body is sent as bytes: with a text, Node would write the headers in the encoding of the body.
    request.end(Buffer.from(options.body ?? ''))
  })
}

export const defaultHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Sends a JSON-RPC message in a plain POST. */
export async function postJsonRpc(
  url: string,
  message: unknown,
  headers: Record<string, string | string[]> = {},
): Promise<RawAnswer> {
  return await sendRawRequest(url, { headers: { ...defaultHeaders, ...headers }, body: JSON.stringify(message) })
}

/** Parses the JSON-RPC messages of a response, from JSON or from an event stream. */
export function parseMessages({ text, headers }: RawAnswer): Record<string, unknown>[] {
  if (!String(headers['content-type']).startsWith('text/event-stream'))
    return [JSON.parse(text) as Record<string, unknown>]
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>)
}

export const createInitializeRequest = (protocolVersion: string, capabilities: object = {}) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo: { name: 'bare', version: '1' } },
})

/** Begins a session without the reference client. @returns the result, and the headers for further requests */
export async function startBareSession(
  url: string,
  protocolVersion: string,
  headers: Record<string, string> = {},
  capabilities: object = {},
) {
  const answer = await postJsonRpc(url, createInitializeRequest(protocolVersion, capabilities), headers)
  const result = parseMessages(answer)[0]?.['result'] as Record<string, unknown>
  const session = {
    ...headers,
    'mcp-session-id': String(answer.headers['mcp-session-id']),
    'mcp-protocol-version': String(result['protocolVersion']),
  }
  await postJsonRpc(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  return { result, headers: session }
}
