import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { startBridge, type Bridge } from '../../bridge/bridge.ts'
import type { Limits } from '../../bridge/sessions.ts'
import { readSettings } from '../../bridge/settings.ts'
import { bridgeDocument } from './bridge-document.ts'

/** One request as the API saw it. */
export interface Seen {
  readonly method: string
  readonly url: string
  /** Names in lower case, values as bytes in latin1. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
  /** Milliseconds of `performance.now()` at which the caller broke off; null while it did not. */
  aborted: number | null
}

type Handler = (seen: Seen, response: ServerResponse, request: IncomingMessage) => void | Promise<void>

/** Every header that may ever reach the API. */
const expected = new Set([
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
])

/** A strict API: it answers only what a test declared, and remembers everything that was not right. */
export class FixtureApi {
  readonly seen: Seen[] = []
  readonly complaints: string[] = []
  document: unknown = bridgeDocument()
  etag = '"1"'
  readonly #handlers = new Map<string, Handler>()
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

  /** @param route as `POST /v1/widgets`; the path as it was sent, without its query. */
  on(route: string, handler: Handler): void {
    this.#handlers.set(route, handler)
  }

  /** Forgets requests and complaints, keeps handlers. */
  forget(): void {
    this.seen.length = 0
    this.complaints.length = 0
  }

  get last(): Seen {
    const seen = this.seen.at(-1)
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
      aborted: null as number | null,
    }
    response.once('close', () => {
      if (!response.writableFinished) seen.aborted = performance.now()
    })
    if (seen.url.endsWith('/openapi.json')) return this.#describe(seen, response)
    this.seen.push(seen)
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    seen.body = Buffer.concat(chunks)
    const strange = headers
      .map(([name]) => name)
      .filter((name, index, all) => !expected.has(name) || all.indexOf(name) !== index)
    if (strange.length > 0) this.complaints.push(`${seen.method} ${seen.url} came with ${strange.join(', ')}`)
    const handler = this.#handlers.get(`${seen.method} ${seen.url.split('?')[0] ?? ''}`)
    if (handler) return await handler(seen, response, request)
    this.complaints.push(`${seen.method} ${seen.url} is not known`)
    problem(response, 404, { code: 'NOT_FOUND', detail: 'There is no such route.' })
  }

  #describe(seen: Seen, response: ServerResponse): void {
    if (seen.headers.some(([name, value]) => name === 'if-none-match' && value === this.etag))
      return void response.writeHead(304).end()
    const text = typeof this.document === 'string' ? this.document : JSON.stringify(this.document)
    response.writeHead(200, { 'content-type': 'application/json', etag: this.etag }).end(text)
  }
}

export const headerOf = (seen: Seen, name: string) => seen.headers.find(([one]) => one === name)?.[1] ?? null

export const jsonOf = (seen: Seen): unknown => JSON.parse(seen.body.toString())

export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(bytes)
}

export function problem(
  response: ServerResponse,
  status: number,
  members: Record<string, unknown>,
  headers: Record<string, string> = {},
): void {
  const body = { type: 'about:blank', title: 'Refused', status, instance: '/v1', requestId: 'r1', ...members }
  reply(response, status, body, { 'content-type': 'application/problem+json', ...headers })
}

/** A bridge of this process, and every line it logged. */
export type TestBridge = Bridge & { readonly url: string; readonly logged: readonly Record<string, unknown>[] }

/** A bridge in this process on a free port, that loads its document from the fixture. */
export async function bridgeFor(
  apiUrl: string,
  env: Record<string, string> = {},
  limits?: Limits,
): Promise<TestBridge> {
  const settings = readSettings({ BRIDGE_PORT: '0', API_URL: apiUrl, LOG_LEVEL: 'trace', MCP_CALLS_PER_MINUTE: '0', ...env })
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
  return { ...bridge, logged, url: `http://127.0.0.1:${bridge.port}/mcp` }
}

/** A fixture and a bridge in front of it, for the tests of the `describe` that calls this. */
export function fixtureBridge(env: Record<string, string> = {}): { api: FixtureApi; bridge: TestBridge } {
  const api = new FixtureApi()
  const bridge = {} as TestBridge
  before(async () => {
    Object.assign(bridge, await bridgeFor(await api.start(), env))
    await bridge.ready
  })
  after(async () => {
    await bridge.stop()
    await api.stop()
  })
  return { api, bridge }
}
