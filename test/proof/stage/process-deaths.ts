import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { JobReply } from './retried-requests.ts'
import type { Order } from './shop.ts'

/** What a process wrote in the moment of its death, and when that was seen, in milliseconds. */
export interface ProcessDeath {
  process: string
  pid: number
  point: string
  job: string
  step: string
  at: number
}

/** Waits for the line that a struck process leaves. */
export function waitForDeath(linesNow: () => string[], point: string) {
  const stopping = new AbortController()
  const look = async (): Promise<ProcessDeath> => {
    for (;;) {
      const line = linesNow().find((text) => text.includes('"struck"'))
      if (line !== undefined) {
        const [name = ''] = line.split(' ', 1)
        const struck = JSON.parse(line.slice(line.indexOf('{'))) as Omit<ProcessDeath, 'process' | 'at'>
        expect(struck.point).to.equal(point)
        const { pid, job, step } = struck
        return { process: name, pid, point, job, step, at: Date.now() }
      }
      await sleep(5, undefined, { signal: stopping.signal })
    }
  }
  const death = look()
  death.catch((cause: Error) => {
    if (cause.name !== 'AbortError') throw cause
  })
  return { death, stop: () => stopping.abort() }
}

/** One after the other where the API is to die: whoever loses the answer is known then. */
export async function sendAll(orders: readonly Order[], inTurn: boolean): Promise<JobReply[]> {
  if (!inTurn) return Promise.all(orders.map((order) => order.send()))
  const replies: JobReply[] = []
  for (const order of orders) replies.push(await order.send())
  return replies
}
