import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { createInterface } from 'node:readline'
import type { ChildProcess } from 'node:child_process'
import { keep, type Kept, type Patience } from '../embedded/keeper.ts'
import { spawnTied } from '../embedded/tied.ts'

/** A process of the product: its entry point says `{ready: true}` over IPC when it serves. */
export interface ChildPlan {
  name: string
  /** Path of the entry point below the package's folder. */
  entry: string
  env: NodeJS.ProcessEnv
  /** Whether the others end when it cannot be started. */
  isEssential?: boolean
  /** Resolves when those run without which it cannot start; each launch waits for them. */
  needs?: () => Promise<void>
  /** Of the engine. */
  flags?: readonly string[]
  /** Where a test wants the first launch to end; later launches go on. */
  fault?: string | undefined
}

export interface ChildSurroundings {
  giveUp: (cause: Error) => void
  /** For tests that kill by the dozen, and would wait longer and longer. */
  patience?: Patience | undefined
  /** Hears every line that a child writes. */
  line: (name: string, text: string) => void
}

export interface KeptChild extends Kept {
  /** Tells the process as it runs now where to end; heard by one that was launched with a fault. */
  arm(fault: string): void
}

const root = join(import.meta.dirname, '../..')
const tailLines = 20

/** Runs an entry point as long as this process lives. It ends with this process, however that ends. */
export function keepChild(plan: ChildPlan, { giveUp, line, patience }: ChildSurroundings): KeptChild {
  const tail: string[] = []
  let { fault } = plan
  let current: ChildProcess | undefined

  async function launch(stopping: AbortSignal) {
    if (plan.needs) await Promise.race([plan.needs(), aborted(stopping)])
    stopping.throwIfAborted()
    const env = { ...plan.env, ...(fault === undefined ? {} : { TESSERA_FAULT: fault }) }
    fault = undefined
    const child = current = spawnTied([process.execPath, ...(plan.flags ?? []), join(root, plan.entry)], { signal: 'SIGKILL' }, {
      cwd: root, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    for (const output of [child.stdout, child.stderr]) {
      if (output) createInterface({ input: output }).on('line', heard)
    }
    return child
  }
  function heard(text: string) {
    tail.push(stripVTControlCharacters(text))
    if (tail.length > tailLines) tail.shift()
    line(plan.name, text)
  }

  const kept = keep({
    name: plan.name,
    isEssential: plan.isEssential ?? false,
    launch,
    ready: (child) => new Promise((resolve) => {
      child.on('message', (message) => { if (isReady(message)) resolve() })
    }),
    tail: () => tail.join('\n'),
    stopSignal: 'SIGTERM',
    stopPatience: 21_000,
  }, giveUp, patience)
  return Object.assign(kept, { arm: (fault: string) => { current?.send({ fault }) } })
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => { signal.addEventListener('abort', () => resolve(), { once: true }) })

const isReady = (message: unknown) =>
  typeof message === 'object' && message !== null && 'ready' in message && message.ready === true
