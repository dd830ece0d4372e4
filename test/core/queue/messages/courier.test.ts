import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { startCourier } from '../../../../core/queue/messages/courier.ts'
import { createPost, messageChannel } from '../../../../core/queue/messages/outbox.ts'
import { waitUntil } from '../../../support/processes.ts'
import { deleteMessagesAbout } from '../../../support/rows/queue/deleted-messages.ts'
import { listLetters, queueLetters, type NewLetters } from '../../../support/rows/queue/runs/letters.ts'
import { createQueueParts, type QueueParts } from '../parts.ts'
import { useServers } from '../servers.ts'
import { startMailServer, startTextGateway } from './mailbox.ts'

/** A value of `Math.random` with which a repetition waits for 20 of its intervals. */
const slowly = 100

describe('Courier and outbox of messages', () => {
  const servers = useServers()
  const realRandom = Math.random
  const stops: (() => unknown)[] = []
  let parts: QueueParts
  /** Number of notices that a message waits. */
  let noticeCount = 0
  /** The messages of the running test. */
  let subject: string

  before(async () => {
    parts = createQueueParts(servers().database.url, undefined)
    // The connection listens from the beginning, so that a courier that subscribes is not told to look once more.
    parts.notices.subscribe(messageChannel, () => void noticeCount++)
    await parts.notices.ready()
  })
  after(() => parts.close())
  beforeEach(() => {
    noticeCount = 0
    subject = `Your code ${randomUUID()}`
  })
  afterEach(async () => {
    Math.random = realRandom
    for (const stop of stops.splice(0).reverse()) await stop()
    await deleteMessagesAbout(servers().db, subject)
  })

  const queue = (letters: Omit<NewLetters, 'subject'> = {}) => queueLetters(servers().db, { subject, ...letters })
  const list = () => listLetters(servers().db, subject)
  const find = async (id: string | undefined) => (await list()).find((letter) => letter.id === id)
  const start = (settings: object) => {
    const context = {
      ...parts.context,
      settings: { ...parts.context.settings, publicUrl: 'https://shop.example.com:8443', ...settings },
    }
    const courier = startCourier({ context })
    stops.push(() => courier.stop())
    return courier
  }
  const useGateway = async (statuses: number[] = [], mayAnswer?: Promise<void>) => {
    const gateway = await startTextGateway(statuses, mayAnswer)
    stops.push(gateway.stop)
    return gateway
  }
  const ring = async () => {
    const before = noticeCount
    await parts.notices.notify(parts.context.db, messageChannel, '')
    await waitUntil('the notice is heard', () => noticeCount > before)
  }

  it('looks for nothing without a transport', async () => {
    await queue({ channel: 'email' })
    await queue({ channel: 'sms' })
    for (const settings of [{}, { production: true }]) {
      const courier = start(settings)
      await ring()
      await courier.stop()
    }
    expect((await list()).map(({ status, attempts }) => [status, attempts])).to.deep.equal([
      ['queued', 0],
      ['queued', 0],
    ])
  })

  it('takes messages of the channels that it has transports for, eight at a time until none is left', async () => {
    Math.random = () => slowly
    const answering = Promise.withResolvers<void>()
    const { url, texts } = await useGateway([], answering.promise)
    const ids = await queue({ count: 17 })
    const [mail] = await queue({ channel: 'email' })
    const countTaken = async () => (await list()).filter(({ attempts }) => attempts > 0).length
    start({ smsUrl: url })
    await waitUntil('eight are under way', () => texts.length === 8, 15_000)
    await sleep(50)
    expect([texts.length, await countTaken()]).to.deep.equal([8, 8])
    answering.resolve()
    await waitUntil(
      'all are sent',
      async () => (await list()).filter(({ status }) => status === 'sent').length === 17,
      15_000,
    )
    expect(texts.map(({ id }) => id)).to.have.members(ids)
    for (const id of ids) expect(await find(id)).to.include({ status: 'sent', body: '', attempts: 1 })
    expect(await find(mail), 'of a channel without a transport').to.include({ status: 'queued', attempts: 0 })
  })

  it('looks again at once for a notice', async () => {
    Math.random = () => slowly
    const { url } = await useGateway()
    const [first] = await queue()
    start({ smsUrl: url })
    await waitUntil('it has looked', async () => (await find(first))?.status === 'sent', 15_000)
    const [second] = await queue()
    await sleep(50)
    expect(await find(second), 'before the notice').to.include({ status: 'queued', attempts: 0 })
    await ring()
    await waitUntil('it looks again', async () => (await find(second))?.status === 'sent', 15_000)
  })

  it('tries again later, and gives up what is refused for good or was tried nine times', async () => {
    Math.random = () => slowly
    const { url } = await useGateway([500, 500, 404])
    const [eighth] = await queue({ attempts: 7 })
    start({ smsUrl: url })
    // A message that is taken is due again in a minute, should its courier die.
    await waitUntil('it is put off', async () => Number((await find(eighth))?.dueInSeconds) > 60)
    // The default: two seconds that double to five minutes, times the random part.
    const seconds = 2 * 2 ** 7 * (0.5 + slowly)
    expect((await find(eighth))?.dueInSeconds).to.be.within(seconds - 30, seconds)
    expect(await find(eighth)).to.include({ status: 'queued', attempts: 8, body: 'The code is 1.' })
    const [ninth] = await queue({ attempts: 8 })
    await ring()
    await waitUntil('it is over', async () => (await find(ninth))?.status !== 'queued')
    const [refused] = await queue()
    await ring()
    await waitUntil('it is over', async () => (await find(refused))?.status !== 'queued')
    expect(await find(ninth)).to.include({ status: 'failed', attempts: 9, body: '' })
    expect(await find(refused)).to.include({ status: 'failed', attempts: 1, body: '' })
  })

  it('waits for messages under way when it stops, and ends its connections then', async () => {
    Math.random = () => slowly
    const server = await startMailServer()
    stops.push(server.stop)
    const [id] = await queue({ channel: 'email', recipient: 'anna@example.com' })
    const courier = start({ smtpUrl: server.url })
    await waitUntil('it takes the message', async () => (await find(id))?.attempts === 1)
    await courier.stop()
    const mails = server.mails.filter(({ content }) => content.includes(subject))
    expect([mails.length, (await find(id))?.status]).to.deep.equal([1, 'sent'])
    expect(mails[0]?.content).to.match(new RegExp(`^Message-ID: <${id ?? ''}@shop\\.example\\.com>$`, 'im'))
    const [late] = await queue({ channel: 'email', recipient: 'anna@example.com' })
    await ring()
    await sleep(50)
    expect(await find(late), 'it listens no more').to.include({ status: 'queued', attempts: 0 })
    await waitUntil('the connection is closed', () => server.countOpenConnections() === 0, 15_000)
  })

  it('keeps what no transport can send, and tells the courier of what one can', async () => {
    const mail = {
      to: 'anna@example.com',
      channel: 'email',
      subject,
      parts: ['World'],
      language: 'en',
      application: null,
    } as const
    const sms = { to: '+49', channel: 'sms', subject, text: 'Hi' } as const
    let expectedCount = 0
    for (const [settings, message, status] of [
      [{}, mail, 'kept'],
      [{ smsUrl: 'http://gateway' }, mail, 'kept'],
      [{ smtpUrl: 'smtp://mail' }, sms, 'kept'],
      [{ smtpUrl: 'smtp://mail' }, mail, 'queued'],
      [{ smsUrl: 'http://gateway' }, sms, 'queued'],
    ] as const) {
      const renderMail = async () => '<p>World</p>'
      const post = createPost({ settings, notices: parts.notices, renderMail })
      await parts.context.db.transaction((trx) => post.sendMessage(trx, message))
      const written = (await list()).at(-1)
      const { channel, to: recipient } = message
      const [body, html] = channel === 'email' ? ['World\n', '<p>World</p>'] : ['Hi', null]
      expect(written).to.include({ channel, recipient, body, html, status, attempts: 0 })
      if (status === 'queued') expectedCount++
      await waitUntil('the courier is told', () => noticeCount >= expectedCount)
    }
    await sleep(50)
    expect([noticeCount, (await list()).length]).to.deep.equal([2, 5])
  })
})
