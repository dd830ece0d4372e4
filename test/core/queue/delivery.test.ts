import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../../support/processes.ts'
import { job } from '../../../core/kernel/job.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../../core/queue/worker.ts'
import { dueChannel } from '../../../core/queue/queue.ts'
import { organization, partsOf, start, startUnits, unitsJob, type QueueParts } from './parts.ts'
import { endChild, hasEnded, jobRow, startChild, unitsOf, useServers } from './servers.ts'

describe('job delivery', () => {
  const servers = useServers()
  let parts: QueueParts
  let worker: Worker | undefined

  const work = (options: Partial<WorkerOptions> = {}) => {
    worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'], ...options })
  }
  /** Jobs one after the other, in less time than one sweep for each takes. */
  async function quickly(context: QueueParts['context'], units: number): Promise<string[]> {
    const ids: string[] = []
    const started = Date.now()
    for (let round = 0; round < 10; round++) {
      const id = await startUnits(context, { units })
      await eventually('it ends', () => hasEnded(servers(), id))
      ids.push(id)
    }
    expect(Date.now() - started).to.be.below(8_000)
    return ids
  }
  before(() => { parts = partsOf(servers().database.url, servers().redis.url) })
  after(() => parts.close())
  afterEach(async () => {
    await worker?.stop()
    worker = undefined
  })

  it('runs a job that was rung at once, and says what came of it', async () => {
    work()
    await eventually('the bell hangs', () => parts.context.queue.ready())
    const [id = ''] = await quickly(parts.context, 3)
    const row = await jobRow(servers(), id)
    expect(row).to.include({ status: 'completed', organization, completed: 3, failed: 0, total: 3, lease_holder: null })
    expect(row.result).to.deep.equal({ units: 3 })
  })

  it('finds a job that nobody rang for within about a second', async () => {
    work()
    await sleep(300)
    const id = await startUnits(parts.context, { units: 1 }, { ring: false })
    await eventually('it ends', () => hasEnded(servers(), id), 10_000)
  })

  it('delivers by the database alone where there is no Redis, without waiting for the sweep', async () => {
    const alone = partsOf(servers().database.url, undefined)
    const other = startWorker({ context: alone.context, jobs: [unitsJob], types: ['mint'] })
    try {
      let isHeard = false
      alone.notices.on(dueChannel, () => { isHeard = true })
      await eventually('the channel is listened to', () => isHeard)
      await quickly(alone.context, 1)
    } finally {
      await other.stop()
      await alone.close()
    }
  })

  it('shares jobs between workers and does each unit once', async () => {
    const children = await Promise.all([startChild(servers()), startChild(servers())])
    try {
      const ids = await Promise.all(Array.from({ length: 30 }, () => startUnits(parts.context, { units: 3, pause: 20 })))
      for (const id of ids) await eventually('it ends', () => hasEnded(servers(), id))
      const all = (await Promise.all(ids.map((id) => unitsOf(servers(), id)))).flat()
      expect(all).to.have.length(90)
      expect(new Set(all.map(({ pid }) => pid)).size).to.equal(2)
    } finally {
      await Promise.all(children.map((child) => endChild(child, 'SIGTERM')))
    }
  })

  it('does not run more at once than it was told to', async () => {
    let running = 0
    let most = 0
    const counting = job({
      type: 'mint', permission: 'dpp:read', attempts: 1,
      async run() {
        most = Math.max(most, ++running)
        await sleep(40)
        running--
        return { status: 'completed', result: null }
      },
    })
    work({ jobs: [counting], concurrency: 3 })
    const ids = await Promise.all(Array.from({ length: 15 }, () => start(parts.context, {})))
    for (const id of ids) await eventually('it ends', () => hasEnded(servers(), id))
    expect(most).to.equal(3)
  })

  it('leaves a waiting job alone until it is woken, with the commit of the wake', async () => {
    let runs = 0
    const waiting = job({
      type: 'mint', permission: 'dpp:read', attempts: 1,
      run: async ({ completed, total }) => {
        runs++
        return completed === total ? { status: 'completed', result: null } : { status: 'waiting', seconds: 60 }
      },
    })
    work({ jobs: [waiting] })
    const { db, queue } = parts.context
    const id = await start(parts.context, {}, { total: 2 })
    await eventually('it has run', () => runs === 1)
    await sleep(1_300)
    expect(runs).to.equal(1)
    await db.transaction(async (trx) => {
      await queue.advance(trx, id, { completed: 2 })
      await queue.wake(trx, id)
      await sleep(1_300)
      expect(runs).to.equal(1)
    })
    await eventually('it ends', () => hasEnded(servers(), id))
    expect(await jobRow(servers(), id)).to.include({ status: 'completed', completed: 2, attempts: 1 })
  })

  it('does not sleep over a wake that came while the job ran', async () => {
    let runs = 0
    const { db, queue } = parts.context
    const waiting = job({
      type: 'mint', permission: 'dpp:read', attempts: 1,
      async run({ id }) {
        if (++runs === 2) return { status: 'completed', result: null }
        await db.transaction((trx) => queue.wake(trx, id))
        return { status: 'waiting', seconds: 60 }
      },
    })
    work({ jobs: [waiting] })
    const id = await start(parts.context, {})
    await eventually('it ends', () => hasEnded(servers(), id))
  })

  it('looks again at a waiting job by itself when its time has come', async () => {
    let runs = 0
    const waiting = job({
      type: 'mint', permission: 'dpp:read', attempts: 1,
      run: async () => (++runs === 3 ? { status: 'completed', result: null } : { status: 'waiting', seconds: 0.2 }),
    })
    work({ jobs: [waiting] })
    const id = await start(parts.context, {})
    await eventually('it ends', () => hasEnded(servers(), id))
    expect(runs).to.equal(3)
  })

  it('tells the channel of each change a reader can see, and counts it', async () => {
    const heard: string[] = []
    const { notices } = parts.context
    const deafen = notices.on('job', (id) => heard.push(id))
    await eventually('the channel is listened to', () => heard.includes(''))
    work()
    const id = await startUnits(parts.context, { units: 4 })
    await eventually('it ends', () => hasEnded(servers(), id))
    await eventually('all is heard', () => heard.filter((one) => one === id).length === 5)
    expect((await jobRow(servers(), id)).version).to.equal(6)
    deafen()
  })

  it('refuses to start on a type without handler or with two', () => {
    expect(() => startWorker({ context: parts.context, jobs: [], types: ['mint'] })).to.throw('No handler is declared for jobs of type mint')
    expect(() => startWorker({ context: parts.context, jobs: [unitsJob, unitsJob], types: ['mint'] }))
      .to.throw('Two handlers are declared for jobs of type mint')
  })
})
