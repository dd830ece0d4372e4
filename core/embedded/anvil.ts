import { rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { getAddressFile, createAnvilState } from './anvil.state.ts'
import type { KeptProgram } from './keeper.ts'
import {
  createForeignPart,
  keepPart,
  type ProgramLaunch,
  type Part,
  type PartProgram,
  type PartOptions,
} from './part.ts'
import { callRpc } from './rpc.ts'
import { findProgram } from './tied-process.ts'

export interface AnvilOptions extends PartOptions {
  /** URL of a node that somebody else runs. */
  url?: string | undefined
  warn: (message: string) => void
}

/** Minimum time between two saves of the state, in milliseconds, and the share of time that saving may take. */
const savePolicy = { minIntervalMs: 5_000, maxTimeShare: 0.05 }

/**
 * Time of the chain's first block, in seconds. It never changes: anvil creates a first block at every start in addition
 * to that of the state it loads, and the chain must not have two different ones. The clock is set to the current time
 * once the node answers.
 */
const genesisSeconds = 1_700_000_000

/**
 * Starts the development chain: uses the given node, or runs anvil on a free port of 127.0.0.1. The state is saved
 * every 5 s and at exit. A large state is saved less often, because anvil answers no requests while it writes the state
 * (1 to 2.5 s with 100,000 tokens). After a kill, everything since the last save is lost. A state that does not load is
 * replaced by the state before it.
 */
export async function startAnvil({ url, dataDir, giveUp, warn }: AnvilOptions): Promise<Part> {
  if (url !== undefined) return createForeignPart(url, 'ANVIL_RPC_URL')
  const program = findAnvilProgram()
  const folder = join(dataDir, 'anvil')
  const state = createAnvilState(folder)
  let loadingState: string | undefined

  async function launch(port: number): Promise<ProgramLaunch> {
    if (loadingState !== undefined) {
      warn(`The chain's state ${loadingState} does not load and is set aside`)
      await state.setAside(loadingState)
    }
    loadingState = await state.newest()
    const cache = join(folder, 'cache')
    await rm(cache, { recursive: true, force: true })
    return {
      command: [
        program,
        '--host',
        '127.0.0.1',
        '--port',
        `${port}`,
        '--quiet',
        '--no-cors',
        '--enable-tx-gas-limit',
        // Nobody reads the states of earlier blocks, and they would fill the disk.
        '--max-persisted-states',
        '0',
        '--timestamp',
        `${genesisSeconds}`,
        '--cache-path',
        cache,
        '--dump-state',
        state.atExit,
        ...(loadingState === undefined ? [] : ['--load-state', loadingState]),
      ],
      tie: { signal: 'SIGTERM' },
      cwd: folder,
    }
  }
  async function probe(port: number): Promise<void> {
    await callRpc(getNodeUrl(port), 'evm_setTime', [Math.floor(Date.now() / 1000)])
    loadingState = undefined
  }

  const logPath = join(dataDir, 'logs/anvil.log')
  const part: PartProgram = {
    name: 'anvil',
    logPath,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 15_000,
    launch,
    probePort: probe,
  }
  const start = () => keepPart(part, giveUp)
  const { kept, port } = await start().catch(retryWhile(() => loadingState !== undefined, start))
  await writeFile(getAddressFile(dataDir), getNodeUrl(port), { mode: 0o600 })
  const endSaving = startSaving(() => state.save(getNodeUrl(port)), kept, warn)
  return {
    url: getNodeUrl(port),
    source: 'anvil of this package',
    get pid() {
      return kept.pid
    },
    ready: kept.ready,
    async stop() {
      endSaving()
      await kept.stop()
    },
  }
}

const getNodeUrl = (port: number) => `http://127.0.0.1:${port}`

function findAnvilProgram(): string {
  try {
    return createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil')
  } catch {
    const found = findProgram('anvil')
    if (found !== undefined) return found
    throw new Error('No chain: the package of anvil is not installed for this machine; set ANVIL_RPC_URL')
  }
}

/** Retries as long as the failed start was loading a state, because each failure sets that state aside. */
function retryWhile<T>(isLoading: () => boolean, start: () => Promise<T>): (cause: unknown) => Promise<T> {
  const retry = async (cause: unknown): Promise<T> => {
    if (!isLoading()) throw cause
    return start().catch(retry)
  }
  return retry
}

/** Starts to save the state at intervals. @returns a function that ends it */
function startSaving(save: () => Promise<void>, kept: KeptProgram, warn: AnvilOptions['warn']): () => void {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const scheduleSave = (milliseconds: number) => {
    if (!isOver) timer = setTimeout(() => void saveNow(), milliseconds).unref()
  }
  const saveNow = async () => {
    const pidBefore = kept.pid
    const startedAtMs = performance.now()
    if (pidBefore !== undefined) {
      await save().catch((cause: Error) => {
        if (kept.pid === pidBefore) warn(`The chain's state was not saved: ${cause.message}`)
      })
    }
    scheduleSave(Math.max(savePolicy.minIntervalMs, (performance.now() - startedAtMs) / savePolicy.maxTimeShare))
  }
  scheduleSave(savePolicy.minIntervalMs)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
