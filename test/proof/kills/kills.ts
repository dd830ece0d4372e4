import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ChildName } from '../../../core/start/platform.ts'
import { runAdmin } from '../../support/admin-command.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { waitForJobEnd, type JobReply } from '../stage/retried-requests.ts'
import { isVerdictClean, checkMintedTokens, type ChainVerdict } from '../stage/minted-tokens.ts'
import { openShop, type Order, type Shop } from '../stage/shop.ts'
import { waitForDeath, sendAll, type ProcessDeath } from '../stage/process-deaths.ts'

export const killFlows = ['mint', 'claim'] as const
export const killSteps = ['row-stored', 'tx.stored', 'tx.broadcast', 'tx.receipt', 'unit.between'] as const
export type KillFlow = (typeof killFlows)[number]
export type KillStep = (typeof killSteps)[number]

/** A kill to be: the `nth` time that the process comes to the point, with so many units (rows, claims) on their way. */
export interface KillPlan {
  flow: KillFlow
  step: KillStep
  nth: number
  units: number
}

/** A kill that struck a job at work, and what came of it. */
export interface KillRecord extends Omit<ProcessDeath, 'at'> {
  flow: KillFlow
  nth: number
  /** Jobs that were under way, the struck one among them. */
  jobs: string[]
  /** Seconds between the death and the end of the last of them. */
  seconds: number
  verdict: ChainVerdict
}

type Place = Pick<KillPlan, 'flow' | 'step'>

export const getFaultPoint = ({ flow, step }: Place) => (step === 'row-stored' ? `${flow}.row-stored` : step)
const processOf = ({ step }: Place): ChildName => (step === 'row-stored' ? 'server' : 'worker')

/** A platform whose processes can be armed while they run, and a customer of it. */
export async function openKillPlatform() {
  const platform = await startPlatform({ env: { TESSERA_FAULT: 'none' }, keeperDelays: { maxMs: 200 } })
  try {
    return arenaOf(platform, await openShop(platform))
  } catch (cause) {
    await platform.stop()
    throw cause
  }
}
export type KillPlatform = Awaited<ReturnType<typeof openKillPlatform>>

function arenaOf(platform: OwnPlatform, shop: Shop) {
  const { children, lines, rpc } = platform
  /** The kill, or null when the work was done without coming to the point so often. */
  async function strike(plan: KillPlan): Promise<KillRecord | null> {
    const name = processOf(plan)
    const orders = await ordersOf(shop, plan)
    const { pid } = children[name]
    const from = lines.length
    children[name].arm(`${getFaultPoint(plan)}:${plan.nth}`)
    const struck = waitForDeath(() => lines.slice(from), getFaultPoint(plan))
    const replies = await sendAll(orders, name === 'server')
    const jobs = replies.map(({ job }) => job)
    const end = Promise.all(orders.map((order, at) => waitForJobEnd(() => order.status(jobs[at] ?? ''))))
    const [death] = await Promise.all([Promise.race([struck.death, end.then(() => null)]), end])
    const now = Date.now()
    struck.stop()
    const made = await Promise.all(orders.map((order, at) => order.check(jobs[at] ?? '')))
    const verdict = await checkMintedTokens(rpc, made.flat(), shop.known())
    if (!death) {
      children[name].arm('none')
      return null
    }
    await waitUntil(`another ${name} runs`, () => ![undefined, pid].includes(children[name].pid), 30_000)
    await children[name].ready()
    judgeDeath(death, { name, pid, jobs, replies })
    const { at, ...described } = death
    return { ...described, flow: plan.flow, nth: plan.nth, jobs, seconds: (now - at) / 1000, verdict }
  }

  /** The whole chain and the whole list of events against everything that was accepted. */
  async function sum(): Promise<{ verdict: ChainVerdict; events: string[] }> {
    return {
      verdict: await checkMintedTokens(rpc, [...shop.accepted.values()], shop.known()),
      events: await shop.wrongEvents(),
    }
  }
  /** What `admin quotas verify` says: the meters against the rows of all that was made. */
  async function verifyMeters(): Promise<{ checked: number; differences: unknown[] }> {
    const { code, json, err } = await runAdmin(platform.dataDir, 'quotas', 'verify', '--json')
    expect(code, err).to.equal(0)
    return json as unknown as { checked: number; differences: unknown[] }
  }
  return { platform, shop, strike, sum, verifyMeters, stop: platform.stop }
}

async function ordersOf(shop: Shop, { flow, step, nth, units }: KillPlan): Promise<Order[]> {
  if (flow === 'claim') return shop.claims(units)
  return Promise.all(Array.from({ length: step === 'row-stored' ? nth : 1 }, () => shop.batch(units)))
}

interface Situation {
  name: ChildName
  pid: number | undefined
  jobs: readonly string[]
  replies: readonly JobReply[]
}

/** A kill counts when it struck the armed process at work for one of the jobs, and the client was told the truth. */
function judgeDeath({ process, pid, job, step }: ProcessDeath, situation: Situation): void {
  expect({ process, pid }).to.deep.equal({ process: situation.name, pid: situation.pid })
  expect(situation.jobs, 'the struck job').to.include(job)
  expect(step, 'the step that was struck').to.be.a('string').with.length.above(0)
  if (situation.name !== 'server') return
  const lost = situation.replies.filter(({ again }) => again)
  expect(lost, 'answers that were lost').to.deep.equal([{ job, again: true, replayed: true }])
}

/** Demands that a kill lost nothing and doubled nothing. */
export function expectWhole(verdict: ChainVerdict, what: string): void {
  const { lost, duplicates, foreign, astray } = verdict
  const wrong = JSON.stringify({ lost, duplicates, foreign, astray })
  expect(isVerdictClean(verdict) && verdict.found === verdict.expected, `${what}: ${wrong}`).to.equal(true)
}

/** For a hook after each test: keeps what the processes wrote when the test failed. */
export function keepPlatformLines({ currentTest }: Mocha.Context, platform: OwnPlatform | undefined): void {
  if (currentTest?.state !== 'failed' || !platform) return
  const file = join(tmpdir(), `tessera-faults-${process.pid}-${Date.now()}.log`)
  writeFileSync(file, platform.lines.join('\n'))
  process.stdout.write(`      What the processes wrote: ${file}\n`)
}
