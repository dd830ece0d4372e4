import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that has to run as long as this process does. */
export interface Program {
  name: string
  /** Launches the program. @param stopping aborts a launch that waits for something */
  launch(stopping: AbortSignal): ChildProcess | Promise<ChildProcess>
  /** Resolves when the launched program serves. */
  ready(child: ChildProcess): Promise<void>
  /** Returns the last lines that the program wrote. */
  tail(): string
  /** Whether the platform ends if this program cannot be restarted. Other programs are restarted without limit. */
  isEssential?: boolean
  /** Milliseconds until a launched program that is not ready is killed. */
  startTimeoutMs?: number
  stopSignal: NodeJS.Signals
  /** Milliseconds between the stop signal and SIGKILL. */
  stopTimeoutMs: number
}

export interface KeptProgram {
  readonly name: string
  /** Process id of the running program; undefined between a death and the next launch. */
  readonly pid: number | undefined
  /** Resolves when the program serves (again), and rejects if the very first launch failed. */
  ready(): Promise<void>
  /** Ends the program, even one that is still starting, and does not launch it again. */
  stop(): Promise<void>
}

/** Thrown when a program ended without being stopped. The message contains the program's last lines. */
export class ProgramDiedError extends Error {
  override name = 'ProgramDiedError'
  /** Whether a signal from outside ended the program. Such an end does not show whether the program can be started. */
  readonly wasKilled: boolean

  constructor(message: string, wasKilled = false) {
    super(message)
    this.wasKilled = wasKilled
  }
}

/** Thrown when a program could not be launched because of a temporary obstacle. */
export class LaunchHinderedError extends Error {
  override name = 'LaunchHinderedError'
}

/** The delays between restarts of a program that dies. */
export interface RestartDelays {
  /** Maximum time between a death and the next launch, in milliseconds. */
  maxMs: number
}

const defaultRestartDelays: RestartDelays = { maxMs: 10_000 }
const minRestartDelayMs = 200
/** How many starts of an essential program may fail in a row. */
const maxFailedStarts = 5
const defaultStartTimeoutMs = 60_000
/** Signals that others send. A program causes the other signals itself (SIGSEGV, SIGABRT …). */
const sentSignals: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP'])

/**
 * Launches a program and launches it again whenever it dies, after 0.2 to 10 s. A program that had served is restarted
 * however often it dies. `giveUp` is called for an essential program whose start failed five times in a row. A start
 * that a signal from outside ended, or that was hindered, is not counted.
 */
export function keepProgram(
  program: Program,
  giveUp: (cause: Error) => void,
  delays = defaultRestartDelays,
): KeptProgram {
  const stopping = new AbortController()
  let child: ChildProcess | undefined
  let failedStarts = 0
  let deaths = 0
  const getRestartDelayMs = () => Math.min(delays.maxMs, minRestartDelayMs * 2 ** deaths)

  async function launchProgram(): Promise<void> {
    const current = await program.launch(stopping.signal)
    if (stopping.signal.aborted) return endProgram(current, program)
    child = current
    const death = waitForDeath(program, current).then((cause) => {
      child = undefined
      return cause
    })
    await waitForReady(program, current, death)
    failedStarts = 0
    const readyAt = performance.now()
    void death.then(() => {
      // A program that served longer than the next delay would last starts again with the shortest delay.
      if (performance.now() - readyAt > getRestartDelayMs()) deaths = 0
      serving = restart()
    })
  }

  async function restart(): Promise<void> {
    const milliseconds = getRestartDelayMs()
    deaths++
    const cancelled = await sleep(milliseconds, false, { signal: stopping.signal }).catch(() => true)
    if (!cancelled) await launchProgram().catch(handleFailure)
  }

  async function handleFailure(cause: Error): Promise<void> {
    if (hadChance(cause)) failedStarts++
    if (program.isEssential && failedStarts >= maxFailedStarts) return giveUp(cause)
    return restart()
  }

  /** Starts the program for the first time. A failure is thrown to the caller; a kill from outside is retried. */
  async function startFirst(attempt = 1): Promise<void> {
    try {
      await launchProgram()
    } catch (cause) {
      const isOver = stopping.signal.aborted || attempt === maxFailedStarts
      if (isOver || !(cause instanceof ProgramDiedError && cause.wasKilled)) throw cause
      await sleep(minRestartDelayMs, undefined, { signal: stopping.signal })
      await startFirst(attempt + 1)
    }
  }

  let serving = startFirst()
  // The failure is not lost: the caller that waits for `ready` receives it.
  serving.catch(() => undefined)
  return {
    name: program.name,
    get pid() {
      return child?.pid
    },
    ready: () => serving,
    async stop() {
      stopping.abort()
      if (child) await endProgram(child, program)
      await serving.catch(() => undefined)
    },
  }
}

const hadChance = (cause: Error) =>
  !(cause instanceof LaunchHinderedError) && !(cause instanceof ProgramDiedError && cause.wasKilled)

/** Resolves when the program serves. Rejects if the program died before, or was not ready in time. */
async function waitForReady(program: Program, child: ChildProcess, death: Promise<Error>): Promise<void> {
  const { name, startTimeoutMs = defaultStartTimeoutMs } = program
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, startTimeoutMs)
  const died = death.then((cause) => {
    throw isLate
      ? new ProgramDiedError(`${name} did not serve within ${startTimeoutMs / 1000} s\n${program.tail()}`.trimEnd())
      : cause
  })
  try {
    await Promise.race([program.ready(child), died])
  } finally {
    clearTimeout(late)
  }
}

function waitForDeath(program: Program, child: ChildProcess): Promise<Error> {
  return new Promise((resolve) => {
    child.once('error', (cause) => resolve(new ProgramDiedError(`${program.name} cannot be started: ${cause.message}`)))
    child.once('exit', (code, signal) => {
      const wasKilled = signal !== null && sentSignals.has(signal)
      resolve(
        new ProgramDiedError(
          `${program.name} ended with ${signal ?? `code ${code}`}\n${program.tail()}`.trimEnd(),
          wasKilled,
        ),
      )
    })
  })
}

/** Sends a program its stop signal and waits for its end; sends SIGKILL after `stopTimeoutMs`. */
async function endProgram(child: ChildProcess, { stopSignal, stopTimeoutMs }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(stopSignal)
  child.kill('SIGCONT')
  const late = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await exited
  clearTimeout(late)
}
