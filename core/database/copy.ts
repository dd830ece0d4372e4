import type { Socket } from 'node:net'
import { setImmediate as breath } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Client, Submittable } from 'pg'

/** Escapes a text for COPY. Source: PostgreSQL, COPY, text format. */
export function escapeCopyText(value: string | null): string {
  if (value === null) return '\\N'
  return specialSign.test(value) ? value.replace(specialSigns, (sign) => escapes[sign] ?? sign) : value
}

const specialSign = /[\\\n\r\t]/
const specialSigns = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Escapes JSON for COPY. `JSON.stringify` has already escaped all control characters, so only backslashes are left. */
export const escapeCopyJson = (json: string): string => (json.includes('\\') ? json.replaceAll('\\', '\\\\') : json)

/** Formats a list of texts as a PostgreSQL array and escapes it for COPY. Source: PostgreSQL, section 8.15.6. */
export function escapeCopyList(values: readonly string[]): string {
  if (values.length === 0) return '{}'
  return escapeCopyText(`{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`)
}

/** Rows to write to one table. */
export interface CopySource {
  /** Table and columns, such as `passports (id, network)`. */
  into: string
  /** Rows in text format, each with its line break. */
  lines: Iterable<string>
  /** Whether the lines are created without waiting for the server; they stay in memory until it has taken them. */
  ahead?: boolean
}

/**
 * Writes rows to tables by COPY, one table after the other in one statement, inside the transaction. Lines are created
 * while they are sent: the server stores the first lines while the last are created, and other work of this process
 * runs in between. Resolves when everything has been sent. Run nothing else in the transaction before `stored` has
 * settled.
 * @returns `stored`, which settles when the server has stored everything, or rejects with its error
 * @throws an error from creating the lines, or the server's error
 */
export async function copyRows(
  trx: Knex.Transaction,
  sources: readonly CopySource[],
): Promise<{ stored: Promise<void> }> {
  const client = await (trx.client as { acquireConnection(): Promise<Client> }).acquireConnection()
  const statement = new CopyStatement(sources.map(({ into }) => `copy ${into} from stdin`).join(';'))
  client.query(statement)
  try {
    for (const { lines, ahead = false } of sources) {
      for (const chunk of joinIntoChunks(lines)) {
        await statement.write(Buffer.from(chunk), ahead)
        await breath()
      }
      await statement.endPart(ahead)
    }
  } catch (cause) {
    // Otherwise the rollback would wait behind a COPY that never ends.
    await statement.fail()
    throw cause
  }
  return { stored: statement.stored }
}

/** Writes rows in text format as they arrive, by COPY on a connection of the driver. @param into as in `CopySource` */
export async function copyPieces(client: Client, into: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  const statement = new CopyStatement(`copy ${into} from stdin`)
  client.query(statement)
  try {
    for await (const piece of pieces) await statement.write(piece, false)
    await statement.endPart(false)
  } catch (cause) {
    await statement.fail()
    throw cause
  }
  await statement.stored
}

/** Number of characters that are sent together. */
const chunkLength = 65_536

function* joinIntoChunks(lines: Iterable<string>): Generator<string> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length < chunkLength) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** The parts of a pg connection that sending uses. */
interface CopyConnection {
  stream: Socket
  query(text: string): void
  sendCopyFail(reason: string): void
}

const copyDoneMessage = Buffer.from([0x63, 0, 0, 0, 4])

/**
 * One or several COPY FROM STDIN in one simple query. Rows are sent without waiting for the server's answer to each
 * COPY: the server reads messages in order and ignores those of a COPY that it has refused. One stream per COPY, as in
 * pg-copy-streams, waits for three round trips, a tenth of the duration of an import. Source: PostgreSQL, sections
 * 54.2.2.1 and 54.2.6.
 */
class CopyStatement implements Submittable {
  readonly stored: Promise<void>
  readonly #text: string
  readonly #begun = Promise.withResolvers<CopyConnection>()
  readonly #ended = Promise.withResolvers<void>()
  #error: Error | null = null
  /** The driver replaces this function to stop its query timeout. */
  callback: (error?: Error) => void = () => undefined

  constructor(text: string) {
    this.#text = text
    this.stored = this.#ended.promise
    // Prevents an unhandled rejection; whoever awaits `stored` still gets the error.
    this.stored.catch(() => undefined)
  }

  submit(connection: unknown): void {
    const wire = connection as CopyConnection
    wire.query(this.#text)
    this.#begun.resolve(wire)
  }

  /** Sends a chunk of rows. @throws the server's error, after which nothing is sent */
  async write(chunk: Buffer, ahead: boolean): Promise<void> {
    const head = Buffer.from([0x64, 0, 0, 0, 0])
    head.writeUInt32BE(chunk.length + 4, 1)
    await this.#sendParts([head, chunk], ahead)
  }

  /** Ends the rows of one table. */
  async endPart(ahead: boolean): Promise<void> {
    await this.#sendParts([copyDoneMessage], ahead)
  }

  /** Makes the server discard what it received, and waits until it has. */
  async fail(): Promise<void> {
    const wire = await this.#waitForConnection().catch(() => null)
    if (!this.#error) wire?.sendCopyFail('its rows could not be made')
    await this.stored.catch(() => undefined)
  }

  async #sendParts(parts: readonly Buffer[], ahead: boolean): Promise<void> {
    const { stream } = await this.#waitForConnection()
    if (this.#error) throw this.#error
    stream.cork()
    for (const part of parts) stream.write(part)
    stream.uncork()
    if (ahead || !stream.writableNeedDrain) return
    const { promise, resolve } = Promise.withResolvers<void>()
    stream.once('drain', resolve)
    await Promise.race([promise, this.stored]).finally(() => stream.off('drain', resolve))
  }

  /** Returns the connection, or throws if it is lost before the statement begins. */
  #waitForConnection(): Promise<CopyConnection> {
    return Promise.race([this.#begun.promise, this.stored.then(() => this.#begun.promise)])
  }

  handleCopyInResponse(): void {}
  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback()
    this.#ended.resolve()
  }

  handleError(error: Error): void {
    this.#error = error
    this.callback()
    this.#ended.reject(error)
  }
}
