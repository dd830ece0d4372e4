import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import BeeQueue from 'bee-queue'
import { tidy } from './data.ts'
import { itself, least, median, most, ratio, type Figure } from './figures.ts'
import { startPinned, type PinnedProcess } from './pinned.ts'
import type { Stand } from './stand.ts'

const drain = 'test/bench/children/drain.ts'
const turns = 3
/** Of those tried (8, 20, 50, 100, 200) the one with which the bare queue is quickest. */
const bareConcurrency = 50

/** Jobs a second that a worker drains when their rows are in PostgreSQL, beside a bare queue; and what a kill costs. */
export async function jobsRow(stand: Stand): Promise<Figure[]> {
  const count = stand.options.quick ? 2_000 : 20_000
  const [ours, bare]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < turns; turn++) {
    bare.push(await drainedBare(stand, count))
    ours.push(await drained(stand, count, turn === turns - 1))
  }
  const recoveries = [await recovery(stand), await recovery(stand), await recovery(stand)]
  return [
    ratio({
      row: 'jobs',
      what: `${count.toLocaleString('en')} jobs, the rows committed in PostgreSQL, drained by one worker`,
      unit: 'jobs/s',
      baseline: { name: 'bee-queue bare', value: median(bare) },
      ours: median(ours),
      target: least(0.4),
    }),
    itself({
      row: 'jobs',
      what: 'a worker killed with -9: until its job runs elsewhere, the longest of 3',
      unit: 's',
      ours: Math.max(...recoveries),
      target: most(5),
    }),
  ]
}

const addJobs = `
  insert into jobs (id, type, organization, total, payload)
  select uuidv7(), 'mint', ?::uuid, 1, 'null'::jsonb from generate_series(1, ?::int)`

/** @param last the run that leaves a profile, when one is asked for */
async function drained(
  { db, databaseUrl, redisUrl, env, facts, profileOf }: Stand,
  count: number,
  last: boolean,
): Promise<number> {
  await db.raw(addJobs, [facts.organization, count])
  const profile = last ? profileOf('worker') : undefined
  const worker = await startPinned({
    name: 'worker',
    entry: drain,
    args: ['ours', databaseUrl, redisUrl],
    env,
    profile,
  })
  try {
    return await perSecond(worker, count)
  } finally {
    await worker.stop()
    await db('jobs').delete()
    await tidy(db)
  }
}

async function drainedBare({ redisUrl, env }: Stand, count: number): Promise<number> {
  const name = `bench-${randomUUID()}`
  const { hostname, port, password } = new URL(redisUrl)
  const queue = new BeeQueue<null>(name, {
    redis: { host: hostname, port: Number(port), password },
    isWorker: false,
    getEvents: false,
    storeJobs: false,
  })
  const args = ['bare', redisUrl, name, `${count}`, `${bareConcurrency}`]
  const worker = await startPinned({ name: 'bare', entry: drain, args, env })
  try {
    await queue.saveAll(Array.from({ length: count }, () => queue.createJob(null)))
    return await perSecond(worker, count)
  } finally {
    await worker.stop()
    await queue.destroy()
    await queue.close()
  }
}

async function perSecond({ child }: PinnedProcess, count: number): Promise<number> {
  child.send('go')
  const { milliseconds } = await said<{ milliseconds: number }>(child, 'milliseconds')
  return count / (milliseconds / 1000)
}

/** Seconds from the kill of a worker until another one runs its job. */
async function recovery({ db, databaseUrl, redisUrl, env, facts }: Stand): Promise<number> {
  const start = () =>
    startPinned({
      name: 'holder',
      entry: 'test/bench/children/holder.ts',
      args: [databaseUrl, redisUrl],
      env,
      pinned: false,
    })
  const victim = await start()
  const held = said(victim.child, 'began')
  await db.raw(addJobs, [facts.organization, 1])
  await held
  const heir = await start()
  const taken = said<{ began: number }>(heir.child, 'began')
  try {
    const killed = Date.now()
    victim.child.kill('SIGKILL')
    return ((await taken).began - killed) / 1000
  } finally {
    await heir.stop()
    await db('jobs').delete()
  }
}

/** The first message of a process that has this member. */
async function said<T>(child: PinnedProcess['child'], member: string): Promise<T> {
  for (;;) {
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [null])])) as [
      unknown,
    ]
    if (message === null) throw new Error('A process of the bench ended before its time')
    if (typeof message === 'object' && message !== null && member in message) return message as T
  }
}
