import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ChildName } from '../../core/start/platform.ts'
import { startPlatform, type OwnPlatform } from '../support/platform.ts'
import { eventually } from '../support/processes.ts'
import { ended, type Reply } from './asking.ts'
import { isWhole, judge, type Verdict } from './judge.ts'
import { openShop, type Order, type Shop } from './shop.ts'
import { deathOf, sendAll, type Death } from './strikes.ts'

export const flows = ['mint', 'claim'] as const
export const steps = ['row-stored', 'tx.stored', 'tx.broadcast', 'tx.receipt', 'unit.between'] as const
export type Flow = (typeof flows)[number]
export type Step = (typeof steps)[number]

/** A kill to be: the `nth` time that the process comes to the point, with so many units (rows, claims) on their way. */
export interface Plan { flow: Flow; step: Step; nth: number; units: number }

/** A kill that struck a job at work, and what came of it. */
export interface Kill extends Omit<Death, 'at'> {
  flow: Flow
  nth: number
  /** Jobs that were under way, the struck one among them. */
  jobs: string[]
  /** Seconds between the death and the end of the last of them. */
  seconds: number
  verdict: Verdict
}

type Place = Pick<Plan, 'flow' | 'step'>

export const pointOf = ({ flow, step }: Place) => (step === 'row-stored' ? `${flow}.row-stored` : step)
const processOf = ({ step }: Place): ChildName => (step === 'row-stored' ? 'server' : 'worker')

/** A platform whose processes can be armed while they run, and a customer of it. */
export async function openArena() {
  const platform = await startPlatform({ env: { TESSERA_FAULT: 'none' }, patience: { pause: 200 } })
  try {
    return arenaOf(platform, await openShop(platform))
  } catch (cause) {
    await platform.stop()
    throw cause
  }
}
export type Arena = Awaited<ReturnType<typeof openArena>>

function arenaOf(platform: OwnPlatform, shop: Shop) {
  const { children, lines, rpc } = platform
  /** The kill, or null when the work was done without coming to the point so often. */
  async function strike(plan: Plan): Promise<Kill | null> {
    const name = processOf(plan)
    const orders = await ordersOf(shop, plan)
    const { pid } = children[name]
    const from = lines.length
    children[name].arm(`${pointOf(plan)}:${plan.nth}`)
    const struck = deathOf(() => lines.slice(from), pointOf(plan))
    const replies = await sendAll(orders, name === 'server')
    const jobs = replies.map(({ job }) => job)
    const end = Promise.all(orders.map((order, at) => ended(() => order.status(jobs[at] ?? ''))))
    const [death] = await Promise.all([Promise.race([struck.death, end.then(() => null)]), end])
    const now = Date.now()
    struck.stop()
    const made = await Promise.all(orders.map((order, at) => order.check(jobs[at] ?? '')))
    const verdict = await judge(rpc, made.flat(), shop.known())
    if (!death) {
      children[name].arm('none')
      return null
    }
    await eventually(`another ${name} runs`, () => ![undefined, pid].includes(children[name].pid), 30_000)
    await children[name].ready()
    judgeDeath(death, { name, pid, jobs, replies })
    const { at, ...described } = death
    return { ...described, flow: plan.flow, nth: plan.nth, jobs, seconds: (now - at) / 1000, verdict }
  }

  /** The whole chain and the whole list of events against everything that was accepted. */
  async function sum(): Promise<{ verdict: Verdict; events: string[] }> {
    return { verdict: await judge(rpc, [...shop.accepted.values()], shop.known()), events: await shop.wrongEvents() }
  }
  return { platform, shop, strike, sum, stop: platform.stop }
}

async function ordersOf(shop: Shop, { flow, step, nth, units }: Plan): Promise<Order[]> {
  if (flow === 'claim') return shop.claims(units)
  return Promise.all(Array.from({ length: step === 'row-stored' ? nth : 1 }, () => shop.batch(units)))
}

interface Situation { name: ChildName; pid: number | undefined; jobs: readonly string[]; replies: readonly Reply[] }

/** A kill counts when it struck the armed process at work for one of the jobs, and the client was told the truth. */
function judgeDeath({ process, pid, job, step }: Death, situation: Situation): void {
  expect({ process, pid }).to.deep.equal({ process: situation.name, pid: situation.pid })
  expect(situation.jobs, 'the struck job').to.include(job)
  expect(step, 'the step that was struck').to.be.a('string').with.length.above(0)
  if (situation.name !== 'server') return
  const lost = situation.replies.filter(({ again }) => again)
  expect(lost, 'answers that were lost').to.deep.equal([{ job, again: true, replayed: true }])
}

/** Demands that a kill lost nothing and doubled nothing. */
export function expectWhole(verdict: Verdict, what: string): void {
  const { lost, duplicates, foreign, astray } = verdict
  const wrong = JSON.stringify({ lost, duplicates, foreign, astray })
  expect(isWhole(verdict) && verdict.found === verdict.expected, `${what}: ${wrong}`).to.equal(true)
}

/** For a hook after each test: keeps what the processes wrote when the test failed. */
export function keepLines({ currentTest }: Mocha.Context, platform: OwnPlatform | undefined): void {
  if (currentTest?.state !== 'failed' || !platform) return
  const file = join(tmpdir(), `tessera-faults-${process.pid}-${Date.now()}.log`)
  writeFileSync(file, platform.lines.join('\n'))
  process.stdout.write(`      What the processes wrote: ${file}\n`)
}
