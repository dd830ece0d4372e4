import { Worker } from 'node:worker_threads'
import { createBodyRefusal, tooDeepRefusal, type BodyRefusal, type ParsedBody } from './parse-body.ts'

/** The most bodies that are parsed at once, each in a thread. */
const maxThreads = 2

/** The most bodies that wait for a thread, in total and of one network. */
const maxWaiting = 32
const maxWaitingOfNetwork = 16

/** The memory of a thread, in MiB: the text of the largest body and its values fit. */
const maxThreadMegabytes = 256

const fullRefusal: BodyRefusal = {
  ...createBodyRefusal(503, 'Too many large bodies are waiting; try again in some seconds'),
  retryAfterSeconds: 5,
}

interface WaitingBody {
  readonly network: string
  readonly start: () => void
}

/**
 * Threads that parse large bodies, so that nobody else waits for these. They start when they are first needed. Bodies
 * wait in the order in which they came; one that finds the line full is refused.
 */
export class ParseThreads {
  readonly #idle: Worker[] = []
  readonly #all = new Set<Worker>()
  readonly #waiting: WaitingBody[] = []
  #running = 0

  /**
   * Parses a body, whose bytes go to the thread and cannot be read here any more.
   * @param network the network of the sender, which may fill only a part of the line
   * @throws Error if the thread ended
   */
  async parse(bytes: Uint8Array<ArrayBuffer>, network: string): Promise<ParsedBody> {
    if (this.#running >= maxThreads) {
      const ofNetwork = this.#waiting.filter((one) => one.network === network).length
      if (this.#waiting.length >= maxWaiting || ofNetwork >= maxWaitingOfNetwork) return fullRefusal
      // The body that ends gives its place to this one.
      await new Promise<void>((start) => this.#waiting.push({ network, start }))
    } else this.#running++
    try {
      return await this.#parseInThread(this.#idle.pop() ?? this.#startThread(), bytes)
    } finally {
      const next = this.#waiting.shift()
      if (next) next.start()
      else this.#running--
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.terminate()))
  }

  #startThread(): Worker {
    const thread = new Worker(new URL('./parse-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: maxThreadMegabytes },
    })
    // The connection of the sender keeps the process running for as long as somebody waits for an answer.
    thread.unref()
    this.#all.add(thread)
    thread.once('exit', () => {
      this.#all.delete(thread)
      const at = this.#idle.indexOf(thread)
      if (at >= 0) this.#idle.splice(at, 1)
    })
    return thread
  }

  #parseInThread(thread: Worker, bytes: Uint8Array<ArrayBuffer>): Promise<ParsedBody> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        thread.off('message', take).off('messageerror', refuse).off('error', fail).off('exit', fail)
        end()
      }
      const take = (body: ParsedBody) =>
        settle(() => {
          this.#idle.push(thread)
          resolve(body)
        })
      // The stack of this thread is smaller than that of the other.
      const refuse = () => take(tooDeepRefusal)
      const fail = (cause: unknown) =>
        settle(() => {
          void thread.terminate()
          reject(new Error('A thread that parsed a body ended', { cause }))
        })
      thread.on('message', take).on('messageerror', refuse).on('error', fail).on('exit', fail)
      // A part of a larger buffer cannot be moved alone.
      const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
      thread.postMessage(own, [own.buffer])
    })
  }
}
