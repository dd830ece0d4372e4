/** What an entry point hands to `runProcess`: `stop` finishes the work in hand and closes everything. */
export interface Running {
  stop(): Promise<void>
}

/**
 * Refuses a start for reasons that an operator can put right: a setting, a folder, a port. Each reason is a whole
 * sentence and is shown as one line without a stack.
 */
export class StartError extends Error {
  override name = 'StartError'
  readonly reasons: readonly string[]

  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'))
    this.reasons = reasons
  }
}

/**
 * The life of a process: start, say `{ready: true}` to a parent that listens, stop on SIGTERM, SIGINT or when the
 * parent is gone. Ends with `process.exitCode` or 0 after a clean stop, with 1 after an error or when the stop
 * outlasts `patience` (in milliseconds).
 */
export function runProcess(name: string, start: () => Promise<Running>, patience = 20_000): void {
  // Begins only after the handlers below stand, so that no signal finds the process without them.
  const started = Promise.resolve().then(start)
  let stopping = false

  const fail = (cause: unknown) => {
    report(name, cause)
    process.exit(1)
  }
  const stop = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => fail(new Error(`${name} did not stop within ${patience / 1000} s`)), patience).unref()
    started.then((running) => running.stop()).then(() => process.exit(), fail)
  }

  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('disconnect', stop)
  // A parent that is gone by now is heard of as 'disconnect'.
  started.then(() => { if (process.connected) process.send?.({ ready: true }, undefined, {}, () => undefined) }, fail)
}

/** Writes one line for the log, or one for each reason of a refused start, at once because the process ends right after. */
function report(name: string, cause: unknown): void {
  if (cause instanceof StartError) {
    for (const reason of cause.reasons) reportReason(name, reason)
    return
  }
  const error = cause instanceof Error ? cause : new Error(String(cause))
  const err = { type: error.name, stack: error.stack }
  const line = { level: 60, time: Date.now(), pid: process.pid, name, msg: error.message, err }
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

/** Writes a sentence for people in a terminal, and a line of the log elsewhere. */
function reportReason(name: string, msg: string): void {
  const line = process.stderr.isTTY ? msg : JSON.stringify({ level: 60, time: Date.now(), pid: process.pid, name, msg })
  process.stderr.write(`${line}\n`)
}
