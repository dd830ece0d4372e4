import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createClient } from 'redis'
import { eventually } from '../../support/processes.ts'
import { startWorker, type Worker } from '../../../core/queue/worker.ts'
import { partsOf, startUnits, unitsJob, type QueueParts } from './parts.ts'
import { hasEnded, jobRow, unitsOf, useServers } from './servers.ts'

describe('the doorbell on Redis', () => {
  const servers = useServers()
  let parts: QueueParts
  let worker: Worker | undefined

  const work = () => { worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'], concurrency: 4 }) }
  const startMany = (count: number) => Promise.all(Array.from({ length: count }, () => startUnits(parts.context, { units: 2, pause: 20 })))
  const allEnd = async (ids: string[], milliseconds: number) => {
    for (const id of ids) await eventually('all end', () => hasEnded(servers(), id), milliseconds)
    for (const id of ids) {
      expect((await unitsOf(servers(), id)).map(({ unit }) => unit)).to.deep.equal([0, 1])
      expect(await jobRow(servers(), id)).to.include({ status: 'completed', completed: 2 })
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
    parts = partsOf(servers().database.url, servers().redis.url)
    await eventually('the bell hangs', () => parts.context.queue.ready())
  })
  afterEach(async () => {
    await worker?.stop()
    worker = undefined
    await parts.close()
  })

  it('carries ids only, and keeps nothing of a job that was taken', async () => {
    const ids = await startMany(3)
    await eventually('they rang', () => redis(async (client) => (await ringsOf(client)).flatMap(({ jobs }) => jobs).length === 3))
    const rings = await redis(ringsOf)
    for (const ring of rings) expect(ring).to.have.all.keys('jobs')
    expect(rings.flatMap(({ jobs }) => jobs)).to.have.members(ids)
    work()
    await allEnd(ids, 30_000)
    await eventually('nothing is left', () => redis(async (client) =>
      await client.hLen('tessera:jobs:jobs') + await client.lLen('tessera:jobs:active') === 0))
  })

  it('loses no job when all of Redis is flushed', async () => {
    const ids = await startMany(12)
    await redis((client) => client.flushAll())
    work()
    await sleep(100)
    ids.push(...await startMany(6))
    await redis((client) => client.flushAll())
    await allEnd(ids, 30_000)
  })

  it('loses no job and no speed to speak of while Redis does not answer, and does not grow', async () => {
    work()
    const pid = servers().redis.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    try {
      const ids = await startMany(8)
      for (let round = 0; round < 5_000; round++) parts.context.queue.ring(ids[0] ?? '')
      await allEnd(ids, 8_000)
      await eventually('it is noticed', () => !parts.context.queue.ready())
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await eventually('the bell hangs again', () => parts.context.queue.ready())
  })

  it('rings again after Redis was killed and came back without the scripts', async () => {
    work()
    const before = servers().redis.pid ?? 0
    process.kill(before, 'SIGKILL')
    const ids = await startMany(4)
    await eventually('the loss is noticed', () => !parts.context.queue.ready())
    await eventually('another one runs', () => (servers().redis.pid ?? before) !== before)
    await servers().redis.ready()
    await eventually('the bell hangs again', () => parts.context.queue.ready())
    ids.push(...await startMany(4))
    await allEnd(ids, 30_000)
  })

  it('starts and works with a Redis that is not there', async () => {
    const absent = partsOf(servers().database.url, 'redis://:secret@127.0.0.1:9/3')
    const other = startWorker({ context: absent.context, jobs: [unitsJob], types: ['mint'] })
    try {
      const id = await startUnits(absent.context, { units: 2 })
      await allEnd([id], 30_000)
      expect(absent.context.queue.ready()).to.equal(false)
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
      const { context, close } = partsOf(servers().database.url, servers().redis.url)
      await sleep(delay / 2)
      expect(context.queue.ready()).to.be.a('boolean')
      await close()
    }
    await sleep(50)
    process.off('unhandledRejection', fail)
    expect(failed).to.deep.equal([])
  })
})
