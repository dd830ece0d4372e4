import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { OverloadedError } from '../../kernel/overloaded.ts'
import { createProblem } from '../../kernel/problem.ts'
import type { ThreadResponse, ThreadRequest } from './thread-server.ts'
import { FairQueue, type FairQueueLimits } from './fair-queue.ts'

/**
 * Time limits of a task in milliseconds: `work` by the clock, `total` if other work keeps the machine busy, `start` for
 * the start of a thread, and `checkInterval` between two checks.
 */
const timeLimitsMs = { work: 2_000, total: 10_000, start: 15_000, checkInterval: 200 }
/** Minimum share of the elapsed time that a thread must have used the processor for the limit `work` to apply. */
const minBusyShare = 0.5
/** Maximum memory of a thread in megabytes. */
const maxMemoryMegabytes = 256

const createTooExpensiveError = () =>
  new OverloadedError(`This takes more than the ${timeLimitsMs.work / 1000} s that it may take.`, 10)

export interface WorkerThreadsOptions extends FairQueueLimits {
  /** The module that a thread runs, and the data that it gets. */
  moduleUrl: URL
  workerData: unknown
  log: Logger
}

/**
 * Threads that handle bodies from anybody, one task per thread at a time, so that only the sender waits for an
 * expensive body. A thread that takes too much time or memory is terminated together with its task.
 */
export class WorkerThreadPool {
  readonly #options: WorkerThreadsOptions
  readonly #queue: FairQueue
  readonly #idle: Worker[] = []
  readonly #all = new Set<Worker>()
  #isClosing = false

  constructor(options: WorkerThreadsOptions) {
    this.#options = options
    this.#queue = new FairQueue(options)
  }

  /** Throws if the queue has no room for a body that has not been read yet. @throws RATE_LIMITED, OverloadedError */
  assertRoom(owner: string): void {
    this.#queue.assertRoom(owner)
  }

  /**
   * Runs a task in a thread. @param owner the owner whose turn is used
   * @throws RATE_LIMITED, OverloadedError, or what the handler throws
   */
  runTask(operation: string, bytes: Buffer, owner: string): Promise<unknown> {
    return this.#queue.runInTurn(owner, async () => {
      const thread = this.#idle.pop() ?? (await this.#startThread())
      this.#startSpareThread()
      const answer = await this.#sendToThread(thread, { operation, bytes })
      this.#idle.push(thread)
      return getResponseValue(answer)
    })
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all([...this.#all].map((thread) => thread.terminate()))
  }

  /**
   * Starts one more thread if the limit allows it, so that the next task does not have to wait for a thread to start.
   */
  #startSpareThread(): void {
    if (this.#isClosing || this.#idle.length > 0 || this.#all.size >= this.#options.maxRunning) return
    this.#startThread().then(
      (thread) => this.#idle.push(thread),
      (err: unknown) => this.#options.log.warn({ err }, 'a spare thread did not begin'),
    )
  }

  async #startThread(): Promise<Worker> {
    const { moduleUrl, workerData, log } = this.#options
    const thread = new Worker(moduleUrl, { workerData, resourceLimits: { maxOldGenerationSizeMb: maxMemoryMegabytes } })
    this.#all.add(thread)
    thread.on('error', (err) => log.warn({ err }, 'a thread for pieces of anyone ended'))
    const ended = new AbortController()
    thread.once('exit', () => {
      ended.abort()
      this.#all.delete(thread)
      const at = this.#idle.indexOf(thread)
      if (at >= 0) this.#idle.splice(at, 1)
    })
    try {
      await once(thread, 'message', {
        signal: AbortSignal.any([ended.signal, AbortSignal.timeout(timeLimitsMs.start)]),
      })
    } catch (cause) {
      await thread.terminate()
      throw new OverloadedError('This cannot be done now. Try again shortly.', 2, { cause })
    }
    thread.unref()
    return thread
  }

  async #sendToThread(thread: Worker, request: ThreadRequest): Promise<ThreadResponse> {
    const finished = new AbortController()
    const response = Promise.race([
      once(thread, 'message', { signal: finished.signal }).then(([answer]) => answer as ThreadResponse),
      once(thread, 'exit', { signal: finished.signal }).then(() => {
        throw createTooExpensiveError()
      }),
    ])
    const timeout = watchTimeLimits(thread, finished.signal)
    thread.postMessage(request)
    try {
      return await Promise.race([response, timeout])
    } catch (cause) {
      await thread.terminate()
      throw cause
    } finally {
      finished.abort()
      for (const left of [response, timeout]) left.catch(() => undefined)
    }
  }
}

/**
 * Throws when a task has used up its time. A thread that got little processor time on a busy machine has a longer
 * limit.
 */
async function watchTimeLimits(thread: Worker, signal: AbortSignal): Promise<never> {
  const [startedAt, cpuBefore] = [performance.now(), await thread.cpuUsage()]
  await sleep(timeLimitsMs.work, undefined, { signal })
  for (;;) {
    const elapsed = performance.now() - startedAt
    const { user, system } = await thread.cpuUsage(cpuBefore)
    if (elapsed >= timeLimitsMs.total || (user + system) / 1000 >= elapsed * minBusyShare)
      throw createTooExpensiveError()
    await sleep(timeLimitsMs.checkInterval, undefined, { signal })
  }
}

function getResponseValue(answer: ThreadResponse): unknown {
  if ('value' in answer) return answer.value
  if ('problem' in answer) throw createProblem(answer.problem.code, answer.problem.detail, answer.problem.options)
  if ('error' in answer) throw Object.assign(new Error(answer.error.message), answer.error)
  throw new Error('A thread began twice')
}
