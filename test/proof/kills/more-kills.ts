import { expect } from 'chai'
import { waitUntil } from '../../support/processes.ts'
import { waitForJobEnd, type JobReply } from '../stage/retried-requests.ts'
import { startBalancer, type Balancer } from '../stage/balancer.ts'
import { openFleet, waitForSendingWorker, type Fleet, type FleetMember } from '../races/fleet.ts'
import { checkMintedTokens, type ChainVerdict } from '../stage/minted-tokens.ts'
import type { KillFlow } from './kills.ts'
import { drawBetween } from '../stage/kill-plans.ts'
import { openShop, type Order, type Shop } from '../stage/shop.ts'
import { waitForDeath, sendAll, type ProcessDeath } from '../stage/process-deaths.ts'

/** What a fleet is made of. The sender lives in the worker that has the lease of its address. */
export const roles = ['API', 'worker', 'sender', 'signer'] as const
export type KilledRole = (typeof roles)[number]

/** A kill to be: the `nth` time that the process comes to the point, with so many units (rows, claims) on their way. */
export interface KillAim {
  role: KilledRole
  flow: KillFlow
  point: string
  nth: number
  units: number
}

/** A kill that struck work under way, and what came of it. */
export interface KillBlow extends ProcessDeath {
  aim: KillAim
  /** Seconds between the death and the end of the last job that was under way. */
  seconds: number
  verdict: ChainVerdict
}

const places: readonly { role: KilledRole; flow: KillFlow; point: string; times: number }[] = [
  { role: 'API', flow: 'mint', point: 'mint.row-stored', times: 4 },
  { role: 'API', flow: 'claim', point: 'claim.row-stored', times: 4 },
  { role: 'worker', flow: 'claim', point: 'unit.between', times: 8 },
  ...(['tx.stored', 'tx.broadcast', 'tx.receipt', 'unit.between'] as const).map(
    (point) => ({ role: 'sender', flow: 'mint', point, times: 4 }) as const,
  ),
  ...(['tx.stored', 'tx.broadcast', 'tx.receipt'] as const).map(
    (point) => ({ role: 'sender', flow: 'claim', point, times: 4 }) as const,
  ),
  { role: 'signer', flow: 'mint', point: 'signature.stored', times: 3 },
  { role: 'signer', flow: 'claim', point: 'signature.stored', times: 3 },
]

/** Fifty kills, at moments that the numbers choose. */
export const createAims = (random: () => number): KillAim[] =>
  places.flatMap(({ times, ...place }) =>
    Array.from({ length: times }, () => ({ ...place, ...momentOf(random, place) })),
  )

/** Rows that a full transaction has; a batch of more takes several. */
const full = 500

function momentOf(random: () => number, { role, flow, point }: Pick<KillAim, 'role' | 'flow' | 'point'>) {
  // Both workers have claims in hand: with a dozen, the one that is aimed at has some.
  if (role === 'worker') return { units: 12, nth: drawBetween(random, 1, 3) }
  if (flow === 'claim') {
    const units = drawBetween(random, 2, 6)
    return { units, nth: point === 'tx.receipt' ? 1 : drawBetween(random, 1, units) }
  }
  if (role === 'API') return { units: drawBetween(random, 1, 80), nth: drawBetween(random, 1, 3) }
  if (point === 'unit.between') return { units: drawBetween(random, 2 * full, 3 * full), nth: 1 }
  if (point === 'tx.receipt') return { units: drawBetween(random, 1, 2 * full), nth: 1 }
  const nth = drawBetween(random, 1, 3)
  return { units: (nth - 1) * full + drawBetween(random, 1, full / 2), nth }
}

/** Two of everything behind a balancer, all of it ready to be armed, and a customer. */
export async function openFleetUnderKills() {
  const fleet = await openFleet({ env: { TESSERA_FAULT: 'none' }, keeperDelays: { maxMs: 200 } })
  const balancer = await startBalancer(fleet.apis)
  const stop = async () => {
    await balancer.stop()
    await fleet.stop()
  }
  try {
    return frontOf(fleet, balancer, await openShop({ ...fleet.platform, api: balancer.url }), stop)
  } catch (cause) {
    await stop()
    throw cause
  }
}
export type FleetUnderKills = Awaited<ReturnType<typeof openFleetUnderKills>>

