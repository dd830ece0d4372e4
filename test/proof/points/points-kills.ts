import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { ChildName } from '../../../core/start/platform.ts'
import { runAdminWithSettings } from '../../support/admin-command.ts'
import { createApiClient, type Client, type Json } from '../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { killKept, type Keeper } from '../outages/outages.ts'
import { signIn } from '../stage/buyers.ts'
import { createRandom, drawBetween } from '../stage/kill-plans.ts'
import { waitForDeath } from '../stage/process-deaths.ts'
import { readAllPages, readUntilAnswered, waitForJobEnd } from '../stage/retried-requests.ts'
import { pointsActs, type AcknowledgedOrder, type ActReply } from './acts.ts'

export const killedParts = ['server', 'worker', 'signer', 'redis', 'anvil', 'postgres'] as const
export type KilledPart = (typeof killedParts)[number]

/** The named points of each process at which points are on their way. */
export const killPoints: Readonly<Partial<Record<KilledPart, readonly string[]>>> = {
  server: ['points.posted', 'points.committed'],
  worker: ['tx.stored', 'tx.broadcast', 'tx.receipt', 'points.settled', 'points.closed'],
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
  /** Orders that were acknowledged and are not there, or that are there twice. */
  lost: number
  twice: number
}

const accountCount = 8
/** Points that each account has at the beginning, so that no burn is refused. */
const openingPoints = 1_000_000
/** Milliseconds until the ledger and the chain have to agree after all jobs have ended. */
const agreementMs = 90_000

/** A platform whose parts can be killed while its customers get and spend points. */
export async function openPointsKills(seed: number) {
  const platform = await startPlatform({
    env: { TESSERA_FAULT: 'none' },
    keeperDelays: { maxMs: 200 },
    durable: true,
  })
  try {
    return await createStage(platform, createRandom(seed))
  } catch (cause) {
    await platform.stop()
    throw cause
  }
}
export type PointsKills = Awaited<ReturnType<typeof openPointsKills>>

async function createStage(platform: OwnPlatform, random: () => number) {
  const api = createApiClient(platform.apiKey, platform.api)
  const accounts = await openAccounts(platform, api)
  const acknowledged: AcknowledgedOrder[] = []
  const opened = await Promise.all(accounts.map((account) => openBalance(api, account)))
  acknowledged.push(...opened.map(({ order }) => order))
  await waitForJobs(api, opened)

  /** Performs acts, one of each kind in turn, on accounts that the seed chooses. */
  const performActs = (count: number) =>
    Array.from({ length: count }, (_, at) => {
      const act = pointsActs[at % pointsActs.length]
      const account = accounts[drawBetween(random, 0, accounts.length - 1)]
      if (!act || account === undefined) throw new Error('There is nothing to do')
      return act.perform(api, account, random)
    })

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
    acknowledged.push(...replies.map(({ order }) => order))
    await killed
    const jobsEnd = waitForJobs(api, replies)
    if (death) {
      const found = await Promise.race([death.death, jobsEnd.then(() => null)])
      death.stop()
      if (!found) {
        armPart(platform, plan.part, 'none')
        return null
      }
      diedAtMs = found.at
      expect({ process: found.process, pid: found.pid }).to.deep.equal({ process: plan.part, pid })
    }
    await jobsEnd
    await waitUntil(`another ${plan.part} runs`, () => ![undefined, pid].includes(part.pid), 60_000)
    await part.ready()
    const seconds = (Date.now() - diedAtMs) / 1_000
    await waitForAgreement(platform)
    return { ...plan, seconds, differences: 0, ...(await compareOrders(api, acknowledged)) }
  }

  return {
    platform,
    kill,
    /** The number of orders that were acknowledged, and what is wrong with those that are there. */
    readVerdict: async () => ({ acknowledged: acknowledged.length, ...(await compareOrders(api, acknowledged)) }),
    stop: () => platform.stop(),
  }
}

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
  const order = { account, reference, points: openingPoints }
  return { job: String(body['jobId']), again: false, replayed: false, order }
}

async function waitForJobs(api: Client, replies: readonly ActReply[]): Promise<void> {
  const jobs = [...new Set(replies.map(({ job }) => job))]
  const ended = await Promise.all(jobs.map((job) => waitForJobEnd(() => api.get(`/v1/jobs/${job}`))))
  for (const job of ended) expect(job).to.include({ status: 'completed', failed: 0 })
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

/** Compares the orders that are there with those that were acknowledged, and the balances with their sums. */
async function compareOrders(api: Client, acknowledged: readonly AcknowledgedOrder[]) {
  const accounts = [...new Set(acknowledged.map(({ account }) => account))]
  let [lost, twice] = [0, 0]
  for (const account of accounts) {
    const own = acknowledged.filter((order) => order.account === account)
    const rows = await readAllPages(api, `/v1/loyalty/orders?walletId=${account}&pageSize=100`)
    const found = Map.groupBy(rows, ({ reference }) => String(reference))
    const points = (reference: string) => (found.get(reference) ?? []).map((order) => Number(order['points']))
    lost += own.filter((order) => !points(order.reference).includes(order.points)).length
    twice += rows.length - found.size
    const { body } = await readUntilAnswered(api, `/v1/accounts/${account}`)
    const sum = own.reduce((total, order) => total + order.points, 0)
    expect(String(body['loyalty']?.['optimisticBalance']), `the balance of ${account}`).to.equal(String(sum))
    expect(String(body['loyalty']?.['settledBalance']), `the settled balance of ${account}`).to.equal(String(sum))
  }
  return { lost, twice }
}
