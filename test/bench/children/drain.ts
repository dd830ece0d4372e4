import { once } from 'node:events'
import BeeQueue from 'bee-queue'
import { declareJob } from '../../../core/kernel/job.ts'
import { startWorker } from '../../../core/queue/worker.ts'
import { createQueueParts } from '../../core/queue/parts.ts'

/**
 * Drains jobs that do nothing and reports the milliseconds: `drain.ts ours <database> <redis>` drains the jobs of the
 * table, `drain.ts bare <redis> <queue> <count> <concurrency>` those of a Redis queue. It begins with the first
 * message.
 */
const [kind, ...args] = process.argv.slice(2)

const waitForStart = () => {
  process.send?.({ ready: true })
  return once(process, 'message')
}
const sendResult = (milliseconds: number) => process.send?.({ milliseconds })

async function drainTable(database: string, redis: string): Promise<void> {
  const { context, notices } = createQueueParts(database, redis, 'warn')
  await notices.ready()
  await waitForStart()
  const began = performance.now()
  const emptyJob = declareJob({
    type: 'mint',
    permission: 'dpp:read',
    maxAttempts: 1,
    run: async () => ({ status: 'completed', result: null }),
  })
  startWorker({ context, jobs: [emptyJob], types: ['mint'] })
  for (;;) {
    const { rows } = await context.db.raw<{ rows: unknown[] }>(`select from jobs where status = 'pending' limit 1`)
    if (rows.length === 0) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  sendResult(performance.now() - began)
}

async function drainQueue(url: string, name: string, count: number, concurrency: number): Promise<void> {
  const { hostname, port, password } = new URL(url)
  const queue = new BeeQueue(name, {
    redis: { host: hostname, port: Number(port), password },
    getEvents: false,
    sendEvents: false,
    storeJobs: false,
    removeOnSuccess: true,
  })
  await queue.ready()
  await waitForStart()
  const began = performance.now()
  let done = 0
  queue.on('succeeded', () => {
    if (++done === count) sendResult(performance.now() - began)
  })
  queue.process(concurrency, async () => undefined)
}

process.on('SIGTERM', () => process.exit(0))
process.on('disconnect', () => process.exit(0))
if (kind === 'ours') await drainTable(args[0] ?? '', args[1] ?? '')
else await drainQueue(args[0] ?? '', args[1] ?? '', Number(args[2]), Number(args[3]))
