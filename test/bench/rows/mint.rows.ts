import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkMintedTokens, type AcceptedPassport } from '../../proof/stage/minted-tokens.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import {
  createAbsoluteFigure,
  atLeast,
  computeMedian,
  atMost,
  createInformativeFigure,
  type Figure,
} from '../figures.ts'
import { listTransactionsSince, readLastBlock } from '../chain.ts'
import { getMicroseconds, printProfile } from '../profile.ts'
import type { BenchSetup } from '../bench-setup.ts'

interface MintedBatch {
  mintSeconds: number
  passports: AcceptedPassport[]
  gasUsed: number[]
  gasLimits: number[]
}

/** Measures batches of 10,000 passports, one job each, on a platform of their own with a new chain. */
export async function measureMint({ options: { quick }, profileOf }: BenchSetup): Promise<Figure[]> {
  const [size, batches] = quick ? [1_000, 1] : [10_000, 3]
  const folder = profileOf('mint')
  const env = folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }
  const platform = await startPlatform({ env })
  const { server, worker } = platform.children
  const profiled = { server: server.pid, worker: worker.pid }
  let from = 0
  try {
    const shop = await createMintShop(platform)
    const first = await mintBatch(shop, platform.rpc, 500)
    from = getMicroseconds()
    const minted: MintedBatch[] = []
    for (let batch = 0; batch < batches; batch++) minted.push(await mintBatch(shop, platform.rpc, size))
    return [...createMintFigures(minted, size, platform), await createChainFigure(platform.rpc, [first, ...minted])]
  } finally {
    await platform.stop()
    if (folder !== undefined) {
      const time = { from, to: Infinity }
      for (const [name, pid] of Object.entries(profiled)) await printProfile({ name, folder, pid }, time)
    }
  }
}

function createMintFigures(minted: readonly MintedBatch[], size: number, { children }: OwnPlatform): Figure[] {
  const row = 'mint'
  const gas = minted.map((one) => one.gasUsed.reduce((sum, used) => sum + used, 0) / size)
  const transactions = computeMedian(minted.map((one) => one.gasUsed.length))
  const seconds = computeMedian(minted.map((one) => one.mintSeconds))
  const what = `${size.toLocaleString('en')} passports in one job`
  const memory = (name: 'server' | 'worker') => readPeakMegabytes(children[name].pid)
  return [
    createAbsoluteFigure({
      row,
      what: `${what}, ${seconds.toFixed(2)} s from request to completed, ${transactions} transactions`,
      unit: 'tokens/s',
      ours: size / seconds,
      target: atLeast(5_000),
    }),
    createAbsoluteFigure({
      row,
      what: 'gas a token',
      unit: 'gas',
      baseline: { name: 'a storage slot a token', value: 24_700 },
      ours: computeMedian(gas),
      target: atMost(9_200),
    }),
    createAbsoluteFigure({
      row,
      what: 'the largest gas limit of a transaction',
      unit: 'gas',
      ours: Math.max(...minted.flatMap((one) => one.gasLimits)),
      target: atMost(16_777_216),
    }),
    createInformativeFigure({ row, what: 'resident peak of the API', unit: 'MB', ours: memory('server') }),
    createInformativeFigure({ row, what: 'resident peak of the worker', unit: 'MB', ours: memory('worker') }),
  ]
}

/** Reads the peak memory of a process in megabytes. Source: proc_pid_status(5). */
function readPeakMegabytes(pid: number | undefined): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1000
}

interface MintShop {
  ask<T>(method: string, path: string, body?: unknown): Promise<T>
  sheet: string
}

async function createMintShop({ api, apiKey, application }: OwnPlatform): Promise<MintShop> {
  const ask = async <T>(method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${api}${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as T
  }
  const { id } = await ask<{ id: string }>('POST', '/v1/dpp/products', {
    application,
    network: 'EthereumAnvil',
    name: 'Bag',
    status: 'ACTIVE',
    passportsFields: [
      { name: 'serialNumber', type: 'string', required: true },
      { name: 'color', type: 'string' },
    ],
  })
  return { ask, sheet: id }
}

interface MintJob {
  status: string
  completed: number
  results: { passport: string }[]
}

/** Mints one batch and waits for the end of its job. */
async function mintBatch({ ask, sheet }: MintShop, rpc: string, size: number): Promise<MintedBatch> {
  const rows = Array.from({ length: size }, (_, at) => ({ serialNumber: `SN-${at}`, color: 'red' }))
  const before = await readLastBlock(rpc)
  const startedAtMs = performance.now()
  const { jobId } = await ask<{ jobId: string }>('POST', `/v1/dpp/products/${sheet}/mint`, rows)
  const readStatus = (page: string) => ask<MintJob>('GET', `/v1/dpp/products/${sheet}/mint/${jobId}/status?${page}`)
  let job = await readStatus('pageSize=1')
  for (; job.status === 'pending'; job = await readStatus('pageSize=1')) await sleep(20)
  const seconds = (performance.now() - startedAtMs) / 1000
  if (job.status !== 'completed' || job.completed !== size)
    throw new Error(`The job ended ${job.status} with ${job.completed} of ${size}`)
  const ids: string[] = []
  for (let page = 1; ids.length < size; page++)
    ids.push(...(await readStatus(`pageSize=1000&currentPage=${page}`)).results.map(({ passport }) => passport))
  const { token } = await ask<{ token: { contract: string; owner: string } }>('GET', `/v1/dpp/passports/${ids[0]}`)
  const sent = await listTransactionsSince(rpc, before)
  return {
    mintSeconds: seconds,
    passports: ids.map((passport) => ({ passport, contract: token.contract, owner: token.owner })),
    gasUsed: sent.map(({ gasUsed }) => gasUsed),
    gasLimits: sent.map(({ gasLimit }) => gasLimit),
  }
}

/** Checks on the chain that each token exists exactly once, with its owner, and that there is no other token. */
async function createChainFigure(rpc: string, minted: readonly MintedBatch[]): Promise<Figure> {
  const accepted = minted.flatMap(({ passports }) => passports)
  const { lost, duplicates, foreign, astray } = await checkMintedTokens(rpc, accepted)
  const wrong = new Set([...lost, ...duplicates, ...foreign, ...astray]).size
  const what = `of ${accepted.length.toLocaleString('en')} tokens not on chain exactly once, by eth_getLogs`
  return createAbsoluteFigure({ row: 'mint', what, unit: 'tokens', ours: wrong, target: atMost(0) })
}
