import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { ChildName } from '../../../core/start/platform.ts'
import { runAdminWithSettings } from '../../support/admin-command.ts'
import { createApiClient, type Client, type Json } from '../../support/client.ts'
import { sumBy } from '../../figures/keep-figures.ts'
import { startPos, type StandIn } from '../../support/pos/pos.ts'
import { bindRestaurant } from '../../support/pos/restaurants.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { killKept, type Keeper } from '../outages/outages.ts'
import { signIn } from '../stage/buyers.ts'
import { createRandom } from '../../support/values/random.ts'
import { waitForDeath } from '../stage/process-deaths.ts'
import { readAllPages, readUntilAnswered, waitForJobEnd } from '../stage/retried-requests.ts'
import { earningRules, pointsActs, type ActReply, type ExpectedOrder, type PointsStage } from './acts.ts'

export const killedParts = ['server', 'worker', 'signer', 'redis', 'anvil', 'postgres'] as const
export type KilledPart = (typeof killedParts)[number]

/** The named points of each process at which points are on their way. */
export const killPoints: Readonly<Partial<Record<KilledPart, readonly string[]>>> = {
  server: ['points.posted', 'points.committed', 'gifts.given'],
  worker: [
    'tx.stored',
    'points.expired',
    'tx.broadcast',
    'earn.storing',
    'tx.receipt',
    'points.settled',
    'points.closed',
  ],
  signer: ['signature.stored'],
}

/** A kill to be, at the first time at a point or, without one, some milliseconds after the acts began. */
export interface PointsKillPlan {
  part: KilledPart
  point: string | null
  delayMs: number
  /** The number of acts that are under way. */
  acts: number
}

/** A kill, and what came of it. */
export interface PointsKill extends PointsKillPlan {
  /** Seconds between the death and the end of all jobs. */
  seconds: number
  /** What `admin ledger verify --chain` found after the recovery. */
  differences: number
  /** Orders that were acknowledged and are not there, and orders that nobody was told of. */
  lost: number
  twice: number
}

const accountCount = 8
const expiringCount = 2
/** Points that each account has at the beginning, so that no burn is refused. */
const openingPoints = 1_000_000
/** Milliseconds until the ledger and the chain have to agree after all jobs have ended. */
const agreementMs = 90_000

/** A platform whose parts can be killed while its customers get and spend points. */
export async function openPointsKills(seed: number) {
  const pos = await startPos()
  try {
    const platform = await startPlatform({
      env: { TESSERA_FAULT: 'none', OUTBOUND_ALLOW: pos.host },
      keeperDelays: { maxMs: 200 },
      durable: true,
    })
    try {
      return await createKills(await openStage(platform, pos), createRandom(seed))
    } catch (cause) {
      await platform.stop()
      throw cause
    }
  } catch (cause) {
    await pos.stop()
    throw cause
  }
}
export type PointsKills = Awaited<ReturnType<typeof openPointsKills>>

async function openStage(platform: OwnPlatform, pos: StandIn): Promise<PointsStage> {
  const { application, apiKey: key } = platform
  const api = createApiClient(key, platform.api)
  const people = await openAccounts(platform, api)
  const { ratio: currencyToPointRatio, welcomeBonus } = earningRules
  const rated = await api.patch(`/v1/applications/${application}`, {
    loyaltySettings: { currency: 'EUR', currencyToPointRatio, welcomeBonus: String(welcomeBonus) },
  })
  expect(rated.status, rated.text).to.equal(200)
  const restaurant = await bindRestaurant(pos, platform.api, { application, key })
  const accounts = people.slice(expiringCount).map((account) => ({ account, customer: `C-${randomUUID()}` }))
  for (const { account, customer } of accounts) {
    const named = await api.patch(`/v1/accounts/${account}`, { loyalty: { customerId: customer } })
    expect(named.status, named.text).to.equal(200)
  }
  return { platform, api, pos, restaurant, accounts, expiring: people.slice(0, expiringCount) }
}

async function createKills(stage: PointsStage, random: () => number) {
  const { platform, api } = stage
  const acknowledged: ExpectedOrder[] = []
  const opened = await Promise.all(stage.accounts.map(({ account }) => openBalance(api, account)))
  acknowledged.push(...opened.flatMap(({ orders }) => orders))
  await waitForJobs(api, opened)

  /** Performs acts, one of each kind in turn, on accounts that the seed chooses. */
  const performActs = (count: number) =>
    Array.from({ length: count }, (_, at) => pointsActs[at % pointsActs.length]!.perform(stage, random))

  /** Kills a part while acts are under way. @returns null if they were done without coming to the point */
  async function kill(plan: PointsKillPlan): Promise<PointsKill | null> {
    const part = getPart(platform, plan.part)
    const { pid } = part
    const from = platform.lines.length
    if (plan.point !== null) armPart(platform, plan.part, plan.point)
    const death = plan.point === null ? null : waitForDeath(() => platform.lines.slice(from), plan.point)
    const acts = Promise.all(performActs(plan.acts))
    const killed = plan.point === null ? sleep(plan.delayMs).then(() => killKept(part)) : null
    let diedAtMs = Date.now() + plan.delayMs
    const replies = await acts
    const made = replies.flatMap(({ orders }) => orders)
    acknowledged.push(...made)
    await killed
    const isDone = waitForJobs(api, replies).then(() => waitForOrders(api, acknowledged, listAccounts(made)))
    if (death) {
      const found = await Promise.race([death.death, isDone.then(() => null)])
      death.stop()
      if (!found) {
        armPart(platform, plan.part, 'none')
        return null
      }
      diedAtMs = found.at
      expect({ process: found.process, pid: found.pid }).to.deep.equal({ process: plan.part, pid })
    }
    await isDone
    await waitUntil(`another ${plan.part} runs`, () => ![undefined, pid].includes(part.pid), 60_000)
    await part.ready()
    const seconds = (Date.now() - diedAtMs) / 1_000
    await waitForAgreement(platform)
    return { ...plan, seconds, differences: 0, ...(await compareOrders(api, acknowledged, listAccounts(made))) }
  }

  return {
    platform,
    kill,
    /** The number of orders that were acknowledged, and what is wrong with those that are there. */
    readVerdict: async () => ({
      acknowledged: acknowledged.length,
      ...(await compareOrders(api, acknowledged, listAccounts(acknowledged))),
    }),
    async stop() {
      await platform.stop()
      await stage.pos.stop()
    },
  }
}

