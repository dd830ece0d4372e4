import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import { sendRawRequest, defaultHeaders, type RawAnswer } from './bridge-client.ts'

export const modernRevision = '2026-07-28'

/** Creates the members of `_meta` that every request of the revision has. */
export const createEnvelope = (capabilities: object = {}): Record<string, unknown> => ({
  'io.modelcontextprotocol/protocolVersion': modernRevision,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
})

type Params = Record<string, unknown>

export interface ModernRequestOptions {
  readonly id?: string | number
  readonly capabilities?: object
  /** Members of `_meta` in addition to the envelope. */
  readonly meta?: object
  /** Headers that are added to the usual ones or replace them; undefined removes a header. */
  readonly headers?: Record<string, string | string[] | undefined>
}

/** Creates a complete request of the revision, as a client without the SDK sends it. */
export function createModernRequest(method: string, params: Params = {}, sending: ModernRequestOptions = {}) {
  const { id = 1, capabilities, meta, headers } = sending
  const message = {
    jsonrpc: '2.0',
    id,
    method,
    params: { ...params, _meta: { ...createEnvelope(capabilities), ...meta } },
  }
  const all = { ...defaultHeaders, ...createModernHeaders(method, params), ...headers }
  return { message, headers: dropUndefined(all) }
}

/** Removes the headers that are undefined. */
export const dropUndefined = (headers: Record<string, string | string[] | undefined>) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<string, string>

/** Creates the headers that repeat the body. Source: MCP 2026-07-28, request metadata. */
export function createModernHeaders(method: string, params: Params = {}): Record<string, string> {
  const name = params['name'] ?? params['uri'] ?? params['taskId']
  return {
    'mcp-protocol-version': modernRevision,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
  }
}

/** Encodes a value for a header. Source: MCP 2026-07-28, value encoding. */
export const encodeHeaderValue = (value: string) =>
  /^[!-~]([\t -~]*[!-~])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`

/** Sends one request of the revision in a plain POST. */
export async function sendModernRequest(
  url: string,
  method: string,
  params: Params = {},
  sending: ModernRequestOptions = {},
): Promise<RawAnswer> {
  const { message, headers } = createModernRequest(method, params, sending)
  return await sendRawRequest(url, { headers, body: JSON.stringify(message) })
}

/** Returns the result of an answer that is one JSON object. */
export function parseResult<Result = Record<string, unknown>>(answer: RawAnswer): Result {
  const { result } = JSON.parse(answer.text) as { result?: Result }
  if (result === undefined) throw new Error(`It is no result: ${answer.text}`)
  return result
}

/** Returns the error of an answer, with its HTTP status. */
export function parseError({ status, text }: RawAnswer) {
  const { error, id } = JSON.parse(text) as { id: unknown; error?: { code: number; message: string; data?: Params } }
  if (!error) throw new Error(`It is no error: ${text}`)
  return { status, id, ...error }
}

/** Connects the reference client of this revision. */
export async function connectModernClient(
  url: string,
  headers: Record<string, string> = {},
  { mode = { pin: modernRevision }, ...options }: ClientOptions & { mode?: 'auto' | 'legacy' | { pin: string } } = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { ...options, versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return client
}