function frontOf(fleet: Fleet, balancer: Balancer, shop: Shop, stop: () => Promise<void>) {
  const {
    platform: { lines, rpc },
    members,
  } = fleet
  let turn = 0

  async function victimOf({ role }: KillAim): Promise<FleetMember> {
    if (role === 'signer') return 'signer'
    if (role === 'API') return turn++ % 2 === 0 ? 'server' : 'server2'
    const sender = await waitForSendingWorker(fleet)
    return role === 'sender' ? sender : sender === 'worker' ? 'worker2' : 'worker'
  }

  /** The blow, or null when the work was done without coming to the point so often. */
  async function strike(aim: KillAim): Promise<KillBlow | null> {
    const victim = await victimOf(aim)
    const member = members[victim]
    await balancer.prefer(victim === 'server2' ? 1 : 0)
    const orders = await ordersOf(shop, aim)
    const { pid } = member
    const from = lines.length
    member.arm(`${aim.point}:${aim.nth}`)
    const struck = waitForDeath(() => lines.slice(from), aim.point)
    const away = struck.death.then(() => (victim === 'signer' ? undefined : keepAway(fleet, victim, pid)))
    away.catch(() => undefined)
    const replies = await sendAll(orders, aim.role === 'API')
    const end = Promise.all(orders.map((order, at) => waitForJobEnd(() => order.status(replies[at]?.job ?? ''))))
    const [death] = await Promise.all([Promise.race([struck.death, end.then(() => null)]), end])
    const now = Date.now()
    struck.stop()
    const check = () => Promise.all(orders.map((order, at) => order.check(replies[at]?.job ?? '')))
    if (!death) {
      await check()
      member.arm('none')
      return null
    }
    const back = await away
    const verdict = await checkMintedTokens(rpc, (await check()).flat(), shop.known())
    back?.()
    await waitUntil(`another ${victim} runs`, () => ![undefined, pid].includes(member.pid), 30_000)
    await member.ready()
    judgeDeath(death, { victim, pid, aim, replies })
    return { ...death, aim, seconds: (now - death.at) / 1_000, verdict }
  }

  /** The whole chain and the whole list of events against everything that was accepted. */
  async function sum(): Promise<{ verdict: ChainVerdict; events: string[] }> {
    return {
      verdict: await checkMintedTokens(rpc, [...shop.accepted.values()], shop.known()),
      events: await shop.wrongEvents(),
    }
  }
  return { platform: fleet.platform, strike, sum, stop }
}

/** Holds the one that comes after a killed process, so that the work is its twin's. @returns what lets it go on */
async function keepAway({ members }: Fleet, victim: FleetMember, killed: number | undefined): Promise<() => void> {
  await waitUntil(`another ${victim} is launched`, () => ![undefined, killed].includes(members[victim].pid), 30_000)
  const { pid } = members[victim]
  if (pid === undefined) throw new Error(`${victim} ended right after its launch`)
  process.kill(pid, 'SIGSTOP')
  return () => {
    process.kill(pid, 'SIGCONT')
  }
}

async function ordersOf(shop: Shop, { role, flow, nth, units }: KillAim): Promise<Order[]> {
  if (flow === 'claim') return shop.claims(units)
  return Promise.all(Array.from({ length: role === 'API' ? nth : 1 }, () => shop.batch(units)))
}

interface Situation {
  victim: FleetMember
  pid: number | undefined
  aim: KillAim
  replies: readonly JobReply[]
}

/** A blow counts when it struck the armed process at work for one of the jobs, and the client was told the truth. */
function judgeDeath({ process, pid, job }: ProcessDeath, situation: Situation): void {
  const {
    victim,
    aim: { role },
    replies,
  } = situation
  expect({ process, pid }).to.deep.equal({ process: victim, pid: situation.pid })
  if (role !== 'signer')
    expect(
      replies.map((reply) => reply.job),
      'the struck job',
    ).to.include(job)
  if (role !== 'API') return
  const lost = replies.filter(({ again }) => again)
  expect(lost, 'answers that were lost').to.deep.equal([{ job, again: true, replayed: true }])
}
