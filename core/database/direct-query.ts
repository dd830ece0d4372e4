import pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import type { Statement } from './connection.ts'

/** What the driver's own queries use of a connection, beside what its types declare. */
interface DriverConnection {
  readonly stream: { cork(): void; uncork(): void }
  /** The texts of the statements that this connection has prepared, by name. */
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  parse(statement: { name: string; text: string }): void
  bind(values: { statement: string; values: unknown[] }): void
  describe(portal: { type: 'P'; name: string }): void
  execute(): void
  sync(): void
}

interface Field {
  name: string
  dataTypeID: number
}

/** The columns of a statement, how their texts are parsed, and a row in which all of them are null. */
interface RowShape {
  names: readonly string[]
  parsers: readonly ((text: string) => unknown)[]
  emptyRow: object
}

/** The shapes of the statements that each connection has prepared, by name. */
const knownShapes = new WeakMap<DriverConnection, Map<string, RowShape>>()

/**
 * One execution of a statement through the extended protocol, as the driver runs it. The driver's own query asks the
 * server to describe the columns each time, looks up their parsers and creates rows member by member, which costs as
 * much again as the rest of a short statement. Here a connection that has prepared a statement knows its columns: they
 * stay the same, or PostgreSQL refuses the statement. Source: PostgreSQL, "Extended Query"; the driver's `Submittable`,
 * as its cursor implements it.
 */
export class DirectQuery implements pg.Submittable {
  readonly name: string
  readonly text: string
  /** Set by the driver, which calls it also if the server does not answer in time. */
  callback: ((error: Error | null, rows: object[]) => void) | undefined
  readonly #values: readonly unknown[]
  readonly #rows: object[] = []
  #shape: RowShape | undefined
  #shapes: Map<string, RowShape> | undefined
  #failure: Error | undefined

  constructor({ name = '', text }: Statement, values: readonly unknown[]) {
    this.name = name
    this.text = text
    this.#values = values
  }

  /** Sends the statement. @returns an error if it cannot be sent, about which the driver calls `handleError` */
  submit(driverConnection: object): Error | null {
    const connection = driverConnection as DriverConnection
    const prepared = this.name === '' ? undefined : connection.parsedStatements[this.name]
    if (prepared !== undefined && prepared !== this.text)
      return new Error(`Prepared statements must be unique - '${this.name}' was used for a different statement`)
    try {
      this.#send(connection, prepared !== undefined, this.#values.map(prepareValue))
    } catch (cause) {
      return cause instanceof Error ? cause : new Error(String(cause))
    }
    return null
  }

  #send(connection: DriverConnection, isPrepared: boolean, values: unknown[]): void {
    this.#shapes = getShapes(connection)
    this.#shape = isPrepared ? this.#shapes.get(this.name) : undefined
    // One write for all messages.
    connection.stream.cork()
    try {
      if (!isPrepared) connection.parse({ name: this.name, text: this.text })
      connection.bind({ statement: this.name, values })
      if (!this.#shape) connection.describe({ type: 'P', name: '' })
      connection.execute()
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#shape = createShape(fields)
    if (this.name !== '') this.#shapes?.set(this.name, this.#shape)
  }

  handleDataRow({ fields: texts }: { fields: readonly (string | null)[] }): void {
    if (this.#failure) return
    try {
      // No row is dropped without a word.
      if (!this.#shape) throw new Error(`The columns of the statement '${this.name}' are not known`)
      this.#rows.push(createRow(this.#shape, texts))
    } catch (cause) {
      this.#failure = cause instanceof Error ? cause : new Error(String(cause))
    }
  }

  handleCommandComplete(): void {
    // How many rows there were is not needed.
  }

  handleEmptyQuery(): void {
    // An empty text has no rows.
  }

  handlePortalSuspended(): void {
    // Never sent, because all rows are asked for at once.
  }

  handleError(error: Error): void {
    this.callback?.(error, [])
  }

  handleReadyForQuery(): void {
    this.callback?.(this.#failure ?? null, this.#rows)
  }
}

function getShapes(connection: DriverConnection): Map<string, RowShape> {
  const known = knownShapes.get(connection)
  if (known) return known
  const shapes = new Map<string, RowShape>()
  knownShapes.set(connection, shapes)
  return shapes
}

function createShape(fields: readonly Field[]): RowShape {
  const names = fields.map(({ name }) => name)
  return {
    names,
    parsers: fields.map(({ dataTypeID }) => pg.types.getTypeParser(dataTypeID, 'text') as (text: string) => unknown),
    // What JSON.parse creates is an object whose copies are quick.
    emptyRow: JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null])))) as object,
  }
}

/**
 * Creates a row. A copy of a complete object is several times as fast as an object that gets one member after the other:
 * with more than a dozen members, V8 makes a dictionary of such an object.
 */
function createRow({ names, parsers, emptyRow }: RowShape, texts: readonly (string | null)[]): object {
  const row = { ...emptyRow } as Record<string, unknown>
  for (let at = 0; at < names.length; at++) {
    const text = texts[at]
    if (typeof text === 'string') row[names[at] as string] = parsers[at]?.(text)
  }
  return row
}
