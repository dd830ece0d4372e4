import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { createClient } from 'redis'
import { waitUntil } from '../../../support/processes.ts'
import { listUnits } from '../../../support/rows/queue/units.ts'
import { dueChannel } from '../../../../core/queue/queue.ts'
import { JobNotifier } from '../../../../core/queue/redis/job-notifier.ts'
import { startWorker, type Worker } from '../../../../core/queue/worker.ts'
import { createQueueParts, startUnitsJob, unitsJob, type QueueParts } from '../parts.ts'
import { hasJobEnded, readJobRow, useServers } from '../servers.ts'

describe('Job queue: wake-up over Redis', () => {
  const servers = useServers()
  let parts: QueueParts
  let worker: Worker | undefined

  const work = () => {
    worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'], maxConcurrentJobs: 4 })
  }
  const startMany = (count: number) =>
    Promise.all(Array.from({ length: count }, () => startUnitsJob(parts.context, { units: 2, pause: 20 })))
  const allEnd = async (ids: string[], milliseconds: number) => {
    for (const id of ids) await waitUntil('all end', () => hasJobEnded(servers(), id), milliseconds)
    for (const id of ids) {
      expect((await listUnits(servers(), id)).map(({ unit }) => unit)).to.deep.equal([0, 1])
      expect(await readJobRow(servers(), id)).to.include({ status: 'completed', completed: 2 })
    }
  }
  const connect = () => createClient({ url: servers().redis.url })
  const redis = async <T>(use: (client: ReturnType<typeof connect>) => Promise<T>) => {
    const client = connect()
    await client.connect()
    return use(client).finally(() => client.destroy())
  }

  const ringsOf = async (client: ReturnType<typeof connect>) =>
    (await client.hVals('tessera:jobs:jobs')).map((text) => (JSON.parse(text) as { data: { jobs: string[] } }).data)

  beforeEach(async () => {
    // Tests of other files ring in the same Redis for jobs that nobody takes any more.
    await redis((client) => client.flushAll())
    parts = createQueueParts(servers().database.url, servers().redis.url)
    await waitUntil('the bell hangs', () => parts.context.queue.isReady())
  })
  afterEach(async () => {
    await worker?.stop()
    worker = undefined
    await parts.close()
  })

  it('carries ids only, and keeps nothing of a job that was taken', async () => {
    const ids = await startMany(3)
    await waitUntil('they rang', () =>
      redis(async (client) => (await ringsOf(client)).flatMap(({ jobs }) => jobs).length === 3),
    )
    const rings = await redis(ringsOf)
    for (const ring of rings) expect(ring).to.have.all.keys('jobs')
    expect(rings.flatMap(({ jobs }) => jobs)).to.have.members(ids)
    work()
    await allEnd(ids, 30_000)
    await waitUntil('nothing is left', () =>
      redis(
        async (client) => (await client.hLen('tessera:jobs:jobs')) + (await client.lLen('tessera:jobs:active')) === 0,
      ),
    )
  })

  it('goes without a notice of the database', async () => {
    const { notices, context } = parts
    const heard: string[] = []
    const deafen = notices.subscribe(dueChannel, (payload) => void heard.push(payload))
    await waitUntil('the channel is listened to', () => heard.length === 1)
    context.queue.notifyWorker(randomUUID())
    await waitUntil('it rang', () => redis(async (client) => (await ringsOf(client)).length === 1))
    await notices.notify(context.db, dueChannel, 'later')
    await waitUntil('the later one is heard', () => heard.includes('later'))
    expect(heard).to.deep.equal(['', 'later'])
    deafen()
  })

  it('has ended its connections once it is closed', async () => {
    const sockets: Socket[] = []
    const note = (message: unknown) => {
      const { socket } = message as { socket: Socket }
      socket.once('connect', () => {
        if (socket.remotePort === Number(new URL(servers().redis.url).port)) sockets.push(socket)
      })
    }
    subscribe('net.client.socket', note)
    const notifier = new JobNotifier({ url: servers().redis.url, log: pino({ level: 'silent' }) })
    try {
      await waitUntil('it is connected', () => notifier.ready)
    } finally {
      unsubscribe('net.client.socket', note)
      await notifier.close()
    }
    expect(sockets.map(({ writable }) => writable)).to.deep.equal([false])
  })

  it('keeps no notice that a worker had when it stopped', async () => {
    const [begun, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const handleNotice = () => {
      begun.resolve()
      return going.promise
    }
    const log = pino({ level: 'silent' })
    const stopping = new JobNotifier({
      url: servers().redis.url,
      log,
      listener: { maxConcurrentNotices: 1, handleNotice },
    })
    await waitUntil('it is connected', () => stopping.ready)
    parts.context.queue.notifyWorker(randomUUID())
    await begun.promise
    const stopped = stopping.close()
    going.resolve()
    await stopped
    const left = (client: ReturnType<typeof connect>) =>
      Promise.all([client.hLen('tessera:jobs:jobs'), client.lLen('tessera:jobs:active')])
    expect(await redis(left)).to.deep.equal([0, 0])
  })

  it('loses no job when all of Redis is flushed', async () => {
    const ids = await startMany(12)
    await redis((client) => client.flushAll())
    work()
    await sleep(100)
    ids.push(...(await startMany(6)))
    await redis((client) => client.flushAll())
    await allEnd(ids, 30_000)
  })

  it('loses no job and no speed to speak of while Redis does not answer, and does not grow', async () => {
    work()
    const pid = servers().redis.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    try {
      const ids = await startMany(8)
      for (let round = 0; round < 5_000; round++) parts.context.queue.notifyWorker(ids[0] ?? '')
      await allEnd(ids, 8_000)
      await waitUntil('it is noticed', () => !parts.context.queue.isReady())
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await waitUntil('the bell hangs again', () => parts.context.queue.isReady())
  })

  it('rings again after Redis was killed and came back without the scripts', async () => {
    work()
    const before = servers().redis.pid ?? 0
    // The wait begins before the kill: another Redis may be there before the jobs are.
    const loss = waitUntil('the loss is noticed', () => !parts.context.queue.isReady())
    process.kill(before, 'SIGKILL')
    const [ids] = await Promise.all([startMany(4), loss])
    await waitUntil('another one runs', () => (servers().redis.pid ?? before) !== before)
    await servers().redis.ready()
    await waitUntil('the bell hangs again', () => parts.context.queue.isReady())
    ids.push(...(await startMany(4)))
    await allEnd(ids, 30_000)
  })

  it('starts and works with a Redis that is not there', async () => {
    const absent = createQueueParts(servers().database.url, 'redis://:secret@127.0.0.1:9/3')
    const other = startWorker({ context: absent.context, jobs: [unitsJob], types: ['mint'] })
    try {
      const id = await startUnitsJob(absent.context, { units: 2 })
      await allEnd([id], 30_000)
      expect(absent.context.queue.isReady()).to.equal(false)
      await sleep(500)
    } finally {
      await other.stop()
      await absent.close()
    }
  })

  it('can be taken down at any moment while it is being hung', async () => {
    const failed: unknown[] = []
    const fail = (cause: unknown) => failed.push(cause)
    process.on('unhandledRejection', fail)
    for (let delay = 0; delay < 40; delay++) {
      const { context, close } = createQueueParts(servers().database.url, servers().redis.url)
      await sleep(delay / 2)
      expect(context.queue.isReady()).to.be.a('boolean')
      await close()
    }
    await sleep(50)
    process.off('unhandledRejection', fail)
    expect(failed).to.deep.equal([])
  })
})
