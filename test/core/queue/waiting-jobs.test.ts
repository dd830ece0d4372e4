import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import type { ProblemError } from '../../../core/kernel/problem.ts'
import { maxWaitingJobs } from '../../../core/queue/limit.ts'
import { createQueueParts, type QueueParts } from './parts.ts'
import { useServers } from './servers.ts'

describe('Job queue: the limit of jobs that wait', () => {
  const servers = useServers()
  let parts: QueueParts

  before(() => {
    parts = createQueueParts(servers().database.url, undefined)
  })
  after(() => parts.close())

  const enqueue = (trx: Knex, organization: string, countsTowardsLimit = true) =>
    parts.context.queue.enqueue(trx, { type: 'certify', organization, total: 1, payload: {}, countsTowardsLimit })
  const enqueueMany = (organization: string, count: number) =>
    parts.context.db.transaction(async (trx) => {
      for (let at = 0; at < count; at++) await enqueue(trx, organization)
    })
  /** What comes of one more job in a transaction of its own. */
  const tryOne = (organization: string) =>
    parts.context.db
      .transaction((trx) => enqueue(trx, organization))
      .then(
        () => 'taken',
        ({ code }: ProblemError) => code,
      )

  it('lets an organization have 200 of a type, and exactly as many when several come at once', async () => {
    const organization = randomUUID()
    await enqueueMany(organization, maxWaitingJobs - 2)
    const answers = await Promise.all(Array.from({ length: 6 }, () => tryOne(organization)))
    expect(answers.sort()).to.deep.equal([...Array.from({ length: 4 }, () => 'RATE_LIMITED'), 'taken', 'taken'])
    expect(await tryOne(randomUUID()), 'of another organization').to.equal('taken')
  })

  it('refuses the next one with the seconds to wait, and again without asking the database', async () => {
    const organization = randomUUID()
    await enqueueMany(organization, maxWaitingJobs)
    const refusal = await parts.context.db
      .transaction((trx) => enqueue(trx, organization))
      .catch((cause: ProblemError) => cause)
    expect(() => parts.context.queue.assertNotRefusedRecently(organization, 'certify')).to.throw('RATE_LIMITED')
    parts.context.queue.assertNotRefusedRecently(organization, 'publish')
    parts.context.queue.assertNotRefusedRecently(randomUUID(), 'certify')
    expect(refusal).to.include({ code: 'RATE_LIMITED' })
    expect(Number((refusal as ProblemError).headers['Retry-After'])).to.be.within(1, 60)
    const own = parts.context.db.transaction((trx) => enqueue(trx, organization, false))
    expect(await own, 'a job that no caller starts').to.be.a('string')
  })
})
