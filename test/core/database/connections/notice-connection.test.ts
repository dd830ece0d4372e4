import { expect } from 'chai'
import type { Knex } from 'knex'
import { pino } from 'pino'
import { createNotices, type PostgresNotices } from '../../../../core/database/notices.ts'
import { waitUntil } from '../../../support/processes.ts'
import {
  countWaitingForPresence,
  endConnectionOfProcess,
  tryToHoldPresence,
  waitForPresence,
} from '../../../support/rows/database/presence.ts'
import { useServers } from '../../queue/servers.ts'

describe('core/database/notices: the connection of a process', () => {
  const servers = useServers()
  let notices: PostgresNotices
  let lines: string[]
  let trx: Knex.Transaction | undefined

  beforeEach(() => {
    lines = []
  })
  afterEach(async () => {
    await trx?.rollback()
    trx = undefined
    await notices.close()
  })

  const start = () => {
    const log = pino({}, { write: (line) => void lines.push(line) })
    notices = createNotices({ url: servers().database.url, log })
  }
  const notify = (channel: string, payload: string) => notices.notify(servers().db, channel, payload)

  /** Starts while something else has the lock by which others see that the process lives. */
  const startHeldBack = async () => {
    for (;;) {
      trx = await servers().db.transaction()
      start()
      if (await tryToHoldPresence(trx, notices.number)) return trx
      await trx.rollback()
      await notices.close()
    }
  }
  const waitForItsWaiting = (count = 1) =>
    waitUntil(
      'they wait for the lock',
      async () => (await countWaitingForPresence(servers().db, notices.number)) === count,
    )

  it('shows others that the process lives, then listens to all channels at once and calls their listeners', async () => {
    const holding = await startHeldBack()
    const heard: string[] = []
    for (const channel of ['one', 'two']) notices.subscribe(channel, (payload) => heard.push(`${channel} ${payload}`))
    await waitForItsWaiting()
    await notify('two', 'missed')
    expect([notices.processNumber, heard]).to.deep.equal([null, []])
    await holding.rollback()
    await notices.ready()
    expect(notices.processNumber).to.equal(notices.number)
    expect(await notices.isProcessGone(servers().db, notices.number)).to.equal(false)
    expect(heard).to.deep.equal(['one ', 'two '])
    await notify('two', 'x')
    await waitUntil('it is heard', () => heard.length === 3)
    expect(heard.slice(2)).to.deep.equal(['two x'])
  })

  it('listens to a channel with its first listener, and calls all of a channel though one throws', async () => {
    start()
    await notices.ready()
    const heard: string[] = []
    const end = notices.subscribe('one', () => {
      heard.push('first')
      throw new Error('no')
    })
    const endOther = notices.subscribe('one', (payload) => heard.push(`other ${payload}`))
    await waitUntil('they are called', () => heard.length === 2)
    await notify('one', 'x')
    await waitUntil('it is heard', () => heard.length === 4)
    expect(heard).to.deep.equal(['first', 'other ', 'first', 'other x'])
    end()
    endOther()
    notices.subscribe('two', (payload) => heard.push(`two ${payload}`))
    await waitUntil('it listens to another one', () => heard.length === 5)
    await notify('one', 'y')
    await notify('two', 'z')
    await waitUntil('the last one is heard', () => heard.includes('two z'))
    expect(heard.slice(4)).to.deep.equal(['two ', 'two z'])
  })

  it('is made anew when it is lost, with all channels, and says why it was lost', async () => {
    start()
    const heard: string[] = []
    notices.subscribe('one', (payload) => heard.push(payload))
    await notices.ready()
    for (const round of [1, 2]) {
      expect(await endConnectionOfProcess(servers().db, notices.number)).to.equal(1)
      await waitUntil('another one is made', () => heard.length === 2 * round)
      await notices.ready()
      expect(notices.processNumber).to.equal(notices.number)
      await notify('one', `${round}`)
      await waitUntil('it is heard', () => heard.length === 2 * round + 1)
    }
    expect(heard).to.deep.equal(['', '', '1', '', '2'])
    const causes = lines.map((line) => (JSON.parse(line) as { err: { message: string } }).err.message)
    expect(causes).to.deep.equal(Array(2).fill('terminating connection due to administrator command'))
  })

  it('is nobody while it is lost', async () => {
    start()
    await notices.ready()
    trx = await servers().db.transaction()
    const holding = waitForPresence(trx, notices.number)
    await waitForItsWaiting()
    expect(await notices.isProcessGone(servers().db, notices.number)).to.equal(false)
    await endConnectionOfProcess(servers().db, notices.number)
    await holding
    await waitForItsWaiting()
    expect(notices.processNumber).to.equal(null)
    await trx.rollback()
    await notices.ready()
    expect(notices.processNumber).to.equal(notices.number)
  })

  it('ends quietly when the notices are closed', async () => {
    start()
    await notices.ready()
    await notices.close()
    await waitUntil('it is gone', () => notices.isProcessGone(servers().db, notices.number))
    expect([lines, notices.processNumber]).to.deep.equal([[], null])
  })

  it('carries notices of 7,900 bytes at most, in the transaction of the caller', async () => {
    start()
    const heard: string[] = []
    notices.subscribe('one', (payload) => heard.push(payload))
    await notices.ready()
    const longest = 'é'.repeat(3_950)
    trx = await servers().db.transaction()
    await notices.notify(trx, 'one', 'never')
    await trx.rollback()
    trx = await servers().db.transaction()
    await notices.notify(trx, 'one', longest)
    await notify('one', 'before')
    await waitUntil('the other one is heard', () => heard.length === 2)
    await trx.commit()
    await waitUntil('it is heard', () => heard.length === 3)
    expect(heard).to.deep.equal(['', 'before', longest])
    const refused = await notify('one', `é${'x'.repeat(7_899)}`).catch((cause: Error) => cause.message)
    expect(refused).to.equal('A notice takes at most 7900 bytes')
    for (const name of ['One', '', 'o"ne', 'o'.repeat(61), 'one 2'])
      expect(() => notices.subscribe(name, () => undefined), name).to.throw('is no name of a channel')
  })

  it('lets others see whether the process is gone', async () => {
    start()
    await notices.ready()
    const { db } = servers()
    expect(await notices.isProcessGone(db, notices.number)).to.equal(false)
    await notices.close()
    const others = createNotices({ url: servers().database.url, log: pino({ level: 'silent' }) })
    try {
      await waitUntil('it is gone', () => others.isProcessGone(db, notices.number))
      await others.ready()
      expect(await notices.isProcessGone(db, others.number)).to.equal(false)
    } finally {
      await others.close()
    }
  })
})
