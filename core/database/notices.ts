import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Knex } from 'knex'
import type { Notices } from '../kernel/ports/notices.ts'

type NoticeListener = (payload: string) => void

/** Minimum and maximum delay in milliseconds before a reconnection. */
const reconnectDelayMs = { min: 100, max: 5_000 }
/** Interval and timeout of heartbeats in milliseconds. A server that disappears is noticed after at most their sum. */
const heartbeat = { intervalMs: 8_000, timeoutMs: 5_000 }
/** Maximum payload in bytes; PostgreSQL accepts less than 8,000. */
const maxPayloadBytes = 7_900

/**
 * First key of the advisory lock that a process holds while its connection lives; the second key is the process number.
 */
export const presenceLocks = 20_017

/**
 * The notices of a process, received by LISTEN on one connection. The connection has to be direct, because a pooler
 * would lose notices. A lost connection is restored after 0.1 to 5 s. Whenever listening on a channel begins, also the
 * first time, its listeners are called with an empty payload, so that they check for changes whose notices they missed.
 */
export class PostgresNotices implements Notices {
  /**
   * Number of this process. When it dies, its advisory lock `(presenceLocks, number)` is free, which others see at
   * once.
   */
  readonly number = randomInt(1, 2 ** 31 - 1)
  readonly #listeners = new Map<string, Set<NoticeListener>>()
  readonly #closing = new AbortController()
  readonly #log: Logger
  readonly #url: string
  readonly #connectionLoop: Promise<void>
  #client: pg.Client | undefined
  #isPresent = false
  /** The last statement on the connection, because the driver takes one statement at a time. */
  #lastStatement: Promise<unknown> = Promise.resolve()
  #ready = Promise.withResolvers<void>()

  constructor(url: string, log: Logger) {
    this.#url = url
    this.#log = log
    this.#connectionLoop = this.#keepConnected()
  }

  /** The number of this process while it holds its lock. */
  get processNumber(): number | null {
    return this.#isPresent ? this.number : null
  }

  async isProcessGone(db: Knex, number: number): Promise<boolean> {
    const {
      rows: [row],
    } = await db.raw<{ rows: { gone: boolean }[] }>('select pg_try_advisory_xact_lock_shared(?, ?) as gone', [
      presenceLocks,
      number,
    ])
    return row?.gone === true
  }

  /** Resolves when the connection is established and all channels that were subscribed before are listened to. */
  ready(): Promise<void> {
    return this.#ready.promise
  }

  subscribe(channel: string, listener: NoticeListener): () => void {
    const name = quoteChannel(channel)
    const known = this.#listeners.get(channel)
    const listeners = known ?? new Set<NoticeListener>()
    listeners.add(listener)
    if (known) return () => void listeners.delete(listener)
    this.#listeners.set(channel, listeners)
    const client = this.#client
    // If this fails, the connection is lost; the next connection listens to all channels again.
    if (client)
      this.#runStatement(client, `listen ${name}`).then(
        () => this.#notifyListeners(channel, ''),
        () => client.end().catch(() => undefined),
      )
    return () => void listeners.delete(listener)
  }

  async notify(trx: Knex, channel: string, payload: string): Promise<void> {
    if (Buffer.byteLength(payload) > maxPayloadBytes) throw new Error(`A notice takes at most ${maxPayloadBytes} bytes`)
    await trx.raw('select pg_notify(?, ?)', [channel, payload])
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#connectionLoop
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#closing
    for (let failures = 0; !signal.aborted; failures++) {
      const cause = await this.#runConnection(() => {
        failures = 0
      }).catch((cause: unknown) => cause)
      if (signal.aborted) return
      this.#log.warn({ err: cause }, 'the listening connection is lost')
      const delay = Math.min(reconnectDelayMs.max, reconnectDelayMs.min * 2 ** failures) * (0.5 + Math.random() / 2)
      await sleep(delay, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Runs one connection until it ends. Rejects when the connection is lost, and resolves after `close`. */
  async #runConnection(onConnected: () => void): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'tessera notices',
      keepAlive: true,
      connectionTimeoutMillis: heartbeat.timeoutMs,
      query_timeout: heartbeat.timeoutMs,
    })
    const lost = new Promise<never>((_, reject) => {
      client.once('error', reject)
      client.once('end', () => reject(new Error('the connection ended')))
    })
    lost.catch(() => undefined)
    this.#lastStatement = Promise.resolve()
    client.on('notification', ({ channel, payload }) => this.#notifyListeners(channel, payload ?? ''))
    try {
      await client.connect()
      await this.#prepareConnection(client)
      onConnected()
      await Promise.race([lost, this.#sendHeartbeats(client)])
    } finally {
      this.#client = undefined
      this.#isPresent = false
      this.#ready = Promise.withResolvers()
      client.end().catch(() => undefined)
    }
  }

  async #prepareConnection(client: pg.Client): Promise<void> {
    await this.#runStatement(client, 'select pg_advisory_lock($1, $2)', [presenceLocks, this.number])
    this.#isPresent = true
    this.#client = client
    const channels = [...this.#listeners.keys()]
    if (channels.length > 0)
      await this.#runStatement(client, channels.map((channel) => `listen ${quoteChannel(channel)}`).join('; '))
    for (const channel of channels) this.#notifyListeners(channel, '')
    this.#ready.resolve()
  }

  async #sendHeartbeats(client: pg.Client): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await sleep(heartbeat.intervalMs, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted) await this.#runStatement(client, 'select 1')
    }
  }

  /** Runs a statement after all earlier ones have ended. */
  #runStatement(client: pg.Client, text: string, values?: unknown[]): Promise<unknown> {
    const said = this.#lastStatement.then(() => client.query(text, values))
    this.#lastStatement = said.catch(() => undefined)
    return said
  }

  #notifyListeners(channel: string, payload: string): void {
    for (const listener of [...(this.#listeners.get(channel) ?? [])]) {
      try {
        listener(payload)
      } catch (cause) {
        this.#log.error({ err: cause, channel }, 'a listener failed')
      }
    }
  }
}

/** Creates the notices of this process. The connection is made at once; `close` ends it. */
export function createNotices({ url, log }: { url: string; log: Logger }): PostgresNotices {
  return new PostgresNotices(url, log)
}

function quoteChannel(channel: string): string {
  if (!/^[a-z_]{1,60}$/.test(channel)) throw new Error(`${channel} is no name of a channel`)
  return `"${channel}"`
}
