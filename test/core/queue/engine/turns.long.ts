import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { declareJob, type RunningJob } from '../../../../core/kernel/job.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../../../core/queue/worker.ts'
import { waitUntil } from '../../../support/processes.ts'
import { insertOrganization } from '../../../support/rows/identity/new-organizations.ts'
import { countPendingJobs, insertJobs } from '../../../support/rows/queue/job-rows.ts'
import { countUnits, listServedOrganizations } from '../../../support/rows/queue/units.ts'
import { createQueueParts, unitsJob, type QueueParts, type UnitsPayload } from '../parts.ts'
import { stopWorkerChild, startWorkerChild, useServers } from '../servers.ts'

describe('Job queue: fair turns of organizations', () => {
  const servers = useServers()
  let parts: QueueParts
  let worker: Worker | undefined

  before(() => {
    parts = createQueueParts(servers().database.url, servers().redis.url)
  })
  after(() => parts.close())
  afterEach(async () => {
    await worker?.stop()
    worker = undefined
  })

  const work = (options: Partial<WorkerOptions> = {}, { context } = parts) => {
    worker = startWorker({ context, jobs: [unitsJob], types: ['mint'], ...options })
  }

  /** Jobs that an organization has started, in one transaction each, without ringing for them. */
  async function enqueue(organization: string, count: number, payload: UnitsPayload = { units: 1 }): Promise<string[]> {
    const { db, queue } = parts.context
    const ids: string[] = []
    for (let at = 0; at < count; at++) {
      ids.push(
        await db.transaction((trx) =>
          queue.enqueue(trx, { type: 'mint', organization, total: payload.units, payload }),
        ),
      )
    }
    return ids
  }

  const ended = (organization: string) =>
    waitUntil(
      `the jobs of ${organization} end`,
      async () => (await countPendingJobs(servers().db, organization)) === 0,
      60_000,
    )

  /** Whose units were done, in their order. */
  const order = (organizations: readonly string[]) => listServedOrganizations(servers().db, organizations)

  it('takes the job of an organization before the tenth of one that has 200 waiting', async () => {
    const [a, b] = [randomUUID(), randomUUID()]
    await enqueue(a, 200, { units: 1, pause: 2 })
    await enqueue(b, 1)
    work()
    await Promise.all([ended(a), ended(b)])
    const units = await order([a, b])
    expect(units).to.have.length(201)
    expect(units.indexOf(b), 'jobs of A before that of B').to.be.below(10)
  })

  it('takes a job that comes while 200 of another wait before the tenth next one of them', async () => {
    const [a, b] = [randomUUID(), randomUUID()]
    await enqueue(a, 200, { units: 1, pause: 20 })
    work()
    await waitUntil('some are done', async () => (await order([a])).length >= 20)
    const [late = ''] = await enqueue(b, 1)
    const before = (await order([a])).length
    parts.context.queue.notifyWorker(late)
    await ended(b)
    const units = await order([a, b])
    expect(units.indexOf(b) - before, 'jobs of A between').to.be.below(10)
    await ended(a)
  })

  it('holds with three organizations, several workers, one of them killed, and without Redis: each unit is done once', async () => {
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()]
    await enqueue(a, 200, { units: 2, pause: 10 })
    await enqueue(b, 10, { units: 2, pause: 10 })
    await enqueue(c, 10, { units: 2, pause: 10 })
    const workers = await Promise.all([
      startWorkerChild(servers(), { withRedis: false }),
      startWorkerChild(servers(), { withRedis: false }),
    ])
    try {
      await waitUntil('they work', async () => (await order([a])).length > 10)
      if (workers[0]) await stopWorkerChild(workers[0], 'SIGKILL')
      await Promise.all([ended(a), ended(b), ended(c)])
    } finally {
      await Promise.all(workers.map((child) => stopWorkerChild(child, 'SIGTERM')))
    }
    const units = await order([a, b, c])
    // What the killed one held of them waits until it is seen to be gone.
    const tenth = (organization: string) =>
      units.findIndex(
        (one, at) =>
          one === organization && units.slice(0, at + 1).filter((each) => each === organization).length === 10,
      )
    for (const other of [b, c]) {
      expect(units.slice(0, tenth(other)).filter((one) => one === a).length, 'units of A before').to.be.below(200)
    }
    expect(await countUnits(servers().db, [a, b, c])).to.deep.equal({ units: 440, different: 440 })
  })

  it('runs at most four jobs of an organization at once in a process, and those of others beside them', async () => {
    const [a, b] = [randomUUID(), randomUUID()]
    const running = new Map<string, number>([
      [a, 0],
      [b, 0],
    ])
    const highest = new Map<string, number>([
      [a, 0],
      [b, 0],
    ])
    let beside = false
    const counting = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      async run({ organization }: RunningJob) {
        const now = (running.get(organization) ?? 0) + 1
        running.set(organization, now)
        highest.set(organization, Math.max(now, highest.get(organization) ?? 0))
        beside ||= [...running.values()].every((each) => each > 0)
        await sleep(30)
        running.set(organization, (running.get(organization) ?? 0) - 1)
        return { status: 'completed', result: null }
      },
    })
    await enqueue(a, 40)
    await enqueue(b, 2)
    work({ jobs: [counting] })
    await Promise.all([ended(a), ended(b)])
    expect(highest.get(a)).to.equal(4)
    expect(highest.get(b)).to.equal(2)
    expect(beside, 'both at once').to.equal(true)
  })

  it('gives an organization more turns that has more weight', async () => {
    const [heavy, light] = [randomUUID(), randomUUID()]
    await insertOrganization(servers().db, { id: heavy, jobWeight: 4 })
    await insertOrganization(servers().db, { id: light })
    await enqueue(light, 40, { units: 1, pause: 10 })
    await enqueue(heavy, 40, { units: 1, pause: 10 })
    work({ maxConcurrentJobs: 1 })
    await Promise.all([ended(heavy), ended(light)])
    const first = (await order([heavy, light])).slice(0, 40)
    expect(first.filter((one) => one === heavy).length, 'of the first 40').to.be.greaterThan(25)
  })

  /** The same number of jobs of each of many organizations, at once. */
  const enqueueMany = (organizations: readonly string[], jobsOfEach: number) =>
    insertJobs(
      servers().db,
      organizations.flatMap((organization) =>
        Array.from({ length: jobsOfEach }, () => ({ organization, payload: { units: 1 } })),
      ),
    )

  it('serves the last of 602 organizations in its turn, though those before it have more than is looked at at once', async () => {
    const [first, last] = [randomUUID().replace(/^.{8}/, '00000000'), randomUUID().replace(/^.{8}/, 'ffffffff')]
    const others = Array.from({ length: 600 }, () => randomUUID())
    await enqueueMany([first], 100)
    await enqueueMany(others, 2)
    await enqueueMany([last], 1)
    work()
    const all = [first, ...others, last]
    await waitUntil('all jobs end', async () => (await order(all)).length === 1_301, 60_000)
    const units = await order(all)
    expect(units.indexOf(last), 'jobs of others before').to.be.below(700)
    expect(units.lastIndexOf(first), 'of the one with 100, in turns').to.be.above(1_200)
    expect(Map.groupBy(units, (one) => one).size).to.equal(602)
  })

  it('looks at every organization, however many there are', async () => {
    const many = Array.from({ length: 1_100 }, () => randomUUID())
    await enqueueMany(many, 1)
    work()
    await waitUntil('all jobs end', async () => (await order(many)).length === many.length, 60_000)
  })
})
