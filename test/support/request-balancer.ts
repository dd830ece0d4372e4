import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'

/** Hands each request to another of several servers, in turn, so that no client stays with one of them. */
export class RequestBalancer {
  /** Addresses of the servers, as `http://127.0.0.1:3334/mcp`; may change at any time. */
  targets: readonly string[] = []
  /** The target that takes everything from now on; null: in turn. */
  only: number | null = null
  /** Requests that each target got. */
  readonly counts: number[] = []
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

  /** One that takes no connection, or says that it is not ready, is passed over, as a balancer does. */
  #pass(incoming: IncomingMessage, body: Buffer, response: ServerResponse, turn: number, tries: number): void {
    const index = this.only ?? turn % this.targets.length
    const target = new URL(this.targets[index] ?? '')
    this.counts[index] = (this.counts[index] ?? 0) + 1
    const { method, headers, url } = incoming
    const forwarded = [headers['x-forwarded-for'], incoming.socket.remoteAddress].filter(Boolean).join(', ')
    const sent = httpRequest({
      host: target.hostname, port: target.port, path: url, method, agent: false,
      headers: { ...headers, 'x-forwarded-for': forwarded },
    })
    const mayPass = tries > 1 && this.only === null
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

/** A way to a server that can be cut and mended, or go silent. */
export class Wire {
  readonly #port: number
  readonly #open = new Set<Socket>()
  #cut = false
  #silent = false
  readonly #server = createTcpServer((near) => this.#join(near))

  constructor(port: number) {
    this.#port = port
  }

  /** Resolves to the port of this end. */
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

  mend(): void {
    this.#cut = false
  }

  /** Nothing comes back any more; nothing is closed. */
  silence(isSilent: boolean): void {
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
    for (const [from, to] of [[near, far], [far, near]] as const) {
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
