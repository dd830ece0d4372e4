import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { JobLeases } from '../../../../core/queue/engine/leases.ts'
import { createQueueParts, organizationId, startJob, type QueueParts } from '../parts.ts'
import { readJobRow, useServers } from '../servers.ts'

describe('Job queue: leases', () => {
  const servers = useServers()
  let parts: QueueParts
  let leases: JobLeases

  before(() => {
    parts = createQueueParts(servers().database.url, undefined)
    leases = new JobLeases({ db: servers().db, types: ['migrate'], worker: () => null })
  })
  after(() => parts.close())

  const standings = { now: 0, cost: 1, known: [], room: 4, wanted: 8 }

  /** Writes a job and takes it. */
  async function leaseJob() {
    const id = await startJob(parts.context, {}, { type: 'migrate', ring: false })
    const taken = await leases.takeDueJobs(standings)
    expect(taken.map((row) => row.id)).to.deep.equal([id])
    return { id, holder: taken[0]?.lease_holder ?? '' }
  }

  it('are taken as far as an organization has room', async () => {
    const id = await startJob(parts.context, {}, { type: 'migrate', ring: false })
    const full = { ...standings, known: [{ organization: organizationId, begins: 0, room: 0 }] }
    expect(await leases.takeDueJobs(full)).to.deep.equal([])
    const [row] = await leases.takeDueJobs(standings)
    expect(row).to.include({ id, attempts: 1 })
    expect(await leases.takeDueJobs(standings), 'what is leased').to.deep.equal([])
    expect(await leases.completeJob({ id, holder: row?.lease_holder ?? '', result: {} })).to.equal(true)
  })

  it('are taken from all organizations where one search cannot look at them all, and the search ends', async () => {
    const { db, queue } = parts.context
    const ids = await db.transaction(async (trx) => {
      const started: string[] = []
      for (let at = 0; at < 501; at++)
        started.push(await queue.enqueue(trx, { type: 'migrate', organization: randomUUID(), total: 1, payload: {} }))
      return started
    })
    const first = await leases.takeDueJobs({ ...standings, wanted: 1 })
    // Begins behind the organizations that the first search looked at, and finds fewer jobs than it may take.
    const others = await leases.takeDueJobs({ ...standings, wanted: 1_000 })
    const taken = [...first, ...others]
    expect(taken.map(({ id }) => id)).to.have.members(ids)
    await Promise.all(taken.map(({ id, lease_holder: holder }) => leases.completeJob({ id, holder, result: null })))
  })

  it('end with the job, once, for the run that has it', async () => {
    const { id, holder } = await leaseJob()
    expect(await leases.completeJob({ id, holder: randomUUID(), result: { by: 'another' } })).to.equal(false)
    expect(await leases.completeJob({ id, holder, result: { by: 'the run' } })).to.equal(true)
    expect(await leases.completeJob({ id, holder, result: { by: 'nobody' } })).to.equal(false)
    expect((await readJobRow(servers(), id)).result).to.deep.equal({ by: 'the run' })
  })

  it('are given back with the time of the next run, and whether that is now', async () => {
    const { id, holder } = await leaseJob()
    expect(await leases.parkJob({ id, holder, kind: 'handback', seconds: 60 }), 'handed back').to.equal(true)
    expect(await leases.parkJob({ id, holder, kind: 'handback', seconds: 0 }), 'by who has it not').to.equal(false)
    const [again] = await leases.takeDueJobs(standings)
    expect(again).to.include({ id, attempts: 1 })
    const next = { id, holder: again?.lease_holder ?? '' }
    expect(await leases.parkJob({ ...next, kind: 'waiting', seconds: 60 }), 'in a minute').to.equal(false)
    expect(await leases.takeDueJobs(standings)).to.deep.equal([])
  })
})
