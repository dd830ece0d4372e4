import { setTimeout as sleep } from 'node:timers/promises'
import BeeQueue from 'bee-queue'
import type { Logger } from 'pino'
import { redisAddress, Wires } from './redis.ts'

interface Ring { jobs: string[] }

/** What a worker does when it rings. Resolves when it is free for the next ring; never rejects. */
export interface Hearer { concurrency: number; hear(): Promise<void> }

export interface BellOptions { url: string; log: Logger; hearer?: Hearer }

const backoff = { least: 200, most: 5_000 }
/** Rings on the way at once; past it a ring is not sent, the sweep finds its job. */
const ringsAtMost = 500
/** Jobs of one ring, where many ring in the same turn of the event loop: few, so that several workers share them. */
const jobsAtMost = 8
/** How long Redis may take to answer before it counts as gone, in milliseconds. */
const patience = 5_000
/** A bell that hung for this many milliseconds was a good one; Redis may be one that takes no writes otherwise. */
const proven = 10_000

const settings = {
  prefix: 'tessera', getEvents: false, sendEvents: false, storeJobs: false,
  removeOnSuccess: true, removeOnFailure: true, activateDelayedJobs: false,
} as const

/**
 * The doorbell: bee-queue carries the ids of due jobs to a worker that has room. Nothing depends on it: a worker takes
 * whatever is due. Whenever Redis fails in any way the bell is thrown away and a new one hung after 0.2 to 5 s, because
 * the driver gives up after an hour, keeps commands in memory, and the queue's scripts die with Redis.
 */
export class Bell {
  readonly #options: BellOptions
  readonly #closing = new AbortController()
  readonly #life: Promise<void>
  #queue: BeeQueue<Ring> | undefined
  #onTheWay = 0
  #asked: string[] = []

  constructor(options: BellOptions) {
    this.#options = options
    this.#life = this.#live()
  }

  /** Whether Redis answers, as far as is known. */
  get ready(): boolean {
    return this.#queue !== undefined
  }

  /** @returns false when the ring could not even be tried. Never throws. */
  ring(job: string): boolean {
    if (!this.#queue || this.#onTheWay + this.#asked.length / jobsAtMost >= ringsAtMost) return false
    if (this.#asked.push(job) === 1) setImmediate(() => this.#send())
    return true
  }

  #send(): void {
    const queue = this.#queue
    const asked = this.#asked.splice(0)
    for (let from = 0; queue && from < asked.length; from += jobsAtMost) {
      const late = setTimeout(() => queue.emit('error', new Error('Redis does not answer')), patience)
      this.#onTheWay++
      queue.createJob({ jobs: asked.slice(from, from + jobsAtMost) }).save()
        .catch((cause: unknown) => queue.emit('error', cause))
        .finally(() => {
          clearTimeout(late)
          if (queue === this.#queue) this.#onTheWay--
        })
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#life
  }

  async #live(): Promise<void> {
    const { signal } = this.#closing
    for (let failures = 0; !signal.aborted; failures++) {
      const hung = performance.now()
      const cause = await this.#hang()
      if (signal.aborted) return
      if (performance.now() - hung > proven) failures = 0
      if (failures === 0) this.#options.log.warn({ err: cause }, 'Redis does not answer: jobs are found by the sweep')
      const delay = Math.min(backoff.most, backoff.least * 2 ** failures) * (0.5 + Math.random() / 2)
      await sleep(delay, undefined, { signal }).catch(() => undefined)
    }
  }

  /** One bell, until Redis fails or this one is closed. @returns why it failed */
  async #hang(): Promise<unknown> {
    const { url, hearer } = this.#options
    const broken = Promise.withResolvers<unknown>()
    const queue = new BeeQueue<Ring>('jobs', { ...settings, isWorker: hearer !== undefined, autoConnect: false })
    queue.on('error', broken.resolve)
    const wires = new Wires(queue, redisAddress(url))
    this.#closing.signal.addEventListener('abort', broken.resolve, { once: true })
    const late = setTimeout(() => broken.resolve(new Error('Redis does not answer')), patience)
    try {
      const connecting = queue.connect().then(() => connected)
      // What fails on the way there, its scripts for one, the queue tells nowhere else.
      queue.ready().catch(broken.resolve)
      const first = await Promise.race([connecting, broken.promise])
      clearTimeout(late)
      if (first !== connected) return first
      this.#onTheWay = 0
      this.#queue = queue
      if (hearer) queue.process(hearer.concurrency, () => hearer.hear())
      return await broken.promise
    } finally {
      const wasConnected = this.#queue === queue
      this.#queue = undefined
      clearTimeout(late)
      this.#closing.signal.removeEventListener('abort', broken.resolve)
      if (wasConnected) await Promise.race([queue.close(1_000).catch(() => undefined), sleep(1_200)])
      wires.end()
    }
  }
}

const connected = Symbol('connected')
