import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { judge, type Accepted } from '../faults/judge.ts'
import { startPlatform, type OwnPlatform } from '../support/platform.ts'
import { itself, least, median, most, told, type Figure } from './figures.ts'
import { transactionsSince, lastBlock } from './chain.ts'
import { microseconds, printProfile } from './profile.ts'
import type { Stand } from './stand.ts'

interface Minted {
  seconds: number
  passports: Accepted[]
  gas: number[]
  limits: number[]
}

/** Batches of 10,000 passports in one job each, on a platform of their own with a fresh chain. */
export async function mintRow({ options: { quick }, profileOf }: Stand): Promise<Figure[]> {
  const [size, batches] = quick ? [1_000, 1] : [10_000, 3]
  const folder = profileOf('mint')
  const env = folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }
  const platform = await startPlatform({ env })
  const { server, worker } = platform.children
  const profiled = { server: server.pid, worker: worker.pid }
  let from = 0
  try {
    const shop = await newShop(platform)
    const first = await mint(shop, platform.rpc, 500)
    from = microseconds()
    const minted: Minted[] = []
    for (let batch = 0; batch < batches; batch++) minted.push(await mint(shop, platform.rpc, size))
    return [...figuresOf(minted, size, platform), await chainFigure(platform.rpc, [first, ...minted])]
  } finally {
    await platform.stop()
    if (folder !== undefined) {
      const time = { from, to: Infinity }
      for (const [name, pid] of Object.entries(profiled)) await printProfile({ name, folder, pid }, time)
    }
  }
}

function figuresOf(minted: readonly Minted[], size: number, { children }: OwnPlatform): Figure[] {
  const row = 'mint'
  const gas = minted.map((one) => one.gas.reduce((sum, used) => sum + used, 0) / size)
  const transactions = median(minted.map((one) => one.gas.length))
  const seconds = median(minted.map((one) => one.seconds))
  const what = `${size.toLocaleString('en')} passports in one job`
  const memory = (name: 'server' | 'worker') => peak(children[name].pid)
  return [
    itself({
      row,
      what: `${what}, ${seconds.toFixed(2)} s from request to completed, ${transactions} transactions`,
      unit: 'tokens/s',
      ours: size / seconds,
      target: least(5_000),
    }),
    itself({
      row,
      what: 'gas a token',
      unit: 'gas',
      baseline: { name: 'a storage slot a token', value: 24_700 },
      ours: median(gas),
      target: most(9_200),
    }),
    itself({
      row,
      what: 'the largest gas limit of a transaction',
      unit: 'gas',
      ours: Math.max(...minted.flatMap((one) => one.limits)),
      target: most(16_777_216),
    }),
    told({ row, what: 'resident peak of the API', unit: 'MB', ours: memory('server') }),
    told({ row, what: 'resident peak of the worker', unit: 'MB', ours: memory('worker') }),
  ]
}

/** Megabytes that a process had at most. Source: proc_pid_status(5). */
function peak(pid: number | undefined): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1000
}

interface Shop {
  ask<T>(method: string, path: string, body?: unknown): Promise<T>
  sheet: string
}

async function newShop({ api, apiKey, application }: OwnPlatform): Promise<Shop> {
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

/** One batch, from the request to the end of its job. */
async function mint({ ask, sheet }: Shop, rpc: string, size: number): Promise<Minted> {
  const rows = Array.from({ length: size }, (_, at) => ({ serialNumber: `SN-${at}`, color: 'red' }))
  const before = await lastBlock(rpc)
  const began = performance.now()
  const { jobId } = await ask<{ jobId: string }>('POST', `/v1/dpp/products/${sheet}/mint`, rows)
  const status = (page: string) => ask<MintJob>('GET', `/v1/dpp/products/${sheet}/mint/${jobId}/status?${page}`)
  let job = await status('pageSize=1')
  for (; job.status === 'pending'; job = await status('pageSize=1')) await sleep(20)
  const seconds = (performance.now() - began) / 1000
  if (job.status !== 'completed' || job.completed !== size)
    throw new Error(`The job ended ${job.status} with ${job.completed} of ${size}`)
  const ids: string[] = []
  for (let page = 1; ids.length < size; page++)
    ids.push(...(await status(`pageSize=1000&currentPage=${page}`)).results.map(({ passport }) => passport))
  const { token } = await ask<{ token: { contract: string; owner: string } }>('GET', `/v1/dpp/passports/${ids[0]}`)
  const sent = await transactionsSince(rpc, before)
  return {
    seconds,
    passports: ids.map((passport) => ({ passport, contract: token.contract, owner: token.owner })),
    gas: sent.map(({ used }) => used),
    limits: sent.map(({ limit }) => limit),
  }
}

/** What the chain itself says: each token has to be there once, with its owner, and no other. */
async function chainFigure(rpc: string, minted: readonly Minted[]): Promise<Figure> {
  const accepted = minted.flatMap(({ passports }) => passports)
  const { lost, duplicates, foreign, astray } = await judge(rpc, accepted)
  const wrong = new Set([...lost, ...duplicates, ...foreign, ...astray]).size
  const what = `of ${accepted.length.toLocaleString('en')} tokens not on chain exactly once, by eth_getLogs`
  return itself({ row: 'mint', what, unit: 'tokens', ours: wrong, target: most(0) })
}
