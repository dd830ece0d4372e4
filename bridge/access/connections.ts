import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Tracks which connections of a server have a request in progress. All other connections can be closed at any time. */
export class Connections {
  readonly #openAnswers = new Map<Socket, number>()
  readonly #openResponses = new Set<ServerResponse>()

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#openAnswers.set(socket, 0)
      socket.once('close', () => this.#openAnswers.delete(socket))
    })
    server.on('request', ({ socket }, response) => {
      this.#changeCount(socket, 1)
      this.#openResponses.add(response)
      response.once('close', () => {
        this.#openResponses.delete(response)
        this.#changeCount(socket, -1)
      })
    })
  }

  /** Announces in each open response that its connection will close, so that clients send nothing more on it. */
  endAfterAnswers(): void {
    for (const response of this.#openResponses) if (!response.headersSent) response.shouldKeepAlive = false
  }

  /** Closes idle connections. Node's own method does not close connections that have not sent a request yet. */
  closeUnused(): void {
    for (const [socket, answers] of this.#openAnswers) if (answers === 0) socket.destroy()
  }

  #changeCount(socket: Socket, step: 1 | -1): void {
    const answers = this.#openAnswers.get(socket)
    if (answers !== undefined) this.#openAnswers.set(socket, answers + step)
  }
}