const listAccounts = (orders: readonly ExpectedOrder[]) => [...new Set(orders.map(({ account }) => account))]

function getPart({ parts, children }: OwnPlatform, name: KilledPart): Keeper {
  const part = { ...children, ...parts }[name]
  if (part === undefined) throw new Error(`There is no ${name} to kill`)
  return part
}

const armPart = ({ children }: OwnPlatform, part: KilledPart, point: string) => children[part as ChildName].arm(point)

/** Signs people in. @returns the ids of their accounts */
async function openAccounts(platform: OwnPlatform, api: Client): Promise<string[]> {
  const domain = `${randomUUID()}.example`
  for (let at = 0; at < accountCount; at++) await signIn(platform, `buyer-${at}@${domain}`)
  const { body } = await readUntilAnswered(api, `/v1/accounts?pageSize=100&filters[user.email][contains]=${domain}`)
  const ids = (body['data'] as unknown as Json[]).map(({ id }) => String(id))
  expect(ids.length, 'accounts').to.equal(accountCount)
  return ids
}

async function openBalance(api: Client, account: string): Promise<ActReply> {
  const reference = randomUUID()
  const { body, status, text } = await api.post(`/v1/loyalty/account/${account}/mint`, {
    amount: openingPoints,
    reference,
  })
  expect(status, text).to.equal(202)
  return { job: String(body['jobId']), orders: [{ account, kind: 'mint', reference, points: openingPoints }] }
}

async function waitForJobs(api: Client, replies: readonly ActReply[]): Promise<void> {
  const jobs = new Set(replies.flatMap(({ job }) => job ?? []))
  const ended = await Promise.all([...jobs].map((job) => waitForJobEnd(() => api.get(`/v1/jobs/${job}`))))
  for (const job of ended) expect(job).to.include({ status: 'completed', failed: 0 })
}

/** Waits until all orders of accounts are there that were acknowledged: those of a restaurant and expiries take a while. */
async function waitForOrders(api: Client, acknowledged: readonly ExpectedOrder[], accounts: readonly string[]) {
  for (const account of accounts)
    await waitUntil(
      `the orders of ${account} are there`,
      async () => (await compareAccount(api, acknowledged, account)).lost === 0,
      agreementMs,
    )
}

/**
 * Waits until the operator's command finds no difference, and no entry on its way to the chain. A node that was killed
 * may have lost its newest blocks: until they are written again, the chain differs. What the database says of itself has
 * to agree at any time.
 */
async function waitForAgreement({ dataDir, rpc }: OwnPlatform): Promise<void> {
  const settings = { DATA_DIR: dataDir, ANVIL_RPC_URL: rpc }
  for (const end = Date.now() + agreementMs; ;) {
    const { json, err } = await runAdminWithSettings(settings, 'ledger', 'verify', '--chain', '--json')
    const found = json as { differences?: { what: string }[]; moving?: number } | null
    if (found?.differences?.length === 0 && found.moving === 0) return
    const own = found?.differences?.filter(({ what }) => what !== 'chain') ?? []
    expect(own, 'differences between entries, lots, balances and accounts').to.deep.equal([])
    if (Date.now() > end) throw new Error(`Ledger and chain do not agree: ${JSON.stringify(found)} ${err}`)
  }
}

/** Compares the orders of accounts with those that were acknowledged, and the balances with their sums. */
async function compareOrders(api: Client, acknowledged: readonly ExpectedOrder[], accounts: readonly string[]) {
  let [lost, twice] = [0, 0]
  for (const account of accounts) {
    const found = await compareAccount(api, acknowledged, account)
    lost += found.lost
    twice += found.twice
    const { body } = await readUntilAnswered(api, `/v1/accounts/${account}`)
    expect(String(body['loyalty']?.['optimisticBalance']), `the balance of ${account}`).to.equal(found.sum)
    expect(String(body['loyalty']?.['settledBalance']), `the settled balance of ${account}`).to.equal(found.sum)
  }
  return { lost, twice }
}

/** Compares the orders of an account. An expiry has no name: those of as many points stand for each other. */
async function compareAccount(api: Client, acknowledged: readonly ExpectedOrder[], account: string) {
  const own = acknowledged.filter((order) => order.account === account)
  const rows = await readAllPages(api, `/v1/loyalty/orders?walletId=${account}&pageSize=100`)
  const left = new Map<string, number>()
  for (const order of own) left.set(nameOrder(order), (left.get(nameOrder(order)) ?? 0) + 1)
  for (const row of rows) left.set(nameOrder(row), (left.get(nameOrder(row)) ?? 0) - 1)
  const counts = [...left.values()]
  return {
    lost: sumBy(counts, (count) => Math.max(count, 0)),
    twice: sumBy(counts, (count) => Math.max(-count, 0)),
    sum: String(sumBy(own, ({ points }) => points)),
  }
}

const nameOrder = ({ kind, reference, points }: ExpectedOrder | Json) =>
  `${String(kind)} ${String(reference)} ${String(points)}`
