import { expect } from 'chai'
import { v7 } from 'uuid'
import { JobLeases, type JobParking } from '../../../../core/queue/engine/leases.ts'
import type { Standings } from '../../../../core/queue/engine/turns.ts'
import { deleteJobsOf, insertLeasedJobs, readLease, type NewLeasedJob } from '../../../support/rows/queue/job-leases.ts'
import { insertJobs } from '../../../support/rows/queue/job-rows.ts'
import { createQueueParts, type QueueParts } from '../parts.ts'
import { readJobRow, useServers } from '../servers.ts'

/** A worker that is gone, as nobody has its number: those of processes are random. */
const goneWorker = 5

describe('Job queue: what the database answers about leases', () => {
  const servers = useServers()
  let parts: QueueParts
  let leases: JobLeases
  /** The number of this worker. */
  let worker: number
  let organizations: string[]

  before(async () => {
    parts = createQueueParts(servers().database.url, undefined)
    await parts.notices.ready()
    worker = parts.notices.number
  })
  after(() => parts.close())
  beforeEach(() => {
    organizations = []
    leases = new JobLeases({ db: servers().db, types: ['rotate'], worker: () => worker })
  })
  afterEach(async () => {
    for (const organization of organizations) await deleteJobsOf(servers().db, organization)
  })

  const createOrganizations = (count: number) => {
    organizations = Array.from({ length: count }, () => v7())
    return organizations
  }
  const insertLeased = (jobs: readonly Omit<NewLeasedJob, 'organization'>[]) => {
    const [organization = ''] = createOrganizations(1)
    return insertLeasedJobs(
      servers().db,
      jobs.map((job) => ({ ...job, organization })),
    )
  }
  const readRows = (jobs: readonly { id: string }[]) => Promise.all(jobs.map(({ id }) => readJobRow(servers(), id)))
  const readLeases = (jobs: readonly { id: string }[]) => Promise.all(jobs.map(({ id }) => readLease(servers().db, id)))
  const holdersOf = (jobs: readonly { lease_holder: string }[]) => jobs.map((job) => job.lease_holder)

  it('is told to each run of a batch: whether its job was still its own', async () => {
    const jobs = await insertLeased([{}, {}, {}, {}])
    const [, , another] = holdersOf(jobs)
    const answers = await Promise.all(
      jobs.map(({ id, lease_holder: holder }, at) =>
        leases.completeJob({ id, holder: (at === 1 && another) || holder, result: at === 3 ? null : { at } }),
      ),
    )
    expect(answers).to.deep.equal([true, false, true, true])
    const rows = await readRows(jobs)
    expect(rows.map(({ status, result }) => [status, result])).to.deep.equal([
      ['completed', { at: 0 }],
      ['pending', null],
      ['completed', { at: 2 }],
      ['completed', null],
    ])
    const [, held] = holdersOf(jobs)
    expect(rows.map((row) => row.lease_holder)).to.deep.equal([null, held, null, null])
  })

  it('is told to each that parks its job: whether the job is due at once', async () => {
    const jobs = await insertLeased([{ attempts: 2 }, { attempts: 2 }, { attempts: 2 }, { attempts: 2 }])
    const hows = [
      { kind: 'handback', seconds: 0 },
      { kind: 'waiting', seconds: 15 },
      { kind: 'retry', seconds: 30 },
      { kind: 'waiting', seconds: 0 },
    ] as const
    const parkings = jobs.map(({ id, lease_holder: holder }, at): JobParking => ({
      id,
      holder,
      kind: 'retry',
      seconds: 0,
      ...hows[at],
    }))
    expect(await Promise.all(parkings.map((each) => leases.parkJob(each)))).to.deep.equal([true, false, false, true])
    const [handed, waiting, retried] = await readLeases(jobs)
    expect(handed?.dueInSeconds).to.be.at.most(0)
    expect(waiting?.dueInSeconds).to.be.within(10, 15)
    expect(retried?.dueInSeconds).to.be.within(25, 30)
    const rows = await readRows(jobs)
    expect(rows.map((row) => [row.attempts, row.lease_holder])).to.deep.equal([
      [1, null],
      [0, null],
      [2, null],
      [0, null],
    ])
  })

  it('says who still holds a job, who is gone, who is unknown and whose lease has ended', async () => {
    const jobs = await insertLeased([
      { worker, leaseSeconds: 5 },
      { worker: goneWorker, leaseSeconds: 5 },
      { worker, leaseSeconds: -1 },
      { worker, leaseSeconds: 16 },
      { worker, leaseSeconds: 14 },
    ])
    const holders = holdersOf(jobs)
    const [first, second, ended, beyond, longest] = holders
    const held = jobs.slice(0, 2).map(({ id }) => ({ id, holder: first ?? '' }))
    expect([...(await leases.renewLeases(held))], 'those of all jobs that were asked for').to.have.members([
      first,
      second,
    ])
    const [renewed, others] = await readLeases(jobs)
    expect(renewed?.leaseSeconds).to.be.within(7, 10)
    expect(others?.leaseSeconds, 'of another run').to.be.below(5)
    expect(others?.worker).to.equal(goneWorker)
    expect(await leases.listGoneWorkers())
      .to.include(goneWorker)
      .and.not.include(worker)
    const elsewhere = new JobLeases({ db: servers().db, types: [], worker: () => null })
    expect(await elsewhere.listGoneWorkers(), 'for another worker')
      .to.include(goneWorker)
      .and.not.include(worker)
    const itself = new JobLeases({ db: servers().db, types: [], worker: () => goneWorker })
    expect(await itself.listGoneWorkers(), 'never itself').to.not.include(goneWorker)
    expect(await leases.listStrayHolders([first ?? '']), 'what it holds unknowingly').to.have.members([beyond, longest])
    const found = await leases.listEndedHolders()
    expect(
      holders.filter((holder) => found.includes(holder)),
      'and beyond what a lease can last',
    ).to.have.members([ended, beyond])
    expect(await leases.expireLeases(holders)).to.equal(2)
    expect((await readLeases(jobs)).map(({ leaseSeconds }) => leaseSeconds === null)).to.deep.equal([
      false,
      false,
      true,
      true,
      false,
    ])
  })

  it('is awaited where jobs are made due', async () => {
    const jobs = await insertLeased([{ worker }, { worker: goneWorker }, { worker }])
    const [first] = holdersOf(jobs)
    const listFree = async () => (await readLeases(jobs)).map(({ leaseSeconds }) => leaseSeconds === null)
    await leases.dropHolders([first ?? ''])
    expect(await listFree(), 'of holders').to.deep.equal([true, false, false])
    await leases.freeJobsOfWorkers([goneWorker])
    expect(await listFree(), 'of workers').to.deep.equal([true, true, false])
  })

  const standings: Standings = { now: 3, cost: 2, known: [], room: 4, wanted: 2 }
  const insertDue = (owners: readonly string[], dueInSeconds = -1) =>
    insertJobs(
      servers().db,
      owners.map((organization) => ({ organization, type: 'rotate', dueInSeconds })),
    )

  it('ends a search for jobs that has looked at all organizations', async () => {
    const [first = '', second = '', third = ''] = createOrganizations(3)
    expect(await leases.takeDueJobs(standings)).to.deep.equal([])
    await insertDue([first, first, second, third, third, third])
    const known = [
      { organization: first, begins: 4, room: 1 },
      { organization: second, begins: 5, room: 0 },
    ]
    const take = async (wanted: number) =>
      (await leases.takeDueJobs({ ...standings, known, wanted })).map(({ organization }) => organization)
    expect(await take(2), 'in turns, of which those of unknown organizations begin now').to.deep.equal([third, first])
    expect(await take(9), 'as far as each has room').to.deep.equal([third, first, third])
    expect(await take(9)).to.deep.equal([])
  })

  it('goes on behind the last organization that was looked at, for the jobs that are still wanted', async () => {
    const owners = createOrganizations(900)
    const last = owners.at(-1) ?? ''
    const many = await insertDue(owners)
    // The oldest job, which a search that looked at all organizations would take first.
    const [oldest] = await insertDue([last], -60)
    const first = await leases.takeDueJobs({ ...standings, wanted: 1 })
    expect(many, 'of the first organizations').to.include(first[0]?.id)
    const second = await leases.takeDueJobs({ ...standings, wanted: 1 })
    expect(second.map(({ id }) => id)).to.deep.equal([oldest])
    const others = await leases.takeDueJobs({ ...standings, wanted: 1_000 })
    expect([...first, ...others].map(({ id }) => id)).to.have.members(many)
  })

  it('begins once from the first organizations where it began behind them and looked in several parts', async () => {
    const owners = createOrganizations(1_100)
    const ids = await insertDue(owners)
    const first = await leases.takeDueJobs({ ...standings, wanted: 1 })
    const second = await leases.takeDueJobs({ ...standings, wanted: 700 })
    expect(second, 'no more than it wants').to.have.length(700)
    const others = await leases.takeDueJobs({ ...standings, wanted: 1_200 })
    expect([...first, ...second, ...others].map(({ id }) => id)).to.have.members(ids)
    expect(owners.indexOf(second[0]?.organization ?? ''), 'begins behind').to.be.above(400)
    expect(await leases.takeDueJobs(standings), 'and finds an end').to.deep.equal([])
  })
})
