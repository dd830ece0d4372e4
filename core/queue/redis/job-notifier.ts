import { setTimeout as sleep } from 'node:timers/promises'
import BeeQueue from 'bee-queue'
import type { Logger } from 'pino'
import { parseRedisUrl, RedisConnections } from './redis.ts'

interface JobNotice {
  jobs: string[]
}

/** The worker's handler of notices. It resolves when the worker is free for the next notice, and never rejects. */
export interface JobNoticeListener {
  maxConcurrentNotices: number
  handleNotice(): Promise<void>
}

export interface JobNotifierOptions {
  url: string
  log: Logger
  listener?: JobNoticeListener
}

const reconnectDelayMs = { min: 200, max: 5_000 }
/** Maximum number of notices that are being sent. Further notices are not sent; the sweep finds their jobs. */
const maxPendingNotices = 500
/**
 * Maximum number of jobs per notice, for notices of the same turn of the event loop: small, so that workers share the
 * jobs.
 */
const maxJobsPerNotice = 8
/** Timeout in milliseconds after which Redis counts as gone. */
const redisTimeoutMs = 5_000
/**
 * Milliseconds after which a connection counts as good. One that fails sooner may belong to a Redis that refuses
 * writes.
 */
const minGoodMs = 10_000

const settings = {
  prefix: 'tessera',
  getEvents: false,
  sendEvents: false,
  storeJobs: false,
  removeOnSuccess: true,
  removeOnFailure: true,
  activateDelayedJobs: false,
} as const

/**
 * The notices to workers through Redis: bee-queue carries the ids of due jobs to a worker that has room. Nothing
 * depends on a notice, because a worker takes whatever job is due. After any failure of Redis the queue is discarded
 * and a new one is created after 0.2 to 5 s, because the driver gives up after an hour and keeps commands in memory,
 * and because the queue's scripts are lost with Redis.
 */
export class JobNotifier {
  readonly #options: JobNotifierOptions
  readonly #closing = new AbortController()
  readonly #connectionLoop: Promise<void>
  #queue: BeeQueue<JobNotice> | undefined
  #pendingNotices = 0
  #requestedJobs: string[] = []

  constructor(options: JobNotifierOptions) {
    this.#options = options
    this.#connectionLoop = this.#keepConnected()
  }

  /** Whether Redis answers, as far as is known. */
  get ready(): boolean {
    return this.#queue !== undefined
  }

  /** Sends a notice for a job. Never throws. @returns false if the notice could not even be tried */
  notifyWorker(job: string): boolean {
    if (!this.#queue || this.#pendingNotices + this.#requestedJobs.length / maxJobsPerNotice >= maxPendingNotices)
      return false
    if (this.#requestedJobs.push(job) === 1) setImmediate(() => this.#sendNotices())
    return true
  }

  #sendNotices(): void {
    const queue = this.#queue
    const jobs = this.#requestedJobs.splice(0)
    for (let from = 0; queue && from < jobs.length; from += maxJobsPerNotice) {
      const late = setTimeout(() => queue.emit('error', new Error('Redis does not answer')), redisTimeoutMs)
      this.#pendingNotices++
      queue
        .createJob({ jobs: jobs.slice(from, from + maxJobsPerNotice) })
        .save()
        .catch((cause: unknown) => queue.emit('error', cause))
        .finally(() => {
          clearTimeout(late)
          if (queue === this.#queue) this.#pendingNotices--
        })
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#connectionLoop
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#closing
    for (let failures = 0; !signal.aborted; failures++) {
      const startedAtMs = performance.now()
      const cause = await this.#runQueue()
      if (signal.aborted) return
      if (performance.now() - startedAtMs > minGoodMs) failures = 0
      if (failures === 0) this.#options.log.warn({ err: cause }, 'Redis does not answer: jobs are found by the sweep')
      const delay = Math.min(reconnectDelayMs.max, reconnectDelayMs.min * 2 ** failures) * (0.5 + Math.random() / 2)
      await sleep(delay, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Runs one queue until Redis fails or the notifier is closed. @returns the reason of the failure */
  async #runQueue(): Promise<unknown> {
    const { url, listener } = this.#options
    const broken = Promise.withResolvers<unknown>()
    const queue = new BeeQueue<JobNotice>('jobs', { ...settings, isWorker: listener !== undefined, autoConnect: false })
    queue.on('error', broken.resolve)
    const connections = new RedisConnections(queue, parseRedisUrl(url))
    this.#closing.signal.addEventListener('abort', broken.resolve, { once: true })
    const late = setTimeout(() => broken.resolve(new Error('Redis does not answer')), redisTimeoutMs)
    try {
      const connecting = queue.connect().then(() => connected)
      // The queue reports a failure while connecting, such as that of its scripts, only here.
      queue.ready().catch(broken.resolve)
      const first = await Promise.race([connecting, broken.promise])
      clearTimeout(late)
      if (first !== connected) return first
      this.#pendingNotices = 0
      this.#queue = queue
      if (listener) queue.process(listener.maxConcurrentNotices, () => listener.handleNotice())
      return await broken.promise
    } finally {
      const wasConnected = this.#queue === queue
      this.#queue = undefined
      clearTimeout(late)
      this.#closing.signal.removeEventListener('abort', broken.resolve)
      if (wasConnected) await Promise.race([queue.close(1_000).catch(() => undefined), sleep(1_200)])
      connections.end()
    }
  }
}

const connected = Symbol('connected')
