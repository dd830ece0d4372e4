import type { Socket } from 'node:net'
import { setImmediate as breath } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Client, Submittable } from 'pg'

/** Text that COPY reads as a value. Source: PostgreSQL, COPY, text format. */
export function copied(value: string | null): string {
  if (value === null) return '\\N'
  return special.test(value) ? value.replace(everySpecial, (sign) => escapes[sign] ?? sign) : value
}

const special = /[\\\n\r\t]/
const everySpecial = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** The same of JSON as `JSON.stringify` spells it, in which all control characters are escaped already. */
export const copiedJson = (json: string): string => (json.includes('\\') ? json.replaceAll('\\', '\\\\') : json)

/** The same of a list of texts, as PostgreSQL spells an array. Source: PostgreSQL, section 8.15.6. */
export function copiedList(values: readonly string[]): string {
  if (values.length === 0) return '{}'
  return copied(`{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`)
}

/** Rows of one table. */
export interface Copied {
  /** Table and columns, as `passports (id, network)`. */
  into: string
  /** Rows in text format, each with its line break. */
  lines: Iterable<string>
  /** Whether they are made without waiting until the server has taken what came before, and kept until then. */
  ahead?: boolean
}

/**
 * Writes rows into tables by COPY, one after the other in one statement, in the transaction. Lines are made as they
 * leave: the server stores the first while the last are written, and others of this process have their turn in between.
 * Ends when all of it was sent; nothing else may be asked of the transaction before `stored` has ended.
 * @returns stored: ends when the server has it all, or with its error. @throws what making lines came to, or that error
 */
export async function copyInto(trx: Knex.Transaction, parts: readonly Copied[]): Promise<{ stored: Promise<void> }> {
  const client = await (trx.client as { acquireConnection(): Promise<Client> }).acquireConnection()
  const statement = new CopyStatement(parts.map(({ into }) => `copy ${into} from stdin`).join(';'))
  client.query(statement)
  try {
    for (const { lines, ahead = false } of parts) {
      for (const chunk of inChunks(lines)) {
        await statement.write(Buffer.from(chunk), ahead)
        await breath()
      }
      await statement.endPart(ahead)
    }
  } catch (cause) {
    // Else the rollback would wait behind a COPY that nobody ends.
    await statement.fail()
    throw cause
  }
  return { stored: statement.stored }
}

/** Writes rows in text format as they come, by COPY over a connection of the driver's. @param into as in `Copied` */
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

/** Characters that are sent at once. */
const chunkLength = 65_536

function* inChunks(lines: Iterable<string>): Generator<string> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length < chunkLength) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** The part of a connection of pg that sends. */
interface Wire {
  stream: Socket
  query(text: string): void
  sendCopyFail(reason: string): void
}

const copyDone = Buffer.from([0x63, 0, 0, 0, 4])

/**
 * One or several COPY FROM STDIN in one simple query, whose rows are sent without waiting for the server's word before
 * each: it takes messages in their order, and passes over those of a COPY that it has refused. A stream for each COPY,
 * as pg-copy-streams has it, waits three times for the other side, a tenth of the time of an import.
 * Source: PostgreSQL, sections 54.2.2.1 and 54.2.6.
 */
class CopyStatement implements Submittable {
  readonly stored: Promise<void>
  readonly #text: string
  readonly #begun = Promise.withResolvers<Wire>()
  readonly #ended = Promise.withResolvers<void>()
  #error: Error | null = null
  /** Taken by the driver, which ends its patience with it. */
  callback: (error?: Error) => void = () => undefined

  constructor(text: string) {
    this.#text = text
    this.stored = this.#ended.promise
    // Told when it is waited for.
    this.stored.catch(() => undefined)
  }

  submit(connection: unknown): void {
    const wire = connection as Wire
    wire.query(this.#text)
    this.#begun.resolve(wire)
  }

  /** @throws the server's refusal, after which nothing is sent */
  async write(chunk: Buffer, ahead: boolean): Promise<void> {
    const head = Buffer.from([0x64, 0, 0, 0, 0])
    head.writeUInt32BE(chunk.length + 4, 1)
    await this.#send([head, chunk], ahead)
  }

  /** Ends the rows of one table. */
  async endPart(ahead: boolean): Promise<void> {
    await this.#send([copyDone], ahead)
  }

  /** Has the server give up what it was sent, and waits for that. */
  async fail(): Promise<void> {
    const wire = await this.#wire().catch(() => null)
    if (!this.#error) wire?.sendCopyFail('its rows could not be made')
    await this.stored.catch(() => undefined)
  }

  async #send(parts: readonly Buffer[], ahead: boolean): Promise<void> {
    const { stream } = await this.#wire()
    if (this.#error) throw this.#error
    stream.cork()
    for (const part of parts) stream.write(part)
    stream.uncork()
    if (ahead || !stream.writableNeedDrain) return
    const { promise, resolve } = Promise.withResolvers<void>()
    stream.once('drain', resolve)
    await Promise.race([promise, this.stored]).finally(() => stream.off('drain', resolve))
  }

  /** Before that the connection can be lost. */
  #wire(): Promise<Wire> {
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
