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
  /** Of the engine. */
  flags?: readonly string[]
  /** Where a test wants the first launch to end; later launches go on. */
  fault?: string | undefined
}

export interface ChildSurroundings {
  giveUp: (cause: Error) => void
  /** For tests that kill by the dozen. */
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

  function launch() {
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

const isReady = (message: unknown) =>
  typeof message === 'object' && message !== null && 'ready' in message && message.ready === true
