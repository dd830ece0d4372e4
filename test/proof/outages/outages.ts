import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createClient } from 'redis'
import { createApiClient } from '../../support/client.ts'
import type { OwnPlatform } from '../../support/own-platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { waitForJobEnd } from '../stage/retried-requests.ts'
import { readFirstBlock, isVerdictClean, checkMintedTokens, type ChainVerdict } from '../stage/minted-tokens.ts'
import type { Shop } from '../stage/shop.ts'

/** Something that a platform works on is taken away and comes back; resolves when it is back. */
export type Outage = (platform: OwnPlatform, seconds: number) => Promise<void>

/** A program that is launched again when it dies. */
export interface Keeper {
  readonly pid: number | undefined
  ready(): Promise<void>
}

/** Kills with -9 and waits for the next one. @param meanwhile is done in the moment of the death */
export async function killKept(
  what: Keeper,
  signal: NodeJS.Signals = 'SIGKILL',
  meanwhile?: () => void,
): Promise<void> {
  const { pid } = what
  if (pid === undefined) throw new Error('there is nothing to kill')
  process.kill(pid, signal)
  meanwhile?.()
  await waitUntil('another one runs', () => ![undefined, pid].includes(what.pid), 30_000)
  await what.ready()
}

/** Stops a process and all that it started, as a machine does that hangs. */
async function suspend<T>({ pid }: Keeper, meanwhile: () => Promise<T>): Promise<T> {
  if (pid === undefined) throw new Error('there is nothing to stop')
  process.kill(pid, 'SIGSTOP')
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []
  const family = [pid, ...children.map(Number)]
  for (const one of family) process.kill(one, 'SIGSTOP')
  try {
    return await meanwhile()
  } finally {
    for (const one of family) process.kill(one, 'SIGCONT')
  }
}

function demanded<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('these tests need a Redis')
  return part
}

async function flush({ redis }: OwnPlatform): Promise<void> {
  const connection = createClient({ url: demanded(redis) })
  await connection.connect()
  await connection.flushAll()
  connection.destroy()
}

/** A client sees of a database that hangs that the API is alive, and that its request ends: refused, or late. */
async function hang(platform: OwnPlatform, seconds: number): Promise<void> {
  const { api, apiKey, parts } = platform
  const seen = await suspend(parts.postgres, async () => {
    const sentAtMs = Date.now()
    const answer = createApiClient(apiKey, api)
      .get('/v1/dpp/products')
      .then(({ status }) => ({ status, after: Date.now() - sentAtMs }))
    const alive = await createApiClient({}, api).get('/health/live')
    expect({ status: alive.status, inTime: Date.now() - sentAtMs < 2_000 }).to.deep.equal({
      status: 200,
      inTime: true,
    })
    await sleep(seconds * 1_000)
    return [answer]
  })
  for (const { status, after } of await Promise.all(seen)) {
    expect(status).to.be.oneOf([200, 503])
    expect(after).to.be.lessThan(12_000)
  }
}

/** By the words that stand in the title of a test. */
export const outages = {
  'Redis is killed, and loses all that it knew': async (platform) => {
    await killKept(demanded(platform.parts.redis))
    await flush(platform)
  },
  "the chain's node is killed with -9": ({ parts }) => killKept(parts.anvil),
  "the chain's node is killed and its folder deleted": async ({ parts, rpc, dataDir }) => {
    const before = await readFirstBlock(rpc)
    await killKept(parts.anvil, 'SIGKILL', () => rmSync(join(dataDir, 'anvil'), { recursive: true, force: true }))
    expect(await readFirstBlock(rpc), 'a new chain').to.not.equal(before)
  },
  'PostgreSQL is stopped': hang,
  'the signer is killed': ({ children }) => killKept(children.signer),
} satisfies Record<string, Outage>

/** What takes too long for every run. */
export const longOutages = {
  'Redis is stopped': ({ parts }, seconds) => suspend(demanded(parts.redis), () => sleep(seconds * 1_000)),
  "the chain's node is stopped": ({ parts }, seconds) => suspend(parts.anvil, () => sleep(seconds * 1_000)),
  'PostgreSQL ends at once': ({ parts }) => killKept(parts.postgres, 'SIGQUIT'),
  'PostgreSQL is stopped for 30 s': (platform) => hang(platform, 30),
  'PostgreSQL is killed with -9': ({ parts }) => killKept(parts.postgres),
} satisfies Record<string, Outage>

/** What does not come back: the platform goes on without it. */
export const lastOutages = {
  'Redis is removed for good': async ({ api, parts }) => {
    await demanded(parts.redis).stop()
    const missing = async () => String((await createApiClient({}, api).get('/health/ready')).body['parts'])
    await waitUntil('the API says that it is missing', async () => (await missing()).includes('redis'))
  },
} satisfies Record<string, Outage>

export interface EnduredOutage {
  /** Seconds that the outage took; from its end until the last job had ended; until the chain had everything. */
  awaySeconds: number
  backSeconds: number
  wholeSeconds: number
  verdict: ChainVerdict
}

/**
 * Work that is under way while something is away: a batch of so many rows and claims. Resolves when all of it is done,
 * and the chain has all that was ever accepted, once.
 */
export async function endureOutage(
  platform: OwnPlatform,
  shop: Shop,
  outage: Outage,
  {
    rows,
    claims,
    seconds,
    delay,
  }: {
    rows: number
    claims: number
    seconds: number
    delay: number
  },
): Promise<EnduredOutage> {
  const orders = [await shop.batch(rows), ...(await shop.claims(claims))]
  const replies = await Promise.all(orders.map((order) => order.send()))
  await sleep(delay)
  const { body } = (await orders[0]?.status(replies[0]?.job ?? '')) ?? {}
  expect(String(body?.['status']), 'the batch when the outage begins').to.equal('pending')
  const begin = Date.now()
  await outage(platform, seconds)
  const end = Date.now()
  await Promise.all(orders.map((order, at) => waitForJobEnd(() => order.status(replies[at]?.job ?? ''))))
  const done = Date.now()
  const check = () => Promise.all(orders.map((order, at) => order.check(replies[at]?.job ?? '')))
  await check()
  const { verdict, since } = await wholeOf(platform, shop)
  await check()
  return {
    awaySeconds: (end - begin) / 1_000,
    backSeconds: (done - end) / 1_000,
    wholeSeconds: (since - end) / 1_000,
    verdict,
  }
}

/**
 * What the chain has, once it has everything again; what a node says that has just come back does not count yet.
 * `since`: when the chain was asked, after the lists of the API, which take their time, had been read.
 */
async function wholeOf({ rpc }: OwnPlatform, shop: Shop): Promise<{ verdict: ChainVerdict; since: number }> {
  for (const end = Date.now() + 60_000; ;) {
    const accepted = await shop.acceptedNow()
    const since = Date.now()
    const verdict = await checkMintedTokens(rpc, accepted, shop.known())
    if (isVerdictClean(verdict)) return { verdict, since }
    if (Date.now() > end) throw new Error(`Not whole after 60 s: ${JSON.stringify(verdict).slice(0, 2_000)}`)
    await sleep(100)
  }
}
