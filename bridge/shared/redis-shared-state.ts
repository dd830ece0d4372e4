import { randomUUID } from 'node:crypto'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { createClient } from 'redis'
import { parseJson } from '../../tools/json.ts'
import { isRecord } from '../../tools/openapi.ts'
import type { Log } from './log.ts'
import { ExpiringBytes, ExpiringNames, type SharedState } from './shared-state.ts'

export type RedisClient = ReturnType<typeof createClient>

/** How long the bridge waits for an answer of Redis, in milliseconds. `silenceMs`: the break after a missing answer. */
const answerTimeoutMs = 250
const silenceMs = 1_000
/** How long a start waits to learn whether Redis can be reached, in milliseconds. */
const startTimeoutMs = 2_000

/** The type of texts and bytes in answers of Redis: the code of `$`. Source: RESP, bulk strings. */
const bulkStringType = 36

/** The longest message to another process, in characters of JSON. */
const maxMessageLength = 1024 * 1024

const noticeChannel = 'mcp:told'
const getAnswerChannel = (process: string) => `mcp:to:${process}`

/**
 * The state that processes share through Redis. While Redis is away, each process goes on with its own knowledge: the
 * sessions that it ended stay ended there, and it writes them to Redis later. Every stored key expires.
 */
export class RedisSharedState implements SharedState {
  readonly isAlone = false
  readonly processId = randomUUID()
  readonly started: Promise<void>
  readonly #log: Log
  readonly #endedSessions = new ExpiringNames()
  readonly #claimedNames = new ExpiringNames()
  /** What was kept while Redis was away, which only this process can read. */
  readonly #unsavedBytes = new ExpiringBytes()
  /** The sessions that were ended while Redis was away. */
  readonly #unsavedEnds = new ExpiringNames(10_000)
  readonly #connected = Promise.withResolvers<void>()
  #client: RedisClient | undefined
  #subscriber: RedisClient | undefined
  #isSubscribed = false
  #closed = false
  #silentUntilMs = 0
  /** The timer of the next attempt to learn whether Redis answers again. */
  #retryTimer: NodeJS.Timeout | null = null
  /** True after the log line that Redis is away. */
  #isReportedAway = false
  #receiveAnswer: (message: unknown) => void = () => undefined
  #receiveNotice: (session: string, message: unknown) => void = () => undefined
  #handleReconnect: () => void = () => undefined

