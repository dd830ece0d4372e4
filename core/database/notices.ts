import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Knex } from 'knex'
import type { Notices } from '../kernel/parts.ts'

type Listener = (payload: string) => void

/** Milliseconds between two attempts to come back. */
const backoff = { least: 100, most: 5_000 }
/** A server that is gone without a word is noticed after at most the sum of the two, in milliseconds. */
const heartbeat = { every: 8_000, patience: 5_000 }
/** PostgreSQL takes payloads of less than 8,000 bytes. */
const payloadLimit = 7_900

/** First half of the advisory lock that a process holds while its connection lives; its number is the other half. */
export const presenceLocks = 20_017

/**
 * LISTEN over one connection a process. It has to be a direct one: a pooler between would lose what is said. A lost
 * connection comes back after 0.1 to 5 s. Each time the listening on a channel takes hold, the first time too, its
 * listeners are called with an empty payload: something may have been said before, so look again.
 */
export class PostgresNotices implements Notices {
  /** The number of this process: others see its death at once by the advisory lock `(presenceLocks, number)`. */
  readonly number = randomInt(1, 2 ** 31 - 1)
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #closing = new AbortController()
  readonly #log: Logger
  readonly #url: string
  readonly #life: Promise<void>
  #client: pg.Client | undefined
  #present = false
  /** What was said last on the connection: the driver takes one statement at a time. */
  #turn: Promise<unknown> = Promise.resolve()
  #ready = Promise.withResolvers<void>()

  constructor(url: string, log: Logger) {
    this.#url = url
    this.#log = log
    this.#life = this.#live()
  }

  /** The number of this process while its lock is held. */
  get presence(): number | null {
    return this.#present ? this.number : null
  }

  async isGone(db: Knex, number: number): Promise<boolean> {
    const { rows: [row] } = await db.raw<{ rows: { gone: boolean }[] }>(
      'select pg_try_advisory_xact_lock_shared(?, ?) as gone', [presenceLocks, number])
    return row?.gone === true
  }

  /** Resolves when the connection is there and every channel asked for before it is listened to. */
  ready(): Promise<void> {
    return this.#ready.promise
  }

  on(channel: string, listener: Listener): () => void {
    const name = quoted(channel)
    const known = this.#listeners.get(channel)
    const those = known ?? new Set<Listener>()
    those.add(listener)
    if (known) return () => void those.delete(listener)
    this.#listeners.set(channel, those)
    const client = this.#client
    // A failure here is a lost connection, which listens to every channel again when it is back.
    if (client) this.#say(client, `listen ${name}`).then(() => this.#tell(channel, ''), () => client.end().catch(() => undefined))
    return () => void those.delete(listener)
  }

  async notify(trx: Knex, channel: string, payload: string): Promise<void> {
    if (Buffer.byteLength(payload) > payloadLimit) throw new Error(`A notice takes at most ${payloadLimit} bytes`)
    await trx.raw('select pg_notify(?, ?)', [channel, payload])
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#life
  }

  async #live(): Promise<void> {
    const { signal } = this.#closing
    for (let failures = 0; !signal.aborted; failures++) {
      const cause = await this.#connection(() => { failures = 0 }).catch((cause: unknown) => cause)
      if (signal.aborted) return
      this.#log.warn({ err: cause }, 'the listening connection is lost')
      const delay = Math.min(backoff.most, backoff.least * 2 ** failures) * (0.5 + Math.random() / 2)
      await sleep(delay, undefined, { signal }).catch(() => undefined)
    }
  }

  /** One connection, from its making to its end. Rejects, or resolves at `close`. */
  async #connection(made: () => void): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url, application_name: 'tessera notices', keepAlive: true,
      connectionTimeoutMillis: heartbeat.patience, query_timeout: heartbeat.patience,
    })
    const lost = new Promise<never>((_, reject) => {
      client.once('error', reject)
      client.once('end', () => reject(new Error('the connection ended')))
    })
    lost.catch(() => undefined)
    this.#turn = Promise.resolve()
    client.on('notification', ({ channel, payload }) => this.#tell(channel, payload ?? ''))
    try {
      await client.connect()
      await this.#settle(client)
      made()
      await Promise.race([lost, this.#beat(client)])
    } finally {
      this.#client = undefined
      this.#present = false
      this.#ready = Promise.withResolvers()
      client.end().catch(() => undefined)
    }
  }

  async #settle(client: pg.Client): Promise<void> {
    await this.#say(client, 'select pg_advisory_lock($1, $2)', [presenceLocks, this.number])
    this.#present = true
    this.#client = client
    const channels = [...this.#listeners.keys()]
    if (channels.length > 0) await this.#say(client, channels.map((channel) => `listen ${quoted(channel)}`).join('; '))
    for (const channel of channels) this.#tell(channel, '')
    this.#ready.resolve()
  }

  async #beat(client: pg.Client): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await sleep(heartbeat.every, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted) await this.#say(client, 'select 1')
    }
  }

  /** A statement after those before it. */
  #say(client: pg.Client, text: string, values?: unknown[]): Promise<unknown> {
    const said = this.#turn.then(() => client.query(text, values))
    this.#turn = said.catch(() => undefined)
    return said
  }

  #tell(channel: string, payload: string): void {
    for (const listener of [...this.#listeners.get(channel) ?? []]) {
      try {
        listener(payload)
      } catch (cause) {
        this.#log.error({ err: cause, channel }, 'a listener failed')
      }
    }
  }
}

/** The notices of this process. Connects by itself; `close` ends the connection. */
export function noticesOf({ url, log }: { url: string; log: Logger }): PostgresNotices {
  return new PostgresNotices(url, log)
}

function quoted(channel: string): string {
  if (!/^[a-z_]{1,60}$/.test(channel)) throw new Error(`${channel} is no name of a channel`)
  return `"${channel}"`
}
