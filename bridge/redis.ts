import { randomUUID } from 'node:crypto'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { createClient } from 'redis'
import { parsedJson } from '../tools/json.ts'
import { isRecord } from '../tools/openapi.ts'
import type { Log } from './log.ts'
import { Marks, type Shared } from './shared.ts'

export type RedisClient = ReturnType<typeof createClient>

/** Milliseconds that Redis has for an answer, and for which it is left alone after it had none. */
const patience = 250
const pause = 1_000
/** How long a start waits to learn whether Redis is there, in milliseconds. */
const firstPatience = 2_000

/** The most that is handed to another process, in characters of JSON. */
const mostAnswered = 1024 * 1024

const everywhere = 'mcp:told'
const inbox = (process: string) => `mcp:to:${process}`

/**
 * What the processes have in common, in Redis. While it is away each process goes on with what it knows itself: what
 * it ended stays ended there, and is written down when Redis is back. Everything that is kept has an end.
 */
export class RedisShared implements Shared {
  readonly alone = false
  readonly process = randomUUID()
  readonly started: Promise<void>
  readonly #log: Log
  readonly #ended = new Marks()
  readonly #seen = new Marks()
  /** Ended while Redis was away. */
  readonly #unsaved = new Marks(10_000)
  readonly #connected = Promise.withResolvers<void>()
  #client: RedisClient | undefined
  #subscriber: RedisClient | undefined
  #hears = false
  #closed = false
  #silentUntil = 0
  /** Until it is known again that Redis answers. */
  #askAgain: NodeJS.Timeout | null = null
  /** The log was told that Redis is away. */
  #told = false
  #takeAnswer: (message: unknown) => void = () => undefined
  #takeTold: (session: string, message: unknown) => void = () => undefined
  #back: () => void = () => undefined

