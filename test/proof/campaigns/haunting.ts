import { setTimeout as sleep } from 'node:timers/promises'
import type { KeptChild } from '../../../core/start/children.ts'
import { waitUntil } from '../../support/processes.ts'

export const campaignPoints = ['campaign.freezing', 'campaign.taken', 'campaign.pushing', 'campaign.pushed'] as const
export type CampaignPoint = (typeof campaignPoints)[number]

/** A kill of a worker that struck while campaigns were sent. */
export interface WorkerKill {
  worker: string
  /** Null for a moment that nobody chose. */
  point: CampaignPoint | null
  /** Seconds until another worker was there. */
  seconds: number
}

interface Haunting {
  workers: readonly KeptChild[]
  lines: readonly string[]
  random: () => number
  /** Asked before each kill. */
  isOver: () => boolean
  /** Whether a kill at this moment would strike campaigns at work. */
  isSending: () => Promise<boolean>
  onKill: (kill: WorkerKill) => void
}

/**
 * How long a worker that is to die at a point is waited for, and how long one lives that dies at any moment, in
 * milliseconds: long enough to see that another one is gone, and to take its campaigns.
 */
const patienceMs = 6_000
const life = { minMs: 500, maxMs: 4_000 } as const
/** The share of deaths at points. */
const pointShare = 0.7

/** Kills workers again and again, each as soon as it is back, until it is over. Then all of them run. */
export async function hauntWorkers(haunting: Haunting): Promise<void> {
  await Promise.all(haunting.workers.map((worker) => hauntWorker(worker, haunting)))
}

async function hauntWorker(worker: KeptChild, { lines, random, isOver, isSending, onKill }: Haunting): Promise<void> {
  for (let isFirst = true; !isOver(); isFirst = false) {
    await worker.ready()
    const { pid } = worker
    if (pid === undefined) continue
    const point = random() < pointShare ? choosePoint(random, isFirst) : null
    const from = lines.length
    const hasStruck = () =>
      lines.slice(from).some((line) => line.includes('"struck"') && line.includes(`"pid":${pid},`))
    if (point !== null) {
      worker.arm(`${point}:${1 + Math.floor(random() * 2)}`)
      for (const end = Date.now() + patienceMs; Date.now() < end && !hasStruck() && !isOver();) await sleep(10)
    } else await sleep(life.minMs + random() * (life.maxMs - life.minMs))
    const isStruck = hasStruck()
    if (!isStruck) {
      worker.arm('none')
      if (isOver() || !(await isSending())) continue
      // It may come to the point in the last moment.
      if (worker.pid === pid) process.kill(pid, 'SIGKILL')
    }
    const diedAt = performance.now()
    await waitUntil(`another ${worker.name} runs`, () => ![undefined, pid].includes(worker.pid))
    await worker.ready()
    onKill({ worker: worker.name, point: hasStruck() ? point : null, seconds: (performance.now() - diedAt) / 1_000 })
  }
  await worker.ready()
}

/** Freezing comes once for each campaign, at its beginning. */
const choosePoint = (random: () => number, isFirst: boolean): CampaignPoint =>
  isFirst ? 'campaign.freezing' : campaignPoints[1 + Math.floor(random() * (campaignPoints.length - 1))]!
