import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { createInterface } from 'node:readline'
import type { ChildProcess } from 'node:child_process'
import { keepProgram, type KeptProgram, type RestartDelays } from '../embedded/keeper.ts'
import { spawnTied } from '../embedded/tied-process.ts'

/** A process of the product. Its entry point sends `{ready: true}` over IPC when it serves. */
export interface ChildPlan {
  name: string
  /** Path of the entry point below the package's folder. */
  entry: string
  env: NodeJS.ProcessEnv
  /** Whether the other processes end if this one cannot be started. */
  isEssential?: boolean
  /** Resolves when everything runs that the process needs for its start. Each launch waits for it. */
  needs?: () => Promise<void>
  /** Command-line flags of Node.js. */
  flags?: readonly string[]
  /** Fault point at which a test ends the first launch. Later launches have no fault. */
  fault?: string | undefined
}

export interface ChildOptions {
  giveUp: (cause: Error) => void
  /** Restart delays for tests that kill a process many times and would wait longer each time. */
  keeperDelays?: RestartDelays | undefined
  /** Receives every line that a child writes. */
  onLine: (name: string, text: string) => void
}

export interface KeptChild extends KeptProgram {
  /** Sends a fault point to the running process. Only a process that was launched with a fault listens. */
  arm(fault: string): void
}

const packageFolder = join(import.meta.dirname, '../..')
const maxTailLines = 20

/** Runs an entry point as long as this process lives. The child ends when this process ends, for whatever reason. */
export function keepChild(plan: ChildPlan, { giveUp, onLine, keeperDelays }: ChildOptions): KeptChild {
  const tail: string[] = []
  let { fault } = plan
  let current: ChildProcess | undefined

  async function launchChild(stopping: AbortSignal) {
    if (plan.needs) await Promise.race([plan.needs(), waitForAbort(stopping)])
    stopping.throwIfAborted()
    const env = { ...plan.env, ...(fault === undefined ? {} : { TESSERA_FAULT: fault }) }
    fault = undefined
    const child = (current = spawnTied(
      [process.execPath, ...(plan.flags ?? []), join(packageFolder, plan.entry)],
      { signal: 'SIGKILL' },
      {
        cwd: packageFolder,
        env,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    ))
    for (const output of [child.stdout, child.stderr]) {
      if (output) createInterface({ input: output }).on('line', handleLine)
    }
    return child
  }
  function handleLine(text: string) {
    tail.push(stripVTControlCharacters(text))
    if (tail.length > maxTailLines) tail.shift()
    onLine(plan.name, text)
  }

  const kept = keepProgram(
    {
      name: plan.name,
      isEssential: plan.isEssential ?? false,
      launch: launchChild,
      ready: (child) =>
        new Promise((resolve) => {
          child.on('message', (message) => {
            if (isReady(message)) resolve()
          })
        }),
      tail: () => tail.join('\n'),
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 21_000,
    },
    giveUp,
    keeperDelays,
  )
  return Object.assign(kept, {
    arm: (fault: string) => {
      current?.send({ fault })
    },
  })
}

const waitForAbort = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

const isReady = (message: unknown) =>
  typeof message === 'object' && message !== null && 'ready' in message && message.ready === true
