import { expect } from 'chai'
import { v7 } from 'uuid'
import { waitUntil } from '../../../support/processes.ts'
import { insertKeptAnswers, listKeysOfAnswers } from '../../../support/rows/http/kept-answers.ts'
import { deleteAllJobs, insertJobs } from '../../../support/rows/queue/job-rows.ts'
import { deleteMessages, insertMessages, listMessages } from '../../../support/rows/queue/messages.ts'
import { listJobStates } from '../../../../core/queue/engine/states.ts'
import { runUpkeep, startUpkeep } from '../../../../core/queue/upkeep/upkeep.ts'
import { createRetentionTasks } from '../../../../core/app/retentions.ts'
import { organizationId, createQueueParts, type QueueParts } from '../parts.ts'
import { useServers } from '../servers.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

describe('Worker: upkeep and metrics', () => {
  const servers = useServers()
  let parts: QueueParts

  before(() => {
    parts = createQueueParts(servers().database.url, undefined)
  })
  after(() => parts.close())

  it('removes old messages and idempotency records, keeps what still counts, and bears a task that fails', async () => {
    const { db } = servers()
    await deleteMessages(db)
    const now = Date.now()
    const old = new Date(now - 2 * dayMs)
    await insertMessages(db, [
      { createdAt: old, status: 'sent', subject: 'sent' },
      { createdAt: old, status: 'kept', subject: 'kept' },
      { createdAt: old, status: 'queued', subject: 'queued' },
      { createdAt: new Date(now), status: 'sent', subject: 'sent' },
    ])
    const [oldKey, youngKey] = [v7(), v7()]
    await insertKeptAnswers(db, [
      { key: oldKey, expiresAt: new Date(now - hourMs) },
      { key: youngKey, expiresAt: new Date(now + hourMs) },
    ])
    let ran = false
    const upkeep = startUpkeep(parts.context, [
      ...createRetentionTasks({
        jobRetentionDays: 90,
        importErrorRetentionDays: 30,
        attemptRetentionDays: 400,
        messageRetentionDays: 1,
        eventRetentionDays: 400,
      }),
      {
        name: 'broken',
        run: async () => {
          throw new Error('no')
        },
      },
      {
        name: 'other',
        run: async () => {
          ran = true
        },
      },
    ])
    await waitUntil('all tasks ran', () => ran)
    await upkeep.stop()
    const left = await listMessages(db)
    expect(left.map(({ subject }) => subject)).to.deep.equal(['queued', 'sent'])
    expect(await listKeysOfAnswers(db))
      .to.include(youngKey)
      .and.not.include(oldKey)
    await deleteMessages(db)
  })

  it('names what failed to who runs it once', async () => {
    const broken = {
      name: 'broken',
      run: async () => {
        throw new Error('no')
      },
    }
    expect(await runUpkeep(parts.context, [broken, { name: 'other', run: async () => undefined }])).to.deep.equal([
      'broken',
    ])
  })

  it('counts jobs by what they do at the moment', async () => {
    const { db } = servers()
    await deleteAllJobs(db)
    const organization = organizationId
    await insertJobs(db, [
      { organization, dueInSeconds: -30 },
      { organization },
      { organization, leaseSeconds: 9 },
      { organization, dueInSeconds: 3_600, type: 'claim' },
      { organization, status: 'failed' },
      { organization, status: 'failed', at: new Date(Date.now() - 2 * dayMs) },
      { organization, status: 'completed' },
    ])
    const states = await listJobStates(db)
    expect(states.map(({ type, state, count }) => `${type} ${state} ${count}`)).to.deep.equal([
      'claim waiting 1',
      'mint due 2',
      'mint failed 1',
      'mint running 1',
    ])
    expect(states.find(({ state }) => state === 'due')?.oldestSeconds).to.be.within(30, 60)
    await deleteAllJobs(db)
  })
})
