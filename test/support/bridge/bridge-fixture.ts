import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { startBridge, type Bridge } from '../../../bridge/bridge.ts'
import type { SessionLimits } from '../../../bridge/shared/session-cache.ts'
import { readSettings } from '../../../bridge/access/settings.ts'
import { createBridgeDocument } from './bridge-document.ts'

/** One request as the API received it. */
export interface RecordedRequest {
  readonly method: string
  readonly url: string
  /** The names are in lower case; the values are bytes in latin1. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
  /** The time at which the caller broke off, in milliseconds of `performance.now()`; null if it did not. */
  abortedAtMs: number | null
}

type FixtureHandler = (
  seen: RecordedRequest,
  response: ServerResponse,
  request: IncomingMessage,
) => void | Promise<void>

/** All headers that may reach the API. */
const allowedHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'accept',
  'content-type',
  'traceparent',
  'x-forwarded-for',
  'authorization',
  'x-api-key',
  'cookie',
  'mcp-session-id',
  'idempotency-key',
  'idempotency-window',
])

/** A strict API: it answers only the routes that a test declared, and records everything that was wrong. */
export class FixtureApi {
  readonly recordedRequests: RecordedRequest[] = []
  readonly complaints: string[] = []
  document: unknown = createBridgeDocument()
  etag = '"1"'
  readonly #handlers = new Map<string, FixtureHandler>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  async start(port = 0): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(port, '127.0.0.1', resolve)
    })
    return this.url
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
    })
    this.#server.closeAllConnections()
    await closed
  }

  /** @param route for example `POST /v1/widgets`; the path as it was sent, without its query */
  setHandler(route: string, handler: FixtureHandler): void {
    this.#handlers.set(route, handler)
  }

  /** Removes the recorded requests and complaints, and keeps the handlers. */
  clearRecords(): void {
    this.recordedRequests.length = 0
    this.complaints.length = 0
  }

  get lastRequest(): RecordedRequest {
    const seen = this.recordedRequests.at(-1)
    if (!seen) throw new Error('The API saw no request')
    return seen
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = request.rawHeaders
    const headers = raw.flatMap((name, index) =>
      index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? ''] as const] : [],
    )
    const chunks: Buffer[] = []
    const seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers,
      body: Buffer.alloc(0),
      abortedAtMs: null as number | null,
    }
    response.once('close', () => {
      if (!response.writableFinished) seen.abortedAtMs = performance.now()
    })
    if (seen.url.endsWith('/openapi.json')) return this.#describe(seen, response)
    this.recordedRequests.push(seen)
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    seen.body = Buffer.concat(chunks)
    const unexpectedHeaders = headers
      .map(([name]) => name)
      .filter((name, index, all) => !allowedHeaders.has(name) || all.indexOf(name) !== index)
    if (unexpectedHeaders.length > 0)
      this.complaints.push(`${seen.method} ${seen.url} came with ${unexpectedHeaders.join(', ')}`)
    const handler = this.#handlers.get(`${seen.method} ${seen.url.split('?')[0] ?? ''}`)
    if (handler) return await handler(seen, response, request)
    this.complaints.push(`${seen.method} ${seen.url} is not known`)
    sendProblem(response, 404, { code: 'NOT_FOUND', detail: 'There is no such route.' })
  }

  #describe(seen: RecordedRequest, response: ServerResponse): void {
    if (seen.headers.some(([name, value]) => name === 'if-none-match' && value === this.etag))
      return void response.writeHead(304).end()
    const text = typeof this.document === 'string' ? this.document : JSON.stringify(this.document)
    response.writeHead(200, { 'content-type': 'application/json', etag: this.etag }).end(text)
  }
}

export const getRecordedHeader = (seen: RecordedRequest, name: string) =>
  seen.headers.find(([one]) => one === name)?.[1] ?? null

export const parseRecordedBody = (seen: RecordedRequest): unknown => JSON.parse(seen.body.toString())

export function sendReply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(bytes)
}

export function sendProblem(
  response: ServerResponse,
  status: number,
  members: Record<string, unknown>,
  headers: Record<string, string> = {},
): void {
  const body = { type: 'about:blank', title: 'Refused', status, instance: '/v1', requestId: 'r1', ...members }
  sendReply(response, status, body, { 'content-type': 'application/problem+json', ...headers })
}

/** A bridge in this process, and all lines of its log. */
export type TestBridge = Bridge & { readonly url: string; readonly logEntries: readonly Record<string, unknown>[] }

/** Starts a bridge in this process on a free port. It loads its document from the fixture. */
export async function startTestBridge(
  apiUrl: string,
  env: Record<string, string> = {},
  limits?: SessionLimits,
): Promise<TestBridge> {
  const settings = readSettings({
    BRIDGE_PORT: '0',
    API_URL: apiUrl,
    LOG_LEVEL: 'trace',
    MCP_CALLS_PER_MINUTE: '0',
    ...env,
  })
  const logged: Record<string, unknown>[] = []
  const log = pino(
    { level: settings.logLevel },
    {
      write: (line) => {
        logged.push(JSON.parse(line) as Record<string, unknown>)
      },
    },
  )
  const bridge = await startBridge(settings, log, limits)
  return { ...bridge, logEntries: logged, url: `http://127.0.0.1:${bridge.port}/mcp` }
}

/** Starts a fixture and a bridge in front of it for the tests of the calling `describe`. */
export function useFixtureBridge(
  env: Record<string, string> = {},
  limits?: SessionLimits,
): { api: FixtureApi; bridge: TestBridge } {
  const api = new FixtureApi()
  const bridge = {} as TestBridge
  before(async () => {
    Object.assign(bridge, await startTestBridge(await api.start(), env, limits))
    await bridge.ready
  })
  after(async () => {
    await bridge.stop()
    await api.stop()
  })
  return { api, bridge }
}
