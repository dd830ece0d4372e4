import { expect } from 'chai'
import { pino } from 'pino'
import type { Context } from '../../../../core/kernel/work.ts'
import type { Notices } from '../../../../core/kernel/ports/notices.ts'
import { startCourier, type CourierOptions } from '../../../../core/queue/messages/courier.ts'
import { createPost, messageChannel } from '../../../../core/queue/messages/outbox.ts'
import { waitUntil } from '../../../support/processes.ts'
import { FakeDatabase } from '../fakes/fake-database.ts'
import { startMailServer, startTextGateway } from './mailbox.ts'

/** A value of `Math.random` with which a repetition waits for 20 of its intervals. */
const slowly = 100

describe('Courier of messages', () => {
  const realRandom = Math.random
  const stops: (() => unknown)[] = []
  let queued: object[]
  let database: FakeDatabase
  let listeners: Map<string, () => void>

  beforeEach(() => {
    queued = []
    listeners = new Map()
    database = new FakeDatabase(({ sql, bindings }) =>
      sql.includes('with due') ? queued.splice(0, Number(bindings[1])) : [],
    )
  })
  afterEach(async () => {
    Math.random = realRandom
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  const letter = (more: object = {}) => ({
    id: 'letter',
    channel: 'sms',
    recipient: '+4915155555555',
    subject: '',
    body: 'The code is 1.',
    attempts: 1,
    ...more,
  })
  const start = (settings: object, backoff?: CourierOptions['backoff']) => {
    const notices = {
      subscribe: (channel: string, listener: () => void) => {
        listeners.set(channel, listener)
        return () => void listeners.delete(channel)
      },
    } as unknown as Notices
    const context = {
      db: database.knex,
      notices,
      log: pino({ level: 'silent' }),
      settings: { publicUrl: 'https://shop.example.com:8443', ...settings },
    } as unknown as Context
    const courier = startCourier({ context, ...(backoff && { backoff }) })
    stops.push(() => courier.stop())
    return courier
  }
  const useGateway = async (statuses: number[] = []) => {
    const gateway = await startTextGateway(statuses)
    stops.push(gateway.stop)
    return gateway
  }
  const countSearches = () => database.find('with due').length
  const listEndings = () =>
    database.statements.filter(({ sql }) => !sql.includes('with due')).map(({ bindings }) => bindings)

  it('looks for nothing without a transport', async () => {
    await start({}).stop()
    await start({ production: true }).stop()
    expect([database.statements, [...listeners]]).to.deep.equal([[], []])
  })

  it('takes messages of the channels that it has transports for, eight at a time until none is left', async () => {
    Math.random = () => slowly
    const { url, texts } = await useGateway()
    queued = Array.from({ length: 17 }, (_, at) => letter({ id: `letter ${at}` }))
    start({ smsUrl: url, smtpUrl: 'smtp://127.0.0.1:9' })
    await waitUntil('all are sent', () => listEndings().length === 17, 15_000)
    expect(texts.map(({ id }) => id)).to.have.members(listEndings().map(([, id]) => id))
    expect(listEndings().every(([status]) => status === 'sent')).to.equal(true)
    expect(database.find('with due').map(({ bindings }) => bindings)).to.deep.equal([
      [['email', 'sms'], 8],
      [['email', 'sms'], 8],
      [['email', 'sms'], 8],
    ])
  })

  it('looks again at once for a notice', async () => {
    Math.random = () => slowly
    const { url } = await useGateway()
    start({ smsUrl: url })
    await waitUntil('it looks', () => countSearches() === 1 && database.openCount === 0)
    listeners.get(messageChannel)?.()
    await waitUntil('it looks again', () => countSearches() === 2, 15_000)
  })

  it('tries again later, and gives up what is refused for good or was tried nine times', async () => {
    Math.random = () => slowly
    const { url } = await useGateway([500, 500, 404])
    queued = [letter({ id: 'eighth', attempts: 8 })]
    start({ smsUrl: url })
    await waitUntil('it is over', () => listEndings().length === 1)
    // The default: two seconds that double to five minutes, times the random part.
    expect(listEndings()).to.deep.equal([[2 * 2 ** 7 * (0.5 + slowly), 'eighth']])
    queued = [letter({ id: 'ninth', attempts: 9 })]
    listeners.get(messageChannel)?.()
    await waitUntil('it is over', () => listEndings().length === 2)
    queued = [letter({ id: 'refused' })]
    listeners.get(messageChannel)?.()
    await waitUntil('it is over', () => listEndings().length === 3)
    expect(listEndings().slice(1)).to.deep.equal([
      ['failed', 'ninth'],
      ['failed', 'refused'],
    ])
  })

  it('waits for messages under way when it stops, and ends its connections then', async () => {
    Math.random = () => slowly
    const server = await startMailServer()
    stops.push(server.stop)
    queued = [letter({ channel: 'email', recipient: 'anna@example.com', subject: 'Your code' })]
    const courier = start({ smtpUrl: server.url })
    await waitUntil('it looks', () => countSearches() === 1)
    await courier.stop()
    expect([server.mails.length, listEndings()]).to.deep.equal([1, [['sent', 'letter']]])
    expect(server.mails[0]?.content).to.match(/^Message-ID: <letter@shop\.example\.com>$/im)
    expect([...listeners], 'it listens no more').to.deep.equal([])
    await waitUntil('the connection is closed', () => server.countOpenConnections() === 0, 15_000)
  })
})

describe('Outbox of messages', () => {
  it('keeps what no transport can send, and tells the courier of what one can', async () => {
    const mail = { to: 'anna@example.com', channel: 'email', subject: 'Hello', text: 'World' } as const
    const sms = { to: '+49', channel: 'sms', subject: '', text: 'Hi' } as const
    for (const [settings, message, status] of [
      [{}, mail, 'kept'],
      [{ smsUrl: 'http://gateway' }, mail, 'kept'],
      [{ smtpUrl: 'smtp://mail' }, mail, 'queued'],
      [{ smtpUrl: 'smtp://mail' }, sms, 'kept'],
      [{ smsUrl: 'http://gateway' }, sms, 'queued'],
    ] as const) {
      const database = new FakeDatabase()
      const notified: unknown[] = []
      const notify = async (...notice: unknown[]) => {
        await new Promise((resolve) => setImmediate(resolve))
        notified.push(notice)
      }
      const notices = { notify } as unknown as Notices
      await createPost({ settings, notices }).sendMessage(database.knex, message)
      const [written] = database.statements
      expect(written?.bindings.slice(1)).to.deep.equal([
        message.channel,
        message.to,
        message.subject,
        message.text,
        status,
      ])
      expect(database.openCount).to.equal(0)
      expect(notified).to.deep.equal(status === 'queued' ? [[database.knex, messageChannel, '']] : [])
    }
  })
})
