import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Knows which connections of a server are being answered; those that only stand open can be closed at any time. */
export class Connections {
  readonly #answers = new Map<Socket, number>()
  readonly #open = new Set<ServerResponse>()

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#answers.set(socket, 0)
      socket.once('close', () => this.#answers.delete(socket))
    })
    server.on('request', ({ socket }, response) => {
      this.#count(socket, 1)
      this.#open.add(response)
      response.once('close', () => {
        this.#open.delete(response)
        this.#count(socket, -1)
      })
    })
  }

  /** What is being answered says that its connection ends, so that no client sends anything more on it. */
  endAfterAnswers(): void {
    for (const response of this.#open) if (!response.headersSent) response.shouldKeepAlive = false
  }

  /** Node's own way leaves out connections on which nothing was asked yet. */
  closeUnused(): void {
    for (const [socket, answers] of this.#answers) if (answers === 0) socket.destroy()
  }

  #count(socket: Socket, step: 1 | -1): void {
    const answers = this.#answers.get(socket)
    if (answers !== undefined) this.#answers.set(socket, answers + step)
  }
}
