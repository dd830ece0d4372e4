import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that is to be there as long as this process is. */
export interface Program {
  name: string
  /** @param stopping a launch that waits for something gives up when it is aborted */
  launch(stopping: AbortSignal): ChildProcess | Promise<ChildProcess>
  /** Resolves when the launched program serves. */
  ready(child: ChildProcess): Promise<void>
  /** The last lines that it wrote. */
  tail(): string
  /** Whether the platform ends when this cannot be started any more. Anything else is started again for ever. */
  isEssential?: boolean
  /** Milliseconds until a launch that does not serve is ended. */
  startPatience?: number
  stopSignal: NodeJS.Signals
  /** Milliseconds between the stop signal and SIGKILL. */
  stopPatience: number
}

export interface Kept {
  readonly name: string
  /** The process id of the program as it runs now; undefined between a death and the next launch. */
  readonly pid: number | undefined
  /** Resolves when the program serves (again); rejects when the very first launch failed. */
  ready(): Promise<void>
  /** Ends the program, also one that is still starting, and launches it no more. */
  stop(): Promise<void>
}

/** A program ended without being asked to; the message carries its last lines. */
export class ProgramDied extends Error {
  override name = 'ProgramDied'
  /** Whether somebody's signal ended it, so that its end says nothing about whether it can be started. */
  readonly wasKilled: boolean

  constructor(message: string, wasKilled = false) {
    super(message)
    this.wasKilled = wasKilled
  }
}

/** A program could not even be launched, because something that will pass stands in its way. */
export class LaunchHinderedError extends Error {
  override name = 'LaunchHinderedError'
}

/** What is borne of a program that dies. */
export interface Patience {
  /** The longest time between a death and the next launch, in milliseconds. */
  pause: number
}

const standard: Patience = { pause: 10_000 }
const minPause = 200
/** How many starts of an essential program may fail in a row. */
const maxFailedStarts = 5
const defaultStartPatience = 60_000
/** Signals that others send. The rest (SIGSEGV, SIGABRT …) are a program's own doing. */
const sentSignals: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP'])

/**
 * Launches a program and launches it again whenever it dies, after 0.2 to 10 s. However often a program dies that had
 * served, it is started again. `giveUp` hears of an essential one whose start failed five times in a row; a start that
 * a signal from outside ended, or that was hindered, had no chance and is not counted.
 */
export function keep(program: Program, giveUp: (cause: Error) => void, patience = standard): Kept {
  const stopping = new AbortController()
  let child: ChildProcess | undefined
  let failedStarts = 0
  let deaths = 0
  const pause = () => Math.min(patience.pause, minPause * 2 ** deaths)

  async function run(): Promise<void> {
    const current = await program.launch(stopping.signal)
    if (stopping.signal.aborted) return end(current, program)
    child = current
    const death = diesOf(program, current).then((cause) => {
      child = undefined
      return cause
    })
    await readyOrDead(program, current, death)
    failedStarts = 0
    const readyAt = performance.now()
    void death.then(() => {
      // Who served for longer than the next pause would last begins again with the shortest one.
      if (performance.now() - readyAt > pause()) deaths = 0
      serving = again()
    })
  }

  async function again(): Promise<void> {
    const milliseconds = pause()
    deaths++
    const cancelled = await sleep(milliseconds, false, { signal: stopping.signal }).catch(() => true)
    if (!cancelled) await run().catch(failed)
  }

  async function failed(cause: Error): Promise<void> {
    if (hadChance(cause)) failedStarts++
    if (program.isEssential && failedStarts >= maxFailedStarts) return giveUp(cause)
    return again()
  }

  /** The very first start: whoever waits for it hears of its failure, but a kill is not one. */
  async function begin(attempt = 1): Promise<void> {
    try {
      await run()
    } catch (cause) {
      const isOver = stopping.signal.aborted || attempt === maxFailedStarts
      if (isOver || !(cause instanceof ProgramDied && cause.wasKilled)) throw cause
      await sleep(minPause, undefined, { signal: stopping.signal })
      await begin(attempt + 1)
    }
  }

  let serving = begin()
  // Whoever started it waits for `ready` and hears of a failure there.
  serving.catch(() => undefined)
  return {
    name: program.name,
    get pid() { return child?.pid },
    ready: () => serving,
    async stop() {
      stopping.abort()
      if (child) await end(child, program)
      await serving.catch(() => undefined)
    },
  }
}

const hadChance = (cause: Error) =>
  !(cause instanceof LaunchHinderedError) && !(cause instanceof ProgramDied && cause.wasKilled)

/** Resolves when the program serves, rejects when it died before or was not ready in time. */
async function readyOrDead(program: Program, child: ChildProcess, death: Promise<Error>): Promise<void> {
  const { name, startPatience = defaultStartPatience } = program
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, startPatience)
  const dead = death.then((cause) => {
    throw isLate ? new ProgramDied(`${name} did not serve within ${startPatience / 1000} s\n${program.tail()}`.trimEnd()) : cause
  })
  try {
    await Promise.race([program.ready(child), dead])
  } finally {
    clearTimeout(late)
  }
}

function diesOf(program: Program, child: ChildProcess): Promise<Error> {
  return new Promise((resolve) => {
    child.once('error', (cause) => resolve(new ProgramDied(`${program.name} cannot be started: ${cause.message}`)))
    child.once('exit', (code, signal) => {
      const wasKilled = signal !== null && sentSignals.has(signal)
      resolve(new ProgramDied(`${program.name} ended with ${signal ?? `code ${code}`}\n${program.tail()}`.trimEnd(), wasKilled))
    })
  })
}

/** Asks a program to end and waits for it; SIGKILL after its patience. */
async function end(child: ChildProcess, { stopSignal, stopPatience }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(stopSignal)
  child.kill('SIGCONT')
  const late = setTimeout(() => child.kill('SIGKILL'), stopPatience)
  await exited
  clearTimeout(late)
}
