import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { v7 } from 'uuid'
import { waitUntil } from '../../../support/processes.ts'
import { listJobStates } from '../../../../core/queue/engine/states.ts'
import { runUpkeep, startUpkeep } from '../../../../core/queue/upkeep/upkeep.ts'
import { createRetentionTasks } from '../../../../core/app/retentions.ts'
import { organizationId, createQueueParts, type QueueParts } from '../parts.ts'
import { useServers } from '../servers.ts'

describe('Worker: upkeep and metrics', () => {
  const servers = useServers()
  let parts: QueueParts

  before(() => {
    parts = createQueueParts(servers().database.url, undefined)
  })
  after(() => parts.close())

  it('removes old messages and idempotency records, keeps what still counts, and bears a task that fails', async () => {
    const { db } = servers()
    await db('messages').delete()
    const message = (status: string, days: number) => ({
      id: v7(),
      channel: 'email',
      recipient: 'a@b.c',
      subject: status,
      body: '',
      status,
      created_at: db.raw(`now() - interval '${days} days'`),
    })
    await db('messages').insert([message('sent', 2), message('kept', 2), message('queued', 2), message('sent', 0)])
    const record = (key: string, hours: number) => ({
      scope: 's',
      operation: 'o',
      key,
      request_hash: randomBytes(8),
      state: 'done',
      holder: v7(),
      lease_until: db.fn.now(),
      expires_at: db.raw(`now() + interval '${hours} hours'`),
    })
    await db('idempotency').insert([record('old', -1), record('young', 1)])
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
    const left = await db('messages').orderBy('created_at').pluck<string[]>('subject')
    expect(left).to.deep.equal(['queued', 'sent'])
    expect(await db('idempotency').pluck('key')).to.deep.equal(['young'])
    await db('messages').delete()
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
    await db('jobs').delete()
    const row = (more: object) => ({
      id: v7(),
      type: 'mint',
      organization: organizationId,
      total: 1,
      payload: '{}',
      ...more,
    })
    await db('jobs').insert([
      row({ due_at: db.raw(`now() - interval '30 s'`) }),
      row({}),
      row({ lease_until: db.raw(`now() + interval '9 s'`), lease_holder: v7() }),
      row({ due_at: db.raw(`now() + interval '1 h'`), type: 'claim' }),
      row({ status: 'failed' }),
      row({ status: 'failed', updated_at: db.raw(`now() - interval '2 days'`) }),
      row({ status: 'completed' }),
    ])
    const states = await listJobStates(db)
    expect(states.map(({ type, state, count }) => `${type} ${state} ${count}`)).to.deep.equal([
      'claim waiting 1',
      'mint due 2',
      'mint failed 1',
      'mint running 1',
    ])
    expect(states.find(({ state }) => state === 'due')?.oldestSeconds).to.be.within(30, 60)
    await db('jobs').delete()
  })
})
