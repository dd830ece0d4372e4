import { expect } from 'chai'
import { v7 } from 'uuid'
import { createEndedCondition, removeOldRows } from '../../../../core/queue/upkeep/retention.ts'
import { insertJobs, type NewJobRow } from '../../../support/rows/queue/job-rows.ts'
import {
  countRemovableRows,
  createRemovableTable,
  deleteJobsOf,
  dropRemovableTable,
  insertRemovableRows,
  removableConditions,
  removableTable,
} from '../../../support/rows/upkeep/removable-rows.ts'
import { useServers } from '../servers.ts'

const dayMs = 86_400_000

describe('Retention: how rows are removed', () => {
  const servers = useServers()
  const at = new Date('2030-04-01T00:00:00Z')
  const daysBefore = (days: number, from = at.getTime()) => new Date(from - days * dayMs)
  const byAge = { days: 7, rows: removableConditions.ended }
  let organization: string

  beforeEach(async () => {
    organization = v7()
    await createRemovableTable(servers().db)
  })
  afterEach(async () => {
    await dropRemovableTable(servers().db)
    await deleteJobsOf(servers().db, organization)
  })

  /** Inserts jobs that ended on the first day of all, unless they say otherwise. No worker takes the pending ones. */
  const addJobs = async (count: number, more: Partial<NewJobRow> = {}) => {
    const ended = { organization, status: 'completed', at: daysBefore(90), dueInSeconds: 3_600, ...more } as const
    return (await insertJobs(servers().db, Array<NewJobRow>(count).fill(ended))).sort()
  }
  const addRows = (jobs: readonly string[], { count = 1, endedAt = daysBefore(8) } = {}) =>
    insertRemovableRows(servers().db, { jobs, count, at: endedAt })
  const listLeft = async () => (await countRemovableRows(servers().db)).map(({ job, count }) => ({ job, count }))

  /** Removes the rows of the jobs of this test that have ended. */
  const removeOfJobs = () => {
    const ofJobs = removableConditions.endedJobsOf(organization, createEndedCondition('j'))
    return removeOldRows(servers().db, removableTable, { days: 7, ofJobs }, at)
  }

  it('goes on as long as a statement removes as many as it may', async () => {
    const [old, young] = [v7(), v7()]
    await addRows([old], { count: 12_001 })
    await addRows([young], { count: 2, endedAt: daysBefore(6.9) })
    await removeOldRows(servers().db, removableTable, byAge, at)
    expect(await listLeft()).to.deep.equal([{ job: young, count: 2 }])
  })

  it('goes by the clock of the database where no time is told', async () => {
    const [old, young] = [v7(), v7()]
    await addRows([old], { endedAt: daysBefore(7.1, Date.now()) })
    await addRows([young], { endedAt: daysBefore(6.9, Date.now()) })
    await removeOldRows(servers().db, removableTable, byAge)
    expect(await listLeft()).to.deep.equal([{ job: young, count: 1 }])
  })

  it('looks at a thousand jobs at a time, each once, and removes the rows of those that have ended', async () => {
    const ended = await addJobs(1_400)
    const young = await addJobs(1_100, { at: daysBefore(1) })
    const jobs = [...ended, ...young].sort()
    await addRows(jobs)
    // More than a statement removes, of the last job that is looked at but one.
    const many = await addJobs(1)
    await addRows(many, { count: 5_001 })
    const unknown = v7()
    await addRows([unknown])
    await removeOfJobs()
    expect((await listLeft()).map(({ job }) => job)).to.deep.equal([...young, unknown].sort())
  })

  it('goes on behind a page of a thousand jobs none of which has ended, and ends where a page is the last', async () => {
    const young = await addJobs(1_000, { at: daysBefore(1) })
    await addRows(young)
    await removeOfJobs()
    expect(await listLeft()).to.have.length(1_000)
    const [ended = ''] = await addJobs(1)
    await addRows([ended])
    await removeOfJobs()
    expect((await listLeft()).map(({ job }) => job)).to.deep.equal(young)
  })

  it('ends with a table without rows', async () => {
    await removeOfJobs()
    expect(await listLeft()).to.deep.equal([])
  })

  it('concerns jobs that have ended before an instant', async () => {
    const [completed] = await addJobs(1, { at: daysBefore(7.1) })
    const [failed] = await addJobs(1, { at: daysBefore(7.1), status: 'failed' })
    const [pending] = await addJobs(1, { at: daysBefore(90), status: 'pending' })
    const [young] = await addJobs(1, { at: daysBefore(6.9) })
    await addRows([completed, failed, pending, young].map((job = '') => job))
    await removeOfJobs()
    expect((await listLeft()).map(({ job }) => job)).to.deep.equal([pending, young].sort())
  })
})
