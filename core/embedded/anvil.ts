import { rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { addressFile, anvilState } from './anvil.state.ts'
import type { Kept } from './keeper.ts'
import { foreignPart, keepPart, type Launch, type Part, type PartProgram, type Surroundings } from './part.ts'
import { rpc } from './rpc.ts'
import { findProgram } from './tied.ts'

export interface AnvilOptions extends Surroundings {
  /** A node that somebody else runs. */
  url?: string | undefined
  warn: (message: string) => void
}

/** Least milliseconds between two savings of the state, and the share of the time that savings may take. */
const saving = { pause: 5_000, share: 0.05 }

/**
 * When the chain began, in seconds. Always the same, because anvil makes a first block at every start, beside the one
 * of the state that it loads, and the chain must not have two of them. The clock is set right once it answers.
 */
const genesis = 1_700_000_000

/**
 * The development chain: the given one, else anvil on a free port of 127.0.0.1. Its state is saved every 5 s and at
 * its end; a large state less often, since anvil answers nobody while it writes it (1 to 2.5 s with 100,000 tokens).
 * After a kill what came since the last saving is gone, and a state that does not load gives way to the one before.
 */
export async function startAnvil({ url, dataDir, giveUp, warn }: AnvilOptions): Promise<Part> {
  if (url !== undefined) return foreignPart(url, 'ANVIL_RPC_URL')
  const program = anvilProgram()
  const folder = join(dataDir, 'anvil')
  const state = anvilState(folder)
  let loading: string | undefined

  async function launch(port: number): Promise<Launch> {
    if (loading !== undefined) {
      warn(`The chain's state ${loading} does not load and is set aside`)
      await state.setAside(loading)
    }
    loading = await state.newest()
    const cache = join(folder, 'cache')
    await rm(cache, { recursive: true, force: true })
    return {
      command: [
        program, '--host', '127.0.0.1', '--port', `${port}`, '--quiet', '--no-cors', '--enable-tx-gas-limit',
        // States of earlier blocks, which nobody reads, would fill the disk.
        '--max-persisted-states', '0', '--timestamp', `${genesis}`, '--cache-path', cache, '--dump-state', state.atExit,
        ...(loading === undefined ? [] : ['--load-state', loading]),
      ],
      tie: { signal: 'SIGTERM' },
      cwd: folder,
    }
  }
  async function probe(port: number): Promise<void> {
    await rpc(address(port), 'evm_setTime', [Math.floor(Date.now() / 1000)])
    loading = undefined
  }

  const log = join(dataDir, 'logs/anvil.log')
  const part: PartProgram = { name: 'anvil', log, stopSignal: 'SIGTERM', stopPatience: 15_000, launch, probe }
  const start = () => keepPart(part, giveUp)
  const { kept, port } = await start().catch(retryWhile(() => loading !== undefined, start))
  await writeFile(addressFile(dataDir), address(port), { mode: 0o600 })
  const endSaving = keepSaving(() => state.save(address(port)), kept, warn)
  return {
    url: address(port),
    source: 'anvil of this package',
    get pid() { return kept.pid },
    ready: kept.ready,
    async stop() {
      endSaving()
      await kept.stop()
    },
  }
}

const address = (port: number) => `http://127.0.0.1:${port}`

function anvilProgram(): string {
  try {
    return createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil')
  } catch {
    const found = findProgram('anvil')
    if (found !== undefined) return found
    throw new Error('No chain: the package of anvil is not installed for this machine; set ANVIL_RPC_URL')
  }
}

/** Tries again as long as a state was being loaded, since each failure sets that state aside. */
function retryWhile<T>(loading: () => boolean, start: () => Promise<T>): (cause: unknown) => Promise<T> {
  const retry = async (cause: unknown): Promise<T> => {
    if (!loading()) throw cause
    return start().catch(retry)
  }
  return retry
}

/** @returns what ends it */
function keepSaving(save: () => Promise<void>, kept: Kept, warn: AnvilOptions['warn']): () => void {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const waitFor = (milliseconds: number) => {
    if (!isOver) timer = setTimeout(() => void saveNow(), milliseconds).unref()
  }
  const saveNow = async () => {
    const before = kept.pid
    const began = performance.now()
    if (before !== undefined) {
      await save().catch((cause: Error) => {
        if (kept.pid === before) warn(`The chain's state was not saved: ${cause.message}`)
      })
    }
    waitFor(Math.max(saving.pause, (performance.now() - began) / saving.share))
  }
  waitFor(saving.pause)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
