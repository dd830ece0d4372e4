import { expect } from 'chai'
import type { Knex } from 'knex'
import { pino } from 'pino'
import type { Notices } from '../../../core/kernel/ports/notices.ts'
import { createQueue, dueChannel } from '../../../core/queue/queue.ts'
import { waitUntil } from '../../support/processes.ts'

describe('Job queue: a process without Redis', () => {
  it('notifies workers through the database, and is ready', async () => {
    const channels: string[] = []
    const notices = { notify: async (_: Knex, channel: string) => void channels.push(channel) } as unknown as Notices
    const queue = createQueue({ db: {} as Knex, log: pino({ level: 'silent' }), notices })
    queue.notifyWorker('018f3f6e-7b1a-7c3d-9e2f-0123456789ab')
    await waitUntil('the notice is sent', () => channels.length > 0)
    expect([channels, queue.isReady()]).to.deep.equal([[dueChannel], true])
    await queue.close()
  })
})