  constructor(url: string, log: Log) {
    this.#log = log
    const known = sleep(startTimeoutMs, undefined, { ref: false })
    this.started = Promise.race([this.#connectRedis(url).then(() => this.#connected.promise), known])
  }

  get isReady(): boolean {
    return this.#client?.isReady === true && this.#isSubscribed && !this.#isReportedAway
  }

  getRedis(): RedisClient | null {
    return this.#client?.isReady === true && performance.now() >= this.#silentUntilMs ? this.#client : null
  }

  async endSession(id: string, seconds: number): Promise<void> {
    this.#endedSessions.set(id, seconds)
    const saved = await this.#askRedis((client) => client.set(`mcp:ended:${id}`, '1', { EX: toWholeSeconds(seconds) }))
    const isPublished = saved !== undefined && (await this.#publishNotice(id, { ended: seconds }))
    if (!isPublished) this.#unsavedEnds.set(id, seconds)
  }

  async isEnded(id: string): Promise<boolean> {
    return this.#endedSessions.has(id) || (await this.#askRedis((client) => client.exists(`mcp:ended:${id}`))) === 1
  }

  async claimOnce(name: string, seconds: number): Promise<boolean> {
    if (!this.#claimedNames.set(name, seconds)) return false
    const answer = await this.#askRedis((client) =>
      client.set(`mcp:once:${name}`, '1', { EX: toWholeSeconds(seconds), NX: true }),
    )
    // Redis answers null if the name was there already; undefined means that Redis did not answer.
    return answer !== null
  }

  async keepBytes(name: string, bytes: Buffer, seconds: number): Promise<void> {
    const saved = await this.#askRedis((client) =>
      client.set(`mcp:kept:${name}`, bytes, { EX: toWholeSeconds(seconds) }),
    )
    if (saved === undefined) this.#unsavedBytes.set(name, bytes, seconds)
    else this.#unsavedBytes.delete(name)
  }

  async readBytes(name: string): Promise<Buffer[]> {
    const saved = await this.#askRedis((client) =>
      client.withTypeMapping({ [bulkStringType]: Buffer }).get(`mcp:kept:${name}`),
    )
    return [...this.#unsavedBytes.list(name), ...(saved ? [saved] : [])]
  }

  async deliverAnswer(process: string, message: unknown): Promise<boolean> {
    if (process === this.processId) {
      this.#receiveAnswer(message)
      return true
    }
    const text = JSON.stringify(message)
    if (text.length > maxMessageLength) return false
    const receivers = await this.#askRedis((client) => client.publish(getAnswerChannel(process), text))
    return (receivers ?? 0) > 0
  }

  onAnswer(take: (message: unknown) => void): void {
    this.#receiveAnswer = take
  }

  async notifySession(session: string, message: unknown): Promise<void> {
    await this.#publishNotice(session, message)
  }

  /** Publishes a notice; returns false if Redis did not take it. Messages that are too long are dropped. */
  async #publishNotice(session: string, message: unknown): Promise<boolean> {
    const text = JSON.stringify({ from: this.processId, session, message })
    if (text.length > maxMessageLength) return true
    return (await this.#askRedis((client) => client.publish(noticeChannel, text))) !== undefined
  }

  onNotice(take: (session: string, message: unknown) => void): void {
    this.#receiveNotice = take
  }

  onReconnect(call: () => void): void {
    this.#handleReconnect = call
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#connected.resolve()
    if (this.#retryTimer) clearTimeout(this.#retryTimer)
    for (const client of [this.#subscriber, this.#client]) if (client?.isOpen) client.destroy()
  }

  /** Connects to Redis. The driver is loaded only when needed; it reconnects by itself for as long as it takes. */
  async #connectRedis(url: string): Promise<void> {
    const { createClient } = await import('redis')
    if (this.#closed) return
    const client: RedisClient = createClient({
      url,
      disableOfflineQueue: true,
      socket: { connectTimeout: 2_000, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 2_000) },
    })
    const subscriber: RedisClient = client.duplicate()
    for (const one of [client, subscriber]) {
      one.on('error', (cause: Error) => this.#reportAway(cause))
      one.on('ready', () => void this.#subscribeChannels(subscriber))
    }
    this.#client = client
    this.#subscriber = subscriber
    // The `error` event reports failures of these calls; both clients go on trying.
    for (const one of [client, subscriber]) one.connect().catch(() => undefined)
  }

  /** Subscribes when both connections are ready. It may run again without harm. */
  async #subscribeChannels(subscriber: RedisClient): Promise<void> {
    if (!subscriber.isReady || this.#client?.isReady !== true) return
    try {
      await subscriber.subscribe(getAnswerChannel(this.processId), this.#handleAnswer)
      await subscriber.subscribe(noticeChannel, this.#handleNotice)
    } catch (cause) {
      return this.#reportAway(cause)
    }
    this.#isSubscribed = true
    this.#reportBack()
    this.#connected.resolve()
  }

  /** Writes the ends that Redis missed, and lets the sessions check what this process missed. */
  async #catchUp(): Promise<void> {
    for (const [id, seconds] of this.#unsavedEnds.takeLiving()) await this.endSession(id, seconds)
    this.#handleReconnect()
  }

  readonly #handleAnswer = (text: string): void => this.#receiveAnswer(parseJson(text))

  readonly #handleNotice = (text: string): void => {
    const value = parseJson(text)
    if (!isRecord(value) || value['from'] === this.processId || typeof value['session'] !== 'string') return
    const { session, message } = value
    // This process remembers the end, even if Redis goes away.
    if (isRecord(message) && typeof message['ended'] === 'number') this.#endedSessions.set(session, message['ended'])
    this.#receiveNotice(session, message)
  }

  /** Asks Redis and returns its answer; undefined if there is none in time. */
  async #askRedis<T>(work: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    const client = this.getRedis()
    if (!client) return undefined
    const pendingAnswer = work(client)
    // Nobody is interested in an answer that comes too late.
    pendingAnswer.catch(() => undefined)
    try {
      const answer = await Promise.race([pendingAnswer, waitForTimeout()])
      if (answer !== timedOut) {
        this.#reportBack()
        return answer
      }
      this.#silentUntilMs = performance.now() + silenceMs
      this.#reportAway(new Error(`no answer within ${answerTimeoutMs} ms`))
    } catch (cause) {
      this.#reportAway(cause)
    }
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = null
      if (this.#isReportedAway) void this.#askRedis((one) => one.ping())
    }, silenceMs + 1).unref()
    return undefined
  }

  #reportAway(cause: unknown): void {
    if (this.#subscriber?.isReady !== true) this.#isSubscribed = false
    this.#connected.resolve()
    if (this.#isReportedAway || this.#closed) return
    this.#isReportedAway = true
    this.#log.warn({ err: cause }, 'Redis is away: each process of the bridge goes on alone')
  }

  #reportBack(): void {
    if (!this.#isReportedAway || !this.#isSubscribed) return
    this.#isReportedAway = false
    this.#log.info('Redis is back')
    void this.#catchUp()
  }
}

/** Rounds up to whole seconds, because Redis takes no fractions. */
const toWholeSeconds = (seconds: number) => Math.max(1, Math.ceil(seconds))

const timedOut = Symbol('too late')

/** Waits for the timeout. If this process was the busy one, answers that have already arrived are still read first. */
async function waitForTimeout(): Promise<typeof timedOut> {
  await sleep(answerTimeoutMs, undefined, { ref: false })
  await turn()
  await turn()
  return timedOut
}
