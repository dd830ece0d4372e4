import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ContextLoader } from './contexts.loader.ts'
import type { FromWorker, ToWorker } from './proofs.expand.worker.ts'
import { Doubt } from './verify.doubt.ts'

/** Milliseconds until a thread is there; then that it may reckon without asking for a context. */
const patience = { start: 10_000, reckon: 2_000 }
/** Megabytes that it may take. */
const memory = 256
/** Threads of a process at a time, and verifications that wait for one. */
const most = { threads: 2, waiting: 50 }

let running = 0
const queue: (() => void)[] = []

async function turn(): Promise<void> {
  if (running < most.threads) return void running++
  if (queue.length >= most.waiting) throw new Doubt('The proof cannot be judged now: too many others are; try again', { unknown: true })
  await new Promise<void>((resolve) => queue.push(resolve))
}

/** Hands the turn on to who waits longest. */
function done(): void {
  const next = queue.shift()
  if (next) next()
  else running--
}

/** Brings a JSON-LD document into its one form, safely: a term that nothing maps is an error. Source: RDFC-1.0. */
export type Canonize = (input: object) => Promise<string>

/** Milliseconds that reckoning may still take, all that one verification expands together. */
export interface ExpansionAllowance { leftMs: number }

/**
 * Lends a canonizer that reckons in a thread of its own, ended when it is done or takes too long: contexts are the words
 * of anyone, and a few kilobytes of them can keep the processor of JSON-LD busy for minutes. @throws Doubt
 */
export async function expandApart<T>(
  load: ContextLoader, use: (canonize: Canonize) => Promise<T>, allowance: ExpansionAllowance = { leftMs: Infinity },
): Promise<T> {
  if (allowance.leftMs <= 0) throw tooLong()
  await turn()
  const thread = new Worker(new URL('./proofs.expand.worker.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: memory } })
  try {
    return await use(await canonizerOf(thread, load, allowance))
  } finally {
    await thread.terminate()
    done()
  }
}

const notNow = (cause: unknown) => new Doubt('The proof cannot be judged now; try again', { cause, unknown: true })

const tooLong = () => new Doubt('The proof cannot be judged: its contexts take too long to be applied', { unknown: true })

async function canonizerOf(thread: Worker, load: ContextLoader, allowance: ExpansionAllowance): Promise<Canonize> {
  const calls: PromiseWithResolvers<string>[] = []
  const end = (cause: Error) => { for (const { reject } of calls) reject(cause) }
  const late = () => {
    pause()
    end(tooLong())
  }
  thread.on('error', (cause) => end(new Doubt('The proof cannot be judged: its contexts take too much memory, or break the processor', { cause, unknown: true })))
  await once(thread, 'message', { signal: AbortSignal.timeout(patience.start) }).catch((cause: unknown) => {
    throw notNow(cause)
  })
  let reckoning: { timer: NodeJS.Timeout; since: number } | undefined
  let open = 0
  const pause = () => {
    if (!reckoning) return
    clearTimeout(reckoning.timer)
    allowance.leftMs -= performance.now() - reckoning.since
    reckoning = undefined
  }
  const watch = () => {
    pause()
    const timer = setTimeout(late, Math.max(0, Math.min(patience.reckon, allowance.leftMs))).unref()
    reckoning = { timer, since: performance.now() }
  }
  const closed = () => {
    open--
    if (open > 0) watch()
    else pause()
  }
  const tell = (message: ToWorker) => thread.postMessage(message)
  const answer = async (url: string) => {
    const document = await load(url).then((loaded) => loaded.document, (cause: unknown) => {
      end(cause instanceof Doubt ? cause : notNow(cause))
      return null
    })
    tell({ url, document })
    watch()
  }
  thread.on('message', (message: FromWorker) => {
    if ('load' in message) {
      pause()
      return void answer(message.load)
    }
    closed()
    if ('text' in message) calls[message.id]?.resolve(message.text)
    if ('error' in message) calls[message.id]?.reject(Object.assign(new Error(message.error.message), message.error))
  })
  thread.on('exit', pause)
  return (input) => {
    const call = Promise.withResolvers<string>()
    call.promise.catch(() => undefined)
    open++
    tell({ input, id: calls.push(call) - 1 })
    watch()
    return call.promise
  }
}
