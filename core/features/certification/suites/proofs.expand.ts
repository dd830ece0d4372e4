import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ContextLoader, ExpansionAllowance } from '../contexts/index.ts'
import type { MessageFromWorker, MessageToWorker } from './proofs.expand.worker.ts'
import { VerificationError } from '../formats/index.ts'

/** Timeouts in milliseconds: for the start of a thread, and for its work between two requests for a context. */
const timeouts = { startMs: 10_000, expansionMs: 2_000 }
/** Maximum memory of a thread, in megabytes. */
const maxMemoryMegabytes = 256
/** Maximum number of threads of a process, and of verifications that wait for one. */
const limits = { maxThreads: 2, maxWaiting: 50 }

let runningThreads = 0
const queue: (() => void)[] = []

async function acquireThread(): Promise<void> {
  if (runningThreads < limits.maxThreads) return void runningThreads++
  if (queue.length >= limits.maxWaiting)
    throw new VerificationError('The proof cannot be judged now: too many others are; try again', { unknown: true })
  await new Promise<void>((resolve) => queue.push(resolve))
}

/** Gives the thread's place to the caller that has waited longest. */
function releaseThread(): void {
  const next = queue.shift()
  if (next) next()
  else runningThreads--
}

/**
 * A function that converts a JSON-LD document to its canonical form; a term that no context maps is an error. Source:
 * RDFC-1.0.
 */
export type Canonizer = (input: object) => Promise<string>

/**
 * Runs a function with a canonizer in a thread of its own, which is ended when the function is done or takes too long.
 * Contexts are unchecked input: a few kilobytes of them can keep the JSON-LD processor busy for minutes.
 * @throws VerificationError
 */
export async function runWithCanonizer<T>(
  load: ContextLoader,
  run: (canonize: Canonizer) => Promise<T>,
  allowance: ExpansionAllowance = { leftMs: Infinity },
): Promise<T> {
  if (allowance.leftMs <= 0) throw createExpansionTimeoutError()
  await acquireThread()
  const thread = new Worker(new URL('./proofs.expand.worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMegabytes },
  })
  try {
    return await run(await createCanonizer(thread, load, allowance))
  } finally {
    await thread.terminate()
    releaseThread()
  }
}

const createTryAgainError = (cause: unknown) =>
  new VerificationError('The proof cannot be judged now; try again', { cause, unknown: true })

const createExpansionTimeoutError = () =>
  new VerificationError('The proof cannot be judged: its contexts take too long to be applied', { unknown: true })

async function createCanonizer(thread: Worker, load: ContextLoader, allowance: ExpansionAllowance): Promise<Canonizer> {
  const calls: PromiseWithResolvers<string>[] = []
  const rejectCalls = (cause: Error) => {
    for (const { reject } of calls) reject(cause)
  }
  const handleTimeout = () => {
    pauseTimer()
    rejectCalls(createExpansionTimeoutError())
  }
  thread.on('error', (cause) =>
    rejectCalls(
      new VerificationError('The proof cannot be judged: its contexts take too much memory, or break the processor', {
        cause,
        unknown: true,
      }),
    ),
  )
  await once(thread, 'message', { signal: AbortSignal.timeout(timeouts.startMs) }).catch((cause: unknown) => {
    throw createTryAgainError(cause)
  })
  let timing: { timer: NodeJS.Timeout; since: number } | undefined
  let openCalls = 0
  const pauseTimer = () => {
    if (!timing) return
    clearTimeout(timing.timer)
    allowance.leftMs -= performance.now() - timing.since
    timing = undefined
  }
  const restartTimer = () => {
    pauseTimer()
    const timer = setTimeout(handleTimeout, Math.max(0, Math.min(timeouts.expansionMs, allowance.leftMs))).unref()
    timing = { timer, since: performance.now() }
  }
  const closeCall = () => {
    openCalls--
    if (openCalls > 0) restartTimer()
    else pauseTimer()
  }
  const sendMessage = (message: MessageToWorker) => thread.postMessage(message)
  const answerLoad = async (url: string) => {
    const document = await load(url).then(
      (loaded) => loaded.document,
      (cause: unknown) => {
        rejectCalls(cause instanceof VerificationError ? cause : createTryAgainError(cause))
        return null
      },
    )
    sendMessage({ url, document })
    restartTimer()
  }
  thread.on('message', (message: MessageFromWorker) => {
    if ('load' in message) {
      pauseTimer()
      return void answerLoad(message.load)
    }
    closeCall()
    if ('text' in message) calls[message.id]?.resolve(message.text)
    if ('error' in message) calls[message.id]?.reject(Object.assign(new Error(message.error.message), message.error))
  })
  thread.on('exit', pauseTimer)
  return (input) => {
    const call = Promise.withResolvers<string>()
    call.promise.catch(() => undefined)
    openCalls++
    sendMessage({ input, id: calls.push(call) - 1 })
    restartTimer()
    return call.promise
  }
}
