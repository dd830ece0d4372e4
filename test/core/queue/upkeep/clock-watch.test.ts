import { expect } from 'chai'
import { v7 } from 'uuid'
import { startClockWatch } from '../../../../core/queue/upkeep/clock-watch.ts'
import { waitUntil } from '../../../support/processes.ts'
import { deleteJobsOf } from '../../../support/rows/upkeep/removable-rows.ts'
import {
  breakClock,
  countClockReadings,
  createSetBackClock,
  createSetBackUrl,
  dropSetBackClock,
  setClockBack,
} from '../../../support/rows/upkeep/set-back-clock.ts'
import {
  deleteMessage,
  insertWaitingJob,
  insertWaitingMessage,
  readJobDueAt,
  readJobWait,
  readMessageWait,
} from '../../../support/rows/upkeep/waits.ts'
import { createQueueParts, type QueueParts } from '../parts.ts'
import { useServers } from '../servers.ts'

describe('Clock of the database: the watch for its being set back', () => {
  const servers = useServers()
  const realRandom = Math.random
  let parts: QueueParts
  let watch: { stop(): Promise<void> } | undefined
  let organization: string
  let messages: string[]
  let runs: string[]

  beforeEach(async () => {
    const { db, database } = servers()
    ;[organization, messages, runs] = [v7(), [], []]
    await createSetBackClock(db)
    parts = createQueueParts(createSetBackUrl(database.url), undefined)
  })
  afterEach(async () => {
    const { db } = servers()
    await watch?.stop()
    watch = undefined
    Math.random = realRandom
    await parts.close()
    await dropSetBackClock(db)
    await deleteJobsOf(db, organization)
    for (const id of messages) await deleteMessage(db, id)
  })

  const start = () => {
    // Looks every few milliseconds.
    Math.random = () => -4.45
    const broken = {
      name: 'broken',
      run: async () => {
        runs.push('broken')
        throw new Error('no')
      },
    }
    watch = startClockWatch(parts.context, [broken, { name: 'own', run: async () => void runs.push('own') }])
  }
  const look = async () => {
    const before = await countClockReadings(servers().db)
    await waitUntil('it looks', async () => (await countClockReadings(servers().db)) >= before + 2)
  }

  /** Writes a job and a message an hour ahead of the clock. @returns a function that reads how long they wait now */
  const writeAhead = async (waitSeconds: number) => {
    const { db } = servers()
    const ahead = { aheadSeconds: 3_600, waitSeconds }
    const job = await insertWaitingJob(db, { organization, ...ahead })
    const message = await insertWaitingMessage(db, ahead)
    messages.push(message)
    return async () => [await readJobWait(db, job), await readMessageWait(db, message)] as const
  }
  const expectWaits = async (read: () => Promise<readonly [number, number]>, seconds: number) => {
    for (const wait of await read()) expect(wait).to.be.within(seconds - 30, seconds)
  }

  it('puts jobs, messages and what the tasks are for right at its start, also after a task that failed', async () => {
    const [read, readYoung] = [await writeAhead(600), await writeAhead(-1_200)]
    const young = await insertWaitingJob(servers().db, { organization, aheadSeconds: 4, waitSeconds: 900 })
    const dueAt = await readJobDueAt(servers().db, young)
    start()
    await waitUntil('the tasks ran', () => runs.length === 2)
    expect(runs).to.deep.equal(['broken', 'own'])
    await expectWaits(read, 600)
    const [jobWait, messageWait] = await readYoung()
    expect(jobWait, 'a job that was due when it was written').to.be.within(-30, 0)
    expect(messageWait, 'a message that was due when it was written').to.be.within(-30, 0)
    expect(await readJobDueAt(servers().db, young), 'a job of a machine whose clock differs').to.deep.equal(dueAt)
  })

  it('does so again when the clock falls behind by more than two seconds', async () => {
    start()
    await look()
    const read = await writeAhead(600)
    await setClockBack(servers().db, 1)
    await look()
    expect(runs, 'by a second').to.have.length(2)
    await expectWaits(read, 4_200)
    await setClockBack(servers().db, 5)
    await waitUntil('it runs them', () => runs.length === 4)
    await expectWaits(read, 600)
    await look()
    expect(runs, 'once').to.have.length(4)
  })

  it('goes on after a look that failed', async () => {
    start()
    await look()
    await breakClock(servers().db, true)
    await look()
    await breakClock(servers().db, false)
    await setClockBack(servers().db, 5)
    await waitUntil('it runs them', () => runs.length === 4)
  })
})
