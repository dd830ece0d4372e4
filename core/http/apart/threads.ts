import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { OverloadedError } from '../../kernel/overloaded.ts'
import { problem } from '../../kernel/problem.ts'
import type { ApartAnswer, ApartPiece } from './serve.ts'
import { Turns, type TurnLimits } from './turns.ts'

/** Milliseconds that a piece may work, by the clock, and in all where the machine is busy with others; then between two looks. */
const limits = { work: 2_000, all: 10_000, start: 15_000, look: 200 }
/** Share of the time that a thread has to have worked itself for the shorter limit to count. */
const busyShare = 0.5
/** Megabytes that a thread may take. */
const memory = 256

const tooMuch = () => new OverloadedError(`This takes more than the ${limits.work / 1000} s that it may take.`, 10)

export interface ApartOptions extends TurnLimits {
  /** The module that a thread runs, and what it is told. */
  entry: URL
  workerData: unknown
  log: Logger
}

/**
 * Hands bodies of anyone to threads of their own, each one piece at a time: what a body costs is its sender's wait, and
 * nobody else's. A thread that takes too long, or too much memory, is ended together with its piece.
 */
export class ApartThreads {
  readonly #options: ApartOptions
  readonly #turns: Turns
  readonly #idle: Worker[] = []
  readonly #all = new Set<Worker>()
  #isClosing = false

  constructor(options: ApartOptions) {
    this.#options = options
    this.#turns = new Turns(options)
  }

  /** Before the body is read. @throws RATE_LIMITED, OverloadedError where the line is full */
  refuseFull(owner: string): void {
    this.#turns.refuseFull(owner)
  }

  /** @param owner whose turn it is. @throws RATE_LIMITED, OverloadedError, or what the handler throws */
  run(operation: string, bytes: Buffer, owner: string): Promise<unknown> {
    return this.#turns.take(owner, async () => {
      const thread = this.#idle.pop() ?? (await this.#start())
      this.#keepSpare()
      const answer = await this.#ask(thread, { operation, bytes })
      this.#idle.push(thread)
      return valueOf(answer)
    })
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all([...this.#all].map((thread) => thread.terminate()))
  }

  /** Has one more thread begin, if there may be one, so that whoever comes next does not wait for its beginning. */
  #keepSpare(): void {
    if (this.#isClosing || this.#idle.length > 0 || this.#all.size >= this.#options.maxRunning) return
    this.#start().then((thread) => this.#idle.push(thread), (err: unknown) =>
      this.#options.log.warn({ err }, 'a spare thread did not begin'))
  }

  async #start(): Promise<Worker> {
    const { entry, workerData, log } = this.#options
    const thread = new Worker(entry, { workerData, resourceLimits: { maxOldGenerationSizeMb: memory } })
    this.#all.add(thread)
    thread.on('error', (err) => log.warn({ err }, 'a thread for pieces of anyone ended'))
    thread.once('exit', () => {
      this.#all.delete(thread)
      const at = this.#idle.indexOf(thread)
      if (at >= 0) this.#idle.splice(at, 1)
    })
    try {
      await once(thread, 'message', { signal: AbortSignal.timeout(limits.start) })
    } catch (cause) {
      await thread.terminate()
      throw new OverloadedError('This cannot be done now. Try again shortly.', 2, { cause })
    }
    thread.unref()
    return thread
  }

  async #ask(thread: Worker, piece: ApartPiece): Promise<ApartAnswer> {
    const over = new AbortController()
    const answered = Promise.race([
      once(thread, 'message', { signal: over.signal }).then(([answer]) => answer as ApartAnswer),
      once(thread, 'exit', { signal: over.signal }).then(() => { throw tooMuch() }),
    ])
    const late = watch(thread, over.signal)
    thread.postMessage(piece)
    try {
      return await Promise.race([answered, late])
    } catch (cause) {
      await thread.terminate()
      throw cause
    } finally {
      over.abort()
      for (const left of [answered, late]) left.catch(() => undefined)
    }
  }
}

/** Ends with an error when a piece has had its time. A thread that hardly came to work, on a busy machine, has longer. */
async function watch(thread: Worker, signal: AbortSignal): Promise<never> {
  const [begun, before] = [performance.now(), await thread.cpuUsage()]
  await sleep(limits.work, undefined, { signal })
  for (;;) {
    const elapsed = performance.now() - begun
    const { user, system } = await thread.cpuUsage(before)
    if (elapsed >= limits.all || (user + system) / 1000 >= elapsed * busyShare) throw tooMuch()
    await sleep(limits.look, undefined, { signal })
  }
}

function valueOf(answer: ApartAnswer): unknown {
  if ('value' in answer) return answer.value
  if ('problem' in answer) throw problem(answer.problem.code, answer.problem.detail, answer.problem.options)
  if ('error' in answer) throw Object.assign(new Error(answer.error.message), answer.error)
  throw new Error('A thread began twice')
}
