import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'

/** An API that answers each request with what only its caller may see, and notes which headers there were. */
export class CrossingApi {
  /** `POST accept,connection,…` of every kind of request that came. */
  readonly headerLists = new Set<string>()
  /** Ids of the widgets that were deleted, with the key that did it. */
  readonly deleted = new Map<string, string>()
  readonly #document = JSON.stringify(createBridgeDocument())
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    if (url === '/openapi.json') return reply(response, 200, this.#document)
    const names = request.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
    this.headerLists.add(`${method} ${names.sort().join()}`)
    const key = keyOf(request)
    const body = await text(request)
    if (url === '/v1/echo') {
      const { value, delay } = JSON.parse(body) as { value: string; delay: number }
      if (delay > 0) await sleep(delay)
      return reply(response, 200, JSON.stringify({ value, key, session: headers['mcp-session-id'] ?? null }))
    }
    if (method === 'DELETE') {
      const id = url.slice('/v1/widgets/'.length)
      this.deleted.set(id, key)
      return reply(response, 200, JSON.stringify({ id, name: key }))
    }
    if (url.endsWith('/mint')) {
      const [{ serial }] = JSON.parse(body) as [{ serial: string }]
      return reply(response, 202, JSON.stringify({ jobId: serial }), { location: `/v1/jobs/${serial}` })
    }
    await follow(response, url.split('/')[3] ?? '', key)
  }
}

/** The events of a job: its type is the key of who asks. */
async function follow(response: ServerResponse, id: string, type: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const completed of [1, 2, 3]) {
    const status = completed === 3 ? 'completed' : 'running'
    response.write(`data: ${JSON.stringify({ id, type, status, total: 3, completed, failed: 0, errors: [] })}\n\n`)
    await sleep(1)
  }
  response.end()
}

function keyOf({ headers }: IncomingMessage): string {
  const all = ['authorization', 'x-api-key', 'cookie'].map((name) => String(headers[name] ?? '')).join('')
  return /key-\d+$/.exec(all)?.[0] ?? 'nobody'
}

function reply(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}
