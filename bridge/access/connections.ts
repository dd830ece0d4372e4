import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Tracks which connections of a server have a request in progress. All other connections can be closed at any time. */
export class Connections {
  readonly #openAnswers = new Map<Socket, number>()
  readonly #openResponses = new Set<ServerResponse>()
  #acceptedCount = 0

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#acceptedCount++
      this.#openAnswers.set(socket, 0)
      socket.once('close', () => this.#openAnswers.delete(socket))
    })
    server.on('request', ({ socket }, response) => {
      this.#changeCount(socket, 1)
      this.#openResponses.add(response)
      response.on('close', () => {
        this.#openResponses.delete(response)
        this.#changeCount(socket, -1)
      })
    })
  }

  /**
   * Resolves when the process has accepted the connections that wait in the queue of its socket, or after `maxMs`.
   * Closing the socket would reset them, although their clients are connected already. The event loop accepts one a turn.
   */
  async acceptWaiting(maxMs: number): Promise<void> {
    const endsAtMs = performance.now() + maxMs
    for (let seen = -1; seen !== this.#acceptedCount && performance.now() < endsAtMs;) {
      seen = this.#acceptedCount
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
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
