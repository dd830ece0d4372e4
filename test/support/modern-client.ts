import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import { raw, usual, type RawAnswer } from './bridge-client.ts'

export const revision = '2026-07-28'

/** The members of `_meta` that every request of the revision has. */
export const envelope = (capabilities: object = {}): Record<string, unknown> => ({
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
})

type Params = Record<string, unknown>

export interface Sending {
  readonly id?: string | number
  readonly capabilities?: object
  /** Beside the envelope. */
  readonly meta?: object
  /** Beside, or in place of, those that belong to the request; undefined leaves one out. */
  readonly headers?: Record<string, string | string[] | undefined>
}

/** A whole request of the revision, as a bare client sends it. */
export function modernRequest(method: string, params: Params = {}, sending: Sending = {}) {
  const { id = 1, capabilities, meta, headers } = sending
  const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...envelope(capabilities), ...meta } } }
  const all = { ...usual, ...modernHeaders(method, params), ...headers }
  return { message, headers: sent(all) }
}

/** Without those that are undefined. */
export const sent = (headers: Record<string, string | string[] | undefined>) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<string, string>

/** The headers that repeat what the body says. Source: MCP 2026-07-28, request metadata. */
export function modernHeaders(method: string, params: Params = {}): Record<string, string> {
  const name = params['name'] ?? params['uri'] ?? params['taskId']
  return {
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  }
}

/** A value as a header carries it. Source: MCP 2026-07-28, value encoding. */
export const headerValue = (value: string) =>
  /^[!-~]([\t -~]*[!-~])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`

/** Sends one request of the revision over a bare POST. */
export async function modern(
  url: string,
  method: string,
  params: Params = {},
  sending: Sending = {},
): Promise<RawAnswer> {
  const { message, headers } = modernRequest(method, params, sending)
  return await raw(url, { headers, body: JSON.stringify(message) })
}

/** The result in an answer of one JSON object. */
export function resultOf<Result = Record<string, unknown>>(answer: RawAnswer): Result {
  const { result } = JSON.parse(answer.text) as { result?: Result }
  if (result === undefined) throw new Error(`It is no result: ${answer.text}`)
  return result
}

/** The error in an answer, and the HTTP status it came with. */
export function refusalOf({ status, text }: RawAnswer) {
  const { error, id } = JSON.parse(text) as { id: unknown; error?: { code: number; message: string; data?: Params } }
  if (!error) throw new Error(`It is no error: ${text}`)
  return { status, id, ...error }
}

/** The reference client of this revision, connected. */
export async function connectModern(
  url: string,
  headers: Record<string, string> = {},
  { mode = { pin: revision }, ...options }: ClientOptions & { mode?: 'auto' | 'legacy' | { pin: string } } = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { ...options, versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return client
}
