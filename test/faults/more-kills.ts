import { expect } from 'chai'
import { eventually } from '../support/processes.ts'
import { ended, type Reply } from './asking.ts'
import { balance, type Balancer } from './balancer.ts'
import { openFleet, sendingWorker, type Fleet, type Member } from './fleet.ts'
import { judge, type Verdict } from './judge.ts'
import type { Flow } from './kills.ts'
import { between } from './plans.ts'
import { openShop, type Order, type Shop } from './shop.ts'
import { deathOf, sendAll, type Death } from './strikes.ts'

/** What a fleet is made of. The sender lives in the worker that has the lease of its address. */
export const roles = ['API', 'worker', 'sender', 'signer'] as const
export type Role = (typeof roles)[number]

/** A kill to be: the `nth` time that the process comes to the point, with so many units (rows, claims) on their way. */
export interface Aim { role: Role; flow: Flow; point: string; nth: number; units: number }

/** A kill that struck work under way, and what came of it. */
export interface Blow extends Death {
  aim: Aim
  /** Seconds between the death and the end of the last job that was under way. */
  seconds: number
  verdict: Verdict
}

const places: readonly { role: Role; flow: Flow; point: string; times: number }[] = [
  { role: 'API', flow: 'mint', point: 'mint.row-stored', times: 4 },
  { role: 'API', flow: 'claim', point: 'claim.row-stored', times: 4 },
  { role: 'worker', flow: 'claim', point: 'unit.between', times: 8 },
  ...(['tx.stored', 'tx.broadcast', 'tx.receipt', 'unit.between'] as const).map((point) => (
    { role: 'sender', flow: 'mint', point, times: 4 } as const)),
  ...(['tx.stored', 'tx.broadcast', 'tx.receipt'] as const).map((point) => (
    { role: 'sender', flow: 'claim', point, times: 4 } as const)),
  { role: 'signer', flow: 'mint', point: 'signature.stored', times: 3 },
  { role: 'signer', flow: 'claim', point: 'signature.stored', times: 3 },
]

/** Fifty kills, at moments that the numbers choose. */
export const aimsOf = (random: () => number): Aim[] => places.flatMap(({ times, ...place }) =>
  Array.from({ length: times }, () => ({ ...place, ...momentOf(random, place) })))

/** Rows that a full transaction has; a batch of more takes several. */
const full = 500

function momentOf(random: () => number, { role, flow, point }: Pick<Aim, 'role' | 'flow' | 'point'>) {
  // Both workers have claims in hand: with a dozen, the one that is aimed at has some.
  if (role === 'worker') return { units: 12, nth: between(random, 1, 3) }
  if (flow === 'claim') {
    const units = between(random, 2, 6)
    return { units, nth: point === 'tx.receipt' ? 1 : between(random, 1, units) }
  }
  if (role === 'API') return { units: between(random, 1, 80), nth: between(random, 1, 3) }
  if (point === 'unit.between') return { units: between(random, 2 * full, 3 * full), nth: 1 }
  if (point === 'tx.receipt') return { units: between(random, 1, 2 * full), nth: 1 }
  const nth = between(random, 1, 3)
  return { units: (nth - 1) * full + between(random, 1, full / 2), nth }
}

/** Two of everything behind a balancer, all of it ready to be armed, and a customer. */
export async function openFront() {
  const fleet = await openFleet({ env: { TESSERA_FAULT: 'none' }, patience: { pause: 200 } })
  const balancer = await balance(fleet.apis)
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
export type Front = Awaited<ReturnType<typeof openFront>>

function frontOf(fleet: Fleet, balancer: Balancer, shop: Shop, stop: () => Promise<void>) {
  const { platform: { lines, rpc }, members } = fleet
  let turn = 0

  async function victimOf({ role }: Aim): Promise<Member> {
    if (role === 'signer') return 'signer'
    if (role === 'API') return turn++ % 2 === 0 ? 'server' : 'server2'
    const sender = await sendingWorker(fleet)
    if (!sender) throw new Error('no worker has the lease of the sender')
    return role === 'sender' ? sender : sender === 'worker' ? 'worker2' : 'worker'
  }

  /** The blow, or null when the work was done without coming to the point so often. */
  async function strike(aim: Aim): Promise<Blow | null> {
    const victim = await victimOf(aim)
    const member = members[victim]
    await balancer.prefer(victim === 'server2' ? 1 : 0)
    const orders = await ordersOf(shop, aim)
    const { pid } = member
    const from = lines.length
    member.arm(`${aim.point}:${aim.nth}`)
    const struck = deathOf(() => lines.slice(from), aim.point)
    const away = struck.death.then(() => (victim === 'signer' ? undefined : keepAway(fleet, victim, pid)))
    away.catch(() => undefined)
    const replies = await sendAll(orders, aim.role === 'API')
    const end = Promise.all(orders.map((order, at) => ended(() => order.status(replies[at]?.job ?? ''))))
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
    const verdict = await judge(rpc, (await check()).flat(), shop.known())
    back?.()
    await eventually(`another ${victim} runs`, () => ![undefined, pid].includes(member.pid), 30_000)
    await member.ready()
    judgeDeath(death, { victim, pid, aim, replies })
    return { ...death, aim, seconds: (now - death.at) / 1_000, verdict }
  }

  /** The whole chain and the whole list of events against everything that was accepted. */
  async function sum(): Promise<{ verdict: Verdict; events: string[] }> {
    return { verdict: await judge(rpc, [...shop.accepted.values()], shop.known()), events: await shop.wrongEvents() }
  }
  return { platform: fleet.platform, strike, sum, stop }
}

/** Holds the one that comes after a killed process, so that the work is its twin's. @returns what lets it go on */
async function keepAway({ members }: Fleet, victim: Member, killed: number | undefined): Promise<() => void> {
  await eventually(`another ${victim} is launched`, () => ![undefined, killed].includes(members[victim].pid), 30_000)
  const { pid } = members[victim]
  if (pid === undefined) throw new Error(`${victim} ended right after its launch`)
  process.kill(pid, 'SIGSTOP')
  return () => { process.kill(pid, 'SIGCONT') }
}

async function ordersOf(shop: Shop, { role, flow, nth, units }: Aim): Promise<Order[]> {
  if (flow === 'claim') return shop.claims(units)
  return Promise.all(Array.from({ length: role === 'API' ? nth : 1 }, () => shop.batch(units)))
}

interface Situation { victim: Member; pid: number | undefined; aim: Aim; replies: readonly Reply[] }

/** A blow counts when it struck the armed process at work for one of the jobs, and the client was told the truth. */
function judgeDeath({ process, pid, job }: Death, situation: Situation): void {
  const { victim, aim: { role }, replies } = situation
  expect({ process, pid }).to.deep.equal({ process: victim, pid: situation.pid })
  if (role !== 'signer') expect(replies.map((reply) => reply.job), 'the struck job').to.include(job)
  if (role !== 'API') return
  const lost = replies.filter(({ again }) => again)
  expect(lost, 'answers that were lost').to.deep.equal([{ job, again: true, replayed: true }])
}
