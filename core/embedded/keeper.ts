import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that is to be there as long as this process is. */
export interface Program {
  name: string
  launch(): ChildProcess | Promise<ChildProcess>
  /** Resolves when the launched program serves. */
  ready(child: ChildProcess): Promise<void>
  /** The last lines that it wrote. */
  tail(): string
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
}

/** What is borne of a program that dies. */
export interface Patience {
  /** Which death within a minute is the last one. */
  deaths: number
  /** The longest time between a death and the next launch, in milliseconds. */
  pause: number
}

const readyPatience = 60_000
const deathWindow = 60_000
const standard: Patience = { deaths: 5, pause: 10_000 }
const leastPause = 200

/**
 * Launches a program and launches it again whenever it dies after it has served once, after 0.2 to 10 s. The fifth
 * death within a minute is the last one: `giveUp` hears of it.
 */
export function keep(program: Program, giveUp: (cause: Error) => void, patience = standard): Kept {
  const stopping = new AbortController()
  const deaths: number[] = []
  let child: ChildProcess | undefined
  let failures = 0

  async function run(): Promise<void> {
    const current = await program.launch()
    if (stopping.signal.aborted) return end(current, program)
    child = current
    const launched = Date.now()
    const death = diesOf(program, current).then((cause) => {
      child = undefined
      if (Date.now() - launched > deathWindow) failures = 0
      return cause
    })
    await readyOrDead(program, current, death)
    void death.then((cause) => { serving = again(cause) })
  }

  async function again(cause: Error): Promise<void> {
    if (stopping.signal.aborted) return
    const now = Date.now()
    deaths.push(now)
    if (deaths.filter((at) => at > now - deathWindow).length >= patience.deaths) return giveUp(cause)
    const pause = Math.min(patience.pause, leastPause * 2 ** failures++)
    const cancelled = await sleep(pause, false, { signal: stopping.signal }).catch(() => true)
    if (!cancelled) await run().catch(again)
  }

  let serving = run()
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

/** Resolves when the program serves, rejects when it died before or was not ready in time. */
async function readyOrDead(program: Program, child: ChildProcess, death: Promise<Error>): Promise<void> {
  const late = setTimeout(() => child.kill('SIGKILL'), readyPatience)
  try {
    await Promise.race([program.ready(child), death.then((cause) => { throw cause })])
  } finally {
    clearTimeout(late)
  }
}

function diesOf(program: Program, child: ChildProcess): Promise<Error> {
  return new Promise((resolve) => {
    child.once('error', (cause) => resolve(new ProgramDied(`${program.name} cannot be started: ${cause.message}`)))
    child.once('exit', (code, signal) => {
      resolve(new ProgramDied(`${program.name} ended with ${signal ?? `code ${code}`}\n${program.tail()}`.trimEnd()))
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
