import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Knows which connections of a server are being answered; those that only stand open can be closed at any time. */
export class Connections {
  readonly #answers = new Map<Socket, number>()

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#answers.set(socket, 0)
      socket.once('close', () => this.#answers.delete(socket))
    })
    server.on('request', ({ socket }, response) => {
      this.#count(socket, 1)
      response.once('close', () => this.#count(socket, -1))
    })
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
