import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'

/** Sends each request to the next of several servers in turn, so that no client stays with one server. */
export class RequestBalancer {
  /** The addresses of the servers, like `http://127.0.0.1:3334/mcp`; they may change at any time. */
  targets: readonly string[] = []
  /** The index of the target that gets all requests from now on; null means all targets in turn. */
  onlyTarget: number | null = null
  /** The number of requests that each target got. */
  readonly requestCounts: number[] = []
  #turn = 0
  readonly #server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => this.#pass(incoming, Buffer.concat(chunks), response, this.#turn++, this.targets.length))
  })

  async start(): Promise<this> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Passes a request on. Like a balancer, it skips a server that takes no connection or is not ready. */
  #pass(incoming: IncomingMessage, body: Buffer, response: ServerResponse, turn: number, tries: number): void {
    const index = this.onlyTarget ?? turn % this.targets.length
    const target = new URL(this.targets[index] ?? '')
    this.requestCounts[index] = (this.requestCounts[index] ?? 0) + 1
    const { method, headers, url } = incoming
    const forwarded = [headers['x-forwarded-for'], incoming.socket.remoteAddress].filter(Boolean).join(', ')
    const sent = httpRequest({
      host: target.hostname,
      port: target.port,
      path: url,
      method,
      agent: false,
      headers: { ...headers, 'x-forwarded-for': forwarded },
    })
    const mayPass = tries > 1 && this.onlyTarget === null
    sent.on('response', (answer) => {
      if (answer.statusCode === 503 && mayPass) {
        answer.resume()
        return this.#pass(incoming, body, response, turn + 1, tries - 1)
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    sent.on('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ECONNREFUSED' && mayPass) return this.#pass(incoming, body, response, turn + 1, tries - 1)
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    })
    response.once('close', () => sent.destroy())
    sent.end(body)
  }
}

/** A connection to a server that can be cut, restored or silenced. */
export class TcpProxy {
  readonly #port: number
  readonly #open = new Set<Socket>()
  #cut = false
  #silent = false
  readonly #server = createTcpServer((near) => this.#join(near))

  constructor(port: number) {
    this.#port = port
  }

  /** Starts the proxy. Resolves to its port. */
  async start(): Promise<number> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    return (this.#server.address() as AddressInfo).port
  }

  cut(): void {
    this.#cut = true
    for (const socket of this.#open) socket.destroy()
  }

  restore(): void {
    this.#cut = false
  }

  /** Stops or resumes all data without closing the connections. */
  setSilent(isSilent: boolean): void {
    this.#silent = isSilent
    for (const socket of this.#open) {
      if (isSilent) socket.pause()
      else socket.resume()
    }
  }

  async stop(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(near: Socket): void {
    if (this.#cut) return void near.destroy()
    const far = connect({ host: '127.0.0.1', port: this.#port })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#open.add(from)
      from.on('data', (chunk) => void to.write(chunk))
      from.on('error', () => to.destroy())
      from.once('close', () => {
        this.#open.delete(from)
        to.destroy()
      })
      if (this.#silent) from.pause()
    }
  }
}
