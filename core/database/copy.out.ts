import type { Client, Submittable } from 'pg'

/**
 * Reads the rows of a query by COPY, in text format and in chunks of about 256 KiB. Reading pauses while a chunk is
 * handled.
 * @param query everything between the parentheses of `copy (…) to stdout` @returns the number of rows
 */
export async function readByCopy(
  client: Client,
  query: string,
  handlePiece: (piece: Buffer) => Promise<void>,
): Promise<number> {
  const statement = new CopyOutStatement(`copy (${query}) to stdout`, handlePiece)
  client.query(statement)
  return statement.rows
}

const pieceBytes = 262_144

/** The parts of a pg connection that reading uses. */
interface CopyConnection {
  stream: { pause(): void; resume(): void }
  query(text: string): void
}

/** One COPY TO STDOUT. Source: PostgreSQL, section 54.2.6. */
class CopyOutStatement implements Submittable {
  readonly rows: Promise<number>
  readonly #ended = Promise.withResolvers<number>()
  readonly #text: string
  readonly #take: (piece: Buffer) => Promise<void>
  #buffer = Buffer.allocUnsafe(pieceBytes)
  #filledBytes = 0
  #rows = 0
  #takenPieces: Promise<void> = Promise.resolve()
  #error: Error | null = null
  /** The driver replaces this function to stop its query timeout. */
  callback: (error?: Error) => void = () => undefined

  constructor(text: string, take: (piece: Buffer) => Promise<void>) {
    this.#text = text
    this.#take = take
    this.rows = this.#ended.promise
    this.rows.catch(() => undefined)
  }

  submit(connection: unknown): void {
    ;(connection as CopyConnection).query(this.#text)
  }

  /** Copies the message at once, because the driver reuses its memory. */
  handleCopyData({ chunk }: { chunk: Buffer }, connection: unknown): void {
    if (this.#filledBytes + chunk.length > this.#buffer.length) this.#handOverPiece(connection as CopyConnection)
    if (chunk.length > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(chunk.length)
    this.#filledBytes += chunk.copy(this.#buffer, this.#filledBytes)
  }

  #handOverPiece(wire?: CopyConnection): void {
    if (this.#filledBytes === 0) return
    const piece = this.#buffer.subarray(0, this.#filledBytes)
    this.#buffer = Buffer.allocUnsafe(pieceBytes)
    this.#filledBytes = 0
    wire?.stream.pause()
    this.#takenPieces = this.#takenPieces.then(() => this.#take(piece)).finally(() => wire?.stream.resume())
    this.#takenPieces.catch(() => undefined)
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = Number(text.split(' ')[1])
    this.#handOverPiece()
  }

  handleReadyForQuery(): void {
    this.callback()
    if (this.#error) this.#ended.reject(this.#error)
    else
      this.#takenPieces.then(
        () => this.#ended.resolve(this.#rows),
        (cause: unknown) => this.#ended.reject(cause),
      )
  }

  handleError(error: Error): void {
    this.#error = error
    this.callback()
    this.#ended.reject(error)
  }
}
