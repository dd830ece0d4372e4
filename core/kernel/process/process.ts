import { exitProcess } from './exit.ts'

/** What an entry point returns to `runProcess`: `stop` finishes the work in progress and closes everything. */
export interface RunningProcess {
  stop(): Promise<void>
}

/**
 * Thrown when a process cannot start for reasons that an operator can fix: a setting, a folder, a port. Each reason is
 * a whole sentence and is shown as one line without a stack.
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
 * Runs a process: starts it, sends `{ready: true}` to a parent that listens, and stops it on SIGTERM, on SIGINT or when
 * the parent is gone. Exits with `process.exitCode` or 0 after a clean stop, and with 1 after an error or when stopping
 * takes longer than `stopTimeoutMs`.
 */
export function runProcess(name: string, start: () => Promise<RunningProcess>, stopTimeoutMs = 20_000): void {
  // Starts only after the handlers below are installed, so that no signal arrives without a handler.
  const started = Promise.resolve().then(start)
  let stopping = false

  const fail = (cause: unknown) => {
    writeFailure(name, cause)
    exitProcess(1)
  }
  const stop = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => fail(new Error(`${name} did not stop within ${stopTimeoutMs / 1000} s`)), stopTimeoutMs).unref()
    started.then((running) => running.stop()).then(() => exitProcess(), fail)
  }

  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('disconnect', stop)
  // If the parent is already gone, the 'disconnect' event reports it.
  started.then(() => {
    if (process.connected) process.send?.({ ready: true }, undefined, {}, () => undefined)
  }, fail)
}

/** Writes one line for the log, or one for each reason of a StartError, immediately because the process exits next. */
function writeFailure(name: string, cause: unknown): void {
  if (cause instanceof StartError) {
    for (const reason of cause.reasons) writeReason(name, reason)
    return
  }
  const error = cause instanceof Error ? cause : new Error(String(cause))
  const err = { type: error.name, stack: error.stack }
  const line = { level: 60, time: Date.now(), pid: process.pid, name, msg: error.message, err }
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

/** Writes a plain sentence to a terminal, and a log line elsewhere. */
function writeReason(name: string, msg: string): void {
  const line = process.stderr.isTTY ? msg : JSON.stringify({ level: 60, time: Date.now(), pid: process.pid, name, msg })
  process.stderr.write(`${line}\n`)
}