  constructor(url: string, log: Log) {
    this.#log = log
    const known = sleep(firstPatience, undefined, { ref: false })
    this.started = Promise.race([this.#connect(url).then(() => this.#connected.promise), known])
  }

  get ready(): boolean {
    return this.#client?.isReady === true && this.#hears && !this.#told
  }

  redis(): RedisClient | null {
    return this.#client?.isReady === true && performance.now() >= this.#silentUntil ? this.#client : null
  }

  async endSession(id: string, seconds: number): Promise<void> {
    this.#ended.set(id, seconds)
    const saved = await this.#ask((client) => client.set(`mcp:ended:${id}`, '1', { EX: whole(seconds) }))
    const told = saved !== undefined && (await this.#publish(id, { ended: seconds }))
    if (!told) this.#unsaved.set(id, seconds)
  }

  async isEnded(id: string): Promise<boolean> {
    return this.#ended.has(id) || (await this.#ask((client) => client.exists(`mcp:ended:${id}`))) === 1
  }

  async once(name: string, seconds: number): Promise<boolean> {
    if (!this.#seen.set(name, seconds)) return false
    const answer = await this.#ask((client) => client.set(`mcp:once:${name}`, '1', { EX: whole(seconds), NX: true }))
    // Null is Redis's way to say that it was there; undefined that nothing is known.
    return answer !== null
  }

  async answer(process: string, message: unknown): Promise<boolean> {
    if (process === this.process) {
      this.#takeAnswer(message)
      return true
    }
    const text = JSON.stringify(message)
    if (text.length > mostAnswered) return false
    const hearers = await this.#ask((client) => client.publish(inbox(process), text))
    return (hearers ?? 0) > 0
  }

  onAnswer(take: (message: unknown) => void): void {
    this.#takeAnswer = take
  }

  async tell(session: string, message: unknown): Promise<void> {
    await this.#publish(session, message)
  }

  /** False where Redis did not take it. What no client of good will says is nowhere to be heard. */
  async #publish(session: string, message: unknown): Promise<boolean> {
    const text = JSON.stringify({ from: this.process, session, message })
    if (text.length > mostAnswered) return true
    return (await this.#ask((client) => client.publish(everywhere, text))) !== undefined
  }

  onTold(take: (session: string, message: unknown) => void): void {
    this.#takeTold = take
  }

  onBack(call: () => void): void {
    this.#back = call
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#connected.resolve()
    if (this.#askAgain) clearTimeout(this.#askAgain)
    for (const client of [this.#subscriber, this.#client]) if (client?.isOpen) client.destroy()
  }

  /** The driver is loaded only by who uses it. It connects again by itself for as long as it takes. */
  async #connect(url: string): Promise<void> {
    const { createClient } = await import('redis')
    if (this.#closed) return
    const client: RedisClient = createClient({
      url,
      disableOfflineQueue: true,
      socket: { connectTimeout: 2_000, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 2_000) },
    })
    const subscriber: RedisClient = client.duplicate()
    for (const one of [client, subscriber]) {
      one.on('error', (cause: Error) => this.#away(cause))
      one.on('ready', () => void this.#listen(subscriber))
    }
    this.#client = client
    this.#subscriber = subscriber
    // What fails here was told by the event; both go on trying.
    for (const one of [client, subscriber]) one.connect().catch(() => undefined)
  }

  /** Subscribes when both connections are there; doing it again changes nothing. */
  async #listen(subscriber: RedisClient): Promise<void> {
    if (!subscriber.isReady || this.#client?.isReady !== true) return
    try {
      await subscriber.subscribe(inbox(this.process), this.#hearAnswer)
      await subscriber.subscribe(everywhere, this.#hearTold)
    } catch (cause) {
      return this.#away(cause)
    }
    this.#hears = true
    this.#here()
    this.#connected.resolve()
  }

  /** What was not written down is, and what was not heard is asked for. */
  async #catchUp(): Promise<void> {
    for (const [id, seconds] of this.#unsaved.drain()) await this.endSession(id, seconds)
    this.#back()
  }

  readonly #hearAnswer = (text: string): void => this.#takeAnswer(parsedJson(text))

  readonly #hearTold = (text: string): void => {
    const value = parsedJson(text)
    if (!isRecord(value) || value['from'] === this.process || typeof value['session'] !== 'string') return
    const { session, message } = value
    // Known here too, whatever becomes of Redis.
    if (isRecord(message) && typeof message['ended'] === 'number') this.#ended.set(session, message['ended'])
    this.#takeTold(session, message)
  }

  /** What Redis says; undefined where it says nothing in time. */
  async #ask<T>(work: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    const client = this.redis()
    if (!client) return undefined
    const asked = work(client)
    // An answer that comes later interests nobody any more.
    asked.catch(() => undefined)
    try {
      const answer = await Promise.race([asked, late()])
      if (answer !== tooLate) {
        this.#here()
        return answer
      }
      this.#silentUntil = performance.now() + pause
      this.#away(new Error(`no answer within ${patience} ms`))
    } catch (cause) {
      this.#away(cause)
    }
    this.#askAgain ??= setTimeout(() => {
      this.#askAgain = null
      if (this.#told) void this.#ask((one) => one.ping())
    }, pause + 1).unref()
    return undefined
  }

  #away(cause: unknown): void {
    if (this.#subscriber?.isReady !== true) this.#hears = false
    this.#connected.resolve()
    if (this.#told || this.#closed) return
    this.#told = true
    this.#log.warn({ err: cause }, 'Redis is away: each process of the bridge goes on alone')
  }

  #here(): void {
    if (!this.#told || !this.#hears) return
    this.#told = false
    this.#log.info('Redis is back')
    void this.#catchUp()
  }
}

/** Redis takes no part of a second. */
const whole = (seconds: number) => Math.max(1, Math.ceil(seconds))

const tooLate = Symbol('too late')

/** When this process was the busy one, the answer may be here: what has arrived is read before it counts as late. */
async function late(): Promise<typeof tooLate> {
  await sleep(patience, undefined, { ref: false })
  await turn()
  await turn()
  return tooLate
}
