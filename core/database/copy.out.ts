import type { Client, Submittable } from 'pg'

/**
 * Reads what a query gives by COPY, in text format and in pieces of about 256 KiB; reading waits while a piece is taken.
 * @param query everything between the parentheses of `copy (…) to stdout` @returns how many rows there were
 */
export async function copyOut(client: Client, query: string, take: (piece: Buffer) => Promise<void>): Promise<number> {
  const statement = new CopyOutStatement(`copy (${query}) to stdout`, take)
  client.query(statement)
  return statement.rows
}

const pieceBytes = 262_144

/** The part of a connection of pg that reads. */
interface Wire {
  stream: { pause(): void; resume(): void }
  query(text: string): void
}

/** One COPY TO STDOUT. Source: PostgreSQL, section 54.2.6. */
class CopyOutStatement implements Submittable {
  readonly rows: Promise<number>
  readonly #ended = Promise.withResolvers<number>()
  readonly #text: string
  readonly #take: (piece: Buffer) => Promise<void>
  #piece = Buffer.allocUnsafe(pieceBytes)
  #filled = 0
  #rows = 0
  #taken: Promise<void> = Promise.resolve()
  #error: Error | null = null
  /** Taken by the driver, which ends its patience with it. */
  callback: (error?: Error) => void = () => undefined

  constructor(text: string, take: (piece: Buffer) => Promise<void>) {
    this.#text = text
    this.#take = take
    this.rows = this.#ended.promise
    this.rows.catch(() => undefined)
  }

  submit(connection: unknown): void {
    (connection as Wire).query(this.#text)
  }

  /** The driver reuses the memory of a message, so it is copied at once. */
  handleCopyData({ chunk }: { chunk: Buffer }, connection: unknown): void {
    if (this.#filled + chunk.length > this.#piece.length) this.#hand(connection as Wire)
    if (chunk.length > this.#piece.length) this.#piece = Buffer.allocUnsafe(chunk.length)
    this.#filled += chunk.copy(this.#piece, this.#filled)
  }

  #hand(wire?: Wire): void {
    if (this.#filled === 0) return
    const piece = this.#piece.subarray(0, this.#filled)
    this.#piece = Buffer.allocUnsafe(pieceBytes)
    this.#filled = 0
    wire?.stream.pause()
    this.#taken = this.#taken.then(() => this.#take(piece)).finally(() => wire?.stream.resume())
    this.#taken.catch(() => undefined)
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = Number(text.split(' ')[1])
    this.#hand()
  }

  handleReadyForQuery(): void {
    this.callback()
    if (this.#error) this.#ended.reject(this.#error)
    else this.#taken.then(() => this.#ended.resolve(this.#rows), (cause: unknown) => this.#ended.reject(cause))
  }

  handleError(error: Error): void {
    this.#error = error
    this.callback()
    this.#ended.reject(error)
  }
}
