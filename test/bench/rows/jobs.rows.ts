import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import BeeQueue from 'bee-queue'
import { tidyTables } from '../data.ts'
import { createAbsoluteFigure, atLeast, computeMedian, atMost, createRatioFigure, type Figure } from '../figures.ts'
import { startPinnedProcess, type PinnedProcess } from '../pinned-process.ts'
import type { BenchSetup } from '../bench-setup.ts'

const drainEntry = 'test/bench/children/drain.ts'
const turnCount = 3
/** The concurrency at which the bare queue is fastest, of those tried (8, 20, 50, 100, 200). */
const bareConcurrency = 50

/**
 * Measures how many jobs per second a worker drains from PostgreSQL, next to a bare queue, and the recovery after a
 * kill.
 */
export async function measureJobs(stand: BenchSetup): Promise<Figure[]> {
  const count = stand.options.quick ? 2_000 : 20_000
  const [ours, bare]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < turnCount; turn++) {
    bare.push(await measureBareDrain(stand, count))
    ours.push(await measureDrain(stand, count, turn === turnCount - 1))
  }
  const recoveries = [await measureRecovery(stand), await measureRecovery(stand), await measureRecovery(stand)]
  return [
    createRatioFigure({
      row: 'jobs',
      what: `${count.toLocaleString('en')} jobs, the rows committed in PostgreSQL, drained by one worker`,
      unit: 'jobs/s',
      baseline: { name: 'bee-queue bare', value: computeMedian(bare) },
      ours: computeMedian(ours),
      target: atLeast(0.4),
    }),
    createAbsoluteFigure({
      row: 'jobs',
      what: 'a worker killed with -9: until its job runs elsewhere, the longest of 3',
      unit: 's',
      ours: Math.max(...recoveries),
      target: atMost(5),
    }),
  ]
}

const addJobs = `
  insert into jobs (id, type, organization, total, payload)
  select uuidv7(), 'mint', ?::uuid, 1, 'null'::jsonb from generate_series(1, ?::int)`

/** @param isLast whether this is the last run, which leaves the profile if one is requested */
async function measureDrain(
  { db, databaseUrl, redisUrl, env, facts, profileOf }: BenchSetup,
  count: number,
  isLast: boolean,
): Promise<number> {
  await db.raw(addJobs, [facts.organization, count])
  const profile = isLast ? profileOf('worker') : undefined
  const worker = await startPinnedProcess({
    name: 'worker',
    entry: drainEntry,
    args: ['ours', databaseUrl, redisUrl],
    env,
    profile,
  })
  try {
    return await measureJobsPerSecond(worker, count)
  } finally {
    await worker.stop()
    await db('jobs').delete()
    await tidyTables(db)
  }
}

async function measureBareDrain({ redisUrl, env }: BenchSetup, count: number): Promise<number> {
  const name = `bench-${randomUUID()}`
  const { hostname, port, password } = new URL(redisUrl)
  const queue = new BeeQueue<null>(name, {
    redis: { host: hostname, port: Number(port), password },
    isWorker: false,
    getEvents: false,
    storeJobs: false,
  })
  const args = ['bare', redisUrl, name, `${count}`, `${bareConcurrency}`]
  const worker = await startPinnedProcess({ name: 'bare', entry: drainEntry, args, env })
  try {
    await queue.saveAll(Array.from({ length: count }, () => queue.createJob(null)))
    return await measureJobsPerSecond(worker, count)
  } finally {
    await worker.stop()
    await queue.destroy()
    await queue.close()
  }
}

async function measureJobsPerSecond({ child }: PinnedProcess, count: number): Promise<number> {
  child.send('go')
  const { milliseconds } = await waitForMessage<{ milliseconds: number }>(child, 'milliseconds')
  return count / (milliseconds / 1000)
}

/** Measures the seconds from the kill of a worker until another worker runs its job. */
async function measureRecovery({ db, databaseUrl, redisUrl, env, facts }: BenchSetup): Promise<number> {
  const start = () =>
    startPinnedProcess({
      name: 'holder',
      entry: 'test/bench/children/holder.ts',
      args: [databaseUrl, redisUrl],
      env,
      pinned: false,
    })
  const victim = await start()
  const jobTaken = waitForMessage(victim.child, 'began')
  await db.raw(addJobs, [facts.organization, 1])
  await jobTaken
  const heir = await start()
  const jobTakenOver = waitForMessage<{ began: number }>(heir.child, 'began')
  try {
    const killed = Date.now()
    victim.child.kill('SIGKILL')
    return ((await jobTakenOver).began - killed) / 1000
  } finally {
    await heir.stop()
    await db('jobs').delete()
  }
}

/** Waits for the first message of a process that has this member. */
async function waitForMessage<T>(child: PinnedProcess['child'], member: string): Promise<T> {
  for (;;) {
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [null])])) as [
      unknown,
    ]
    if (message === null) throw new Error('A process of the bench ended before its time')
    if (typeof message === 'object' && message !== null && member in message) return message as T
  }
}
