import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { lockByName } from '../../../core/database/lock.ts'
import type { ProblemError } from '../../../core/kernel/problem.ts'
import { assertClaimsBelowLimit, RefusalMemory } from '../../../core/queue/limit.ts'
import { countWaitingConnections } from '../../support/database/backends.ts'
import { readServerTime } from '../../support/database/server-activity.ts'
import { waitUntil } from '../../support/processes.ts'
import { insertApplication } from '../../support/rows/applications/new-applications.ts'
import { insertClaim } from '../../support/rows/dpp/claims.ts'
import { insertProductPassports } from '../../support/rows/dpp/new-passports.ts'
import { insertOrganization } from '../../support/rows/identity/new-organizations.ts'
import { deleteJobsOf, insertWaitingJobs } from '../../support/rows/queue/runs/job-runs.ts'
import { FakedClock } from './support/faked-clock.ts'
import { useServers } from './servers.ts'

const problemOf = async (promise: Promise<void>) =>
  promise.then(
    () => null,
    (cause: ProblemError) => cause,
  )

describe('Job queue: limits by what the database counts', () => {
  const servers = useServers()
  let clock: FakedClock | undefined

  let organizations: string[]

  beforeEach(() => {
    organizations = []
  })
  afterEach(async () => {
    clock?.remove()
    clock = undefined
    for (const organization of organizations) await deleteJobsOf(servers().db, organization)
  })

  /** Creates an organization that has so many jobs that wait. */
  const createOrganization = async (count: number, oldestSeconds?: number) => {
    const organization = randomUUID()
    organizations.push(organization)
    await insertWaitingJobs(servers().db, {
      organization,
      type: 'mint',
      count,
      ...(oldestSeconds !== undefined && { oldestSeconds }),
    })
    return organization
  }
  /** Asks for one more job of an organization. */
  const tryOne = (organization: string) =>
    servers().db.transaction((trx) => problemOf(new RefusalMemory().assertBelowLimit(trx, organization, 'mint')))
  /** Runs `work` while another transaction has the lock of that name, and ends that transaction. */
  const withLock = async <T>(name: string, work: (holder: Knex.Transaction) => Promise<T>) => {
    const holder = await servers().db.transaction()
    try {
      await lockByName(holder, name)
      return await work(holder)
    } finally {
      if (!holder.isCompleted()) await holder.rollback()
    }
  }

  const nameLock = (organization: string) => `waiting jobs ${organization} mint`

  it('are checked without a lock while they are far', async () => {
    const organization = await createOrganization(139)
    expect(await withLock(nameLock(organization), () => tryOne(organization))).to.equal(null)
  })

  it('are checked once more under a lock of their own name when they are near', async () => {
    for (const [before, added, code] of [
      [140, 59, undefined],
      [199, 0, undefined],
      [199, 1, 'RATE_LIMITED'],
    ] as const) {
      const organization = await createOrganization(before)
      const answer = await withLock(nameLock(organization), async (holder) => {
        const request = tryOne(organization)
        await waitUntil('it waits for the lock', async () => (await countWaitingConnections(holder)) === 1)
        if (added > 0) await insertWaitingJobs(holder, { organization, type: 'mint', count: added })
        await holder.commit()
        return request
      })
      expect(answer?.code, `${before} and ${added}`).to.equal(code)
    }
    const full = await createOrganization(200)
    expect((await withLock(nameLock(full), () => tryOne(full)))?.code, 'without a lock').to.equal('RATE_LIMITED')
  })

  it('ask a caller to wait as long as the oldest job has waited, a second at least and a minute at most', async () => {
    for (const [oldest, seconds] of [
      [7.2, '8'],
      [0, '1'],
      [-30, '1'],
      [59.5, '60'],
      [61, '60'],
    ] as const) {
      const problem = await tryOne(await createOrganization(200, oldest))
      expect(problem?.headers).to.deep.equal({ 'Retry-After': seconds })
      expect(problem?.detail).to.include(`200 jobs of type mint`).and.to.include(`in ${seconds} s`)
    }
  })

  it('are remembered for a second, each by itself', async () => {
    clock = new FakedClock(5_000)
    const memory = new RefusalMemory()
    const { db } = servers()
    const [first, second] = [await createOrganization(200), await createOrganization(200)]
    memory.assertNotRefused(first, 'mint')
    const problem = await problemOf(memory.assertBelowLimit(db, first, 'mint'))
    clock.nowMs += 500
    await problemOf(memory.assertBelowLimit(db, second, 'mint'))
    clock.nowMs += 499
    expect(() => memory.assertNotRefused(first, 'mint')).to.throw(problem?.message ?? 'no problem')
    memory.assertNotRefused(first, 'claim')
    clock.nowMs += 1
    memory.assertNotRefused(first, 'mint')
    expect(() => memory.assertNotRefused(second, 'mint')).to.throw('RATE_LIMITED')
  })

  it('remember no error of the database', async () => {
    const memory = new RefusalMemory()
    const problem = await problemOf(memory.assertBelowLimit(servers().db, 'no uuid', 'mint'))
    expect(problem?.message).to.include('invalid input syntax for type uuid')
    memory.assertNotRefused('no uuid', 'mint')
  })

  it('let a buyer have twenty claims that wait, counted under a lock', async () => {
    const { db } = servers()
    const organization = randomUUID()
    await insertOrganization(db, { id: organization })
    const application = await insertApplication(db, { organization, network: 'EthereumAnvil' })
    const products = Array.from({ length: 21 }, (_, at) => ({
      idGranularity: 'item',
      name: 'Bag',
      itemNumber: String(at),
    }))
    const passports = await insertProductPassports(db, { organization, application }, products)
    const claim = async (trx: Knex, { endUser = 'anna', waited = 0 } = {}) => {
      const at = new Date((await readServerTime(db)).getTime() - waited * 1_000)
      await insertClaim(trx, { organization, application, passport: passports.pop() ?? '', endUser, at })
    }
    const tryClaim = () => db.transaction((trx) => problemOf(assertClaimsBelowLimit(trx, application, 'anna')))
    expect(await tryClaim(), 'none').to.equal(null)
    await claim(db, { endUser: 'bert' })
    await claim(db, { waited: 2.5 })
    for (let count = 1; count < 19; count++) await claim(db)
    expect(await tryClaim(), 'nineteen').to.equal(null)
    const problem = await withLock(`waiting claims ${application} anna`, async (holder) => {
      const request = tryClaim()
      await waitUntil('it waits for the lock', async () => (await countWaitingConnections(holder)) === 1)
      await claim(holder)
      await holder.commit()
      return request
    })
    expect([problem?.code, problem?.headers]).to.deep.equal(['RATE_LIMITED', { 'Retry-After': '3' }])
  })
})
