import { EventEmitter } from 'node:events'
import { expect } from 'chai'
import pg from 'pg'
import { pino } from 'pino'
import { createNotices, presenceLocks, type PostgresNotices } from '../../../../core/database/notices.ts'
import { waitUntil } from '../../../support/processes.ts'
import { FakeDatabase } from '../../queue/fakes/fake-database.ts'

/** A connection of the driver that answers each statement when the test lets it. */
class FakeClient extends EventEmitter {
  readonly texts: string[] = []
  readonly values: unknown[] = []
  hasEnded = false
  readonly url: string

  constructor({ connectionString }: { connectionString: string }) {
    super()
    this.url = connectionString
  }

  async connect(): Promise<void> {
    clients.push(this)
    await connecting()
  }

  async query(text: string, values?: unknown[]): Promise<void> {
    this.texts.push(text)
    this.values.push(values)
    await answering(text)
  }

  async end(): Promise<void> {
    this.hasEnded = true
  }
}

let clients: FakeClient[] = []
let connecting: () => Promise<void>
let answering: (text: string) => Promise<void>

describe('core/database/notices: the connection of a process', () => {
  const { Client } = pg
  const realRandom = Math.random
  let notices: PostgresNotices
  let lines: string[]

  beforeEach(() => {
    ;[clients, lines] = [[], []]
    connecting = answering = async () => undefined
    pg.Client = FakeClient as never
    Math.random = () => 0
  })
  afterEach(async () => {
    await notices.close()
    pg.Client = Client
    Math.random = realRandom
  })

  const start = () => {
    const log = pino({}, { write: (line) => void lines.push(line) })
    notices = createNotices({ url: 'postgres://nobody@nowhere/none', log })
  }

  it('shows others that the process lives, then listens to all channels at once and calls their listeners', async () => {
    const listening = Promise.withResolvers<void>()
    answering = async (text) => {
      expect(notices.processNumber, text).to.equal(text.startsWith('listen') ? notices.number : null)
      if (text.startsWith('listen')) await listening.promise
    }
    start()
    const heard: string[] = []
    for (const channel of ['one', 'two']) notices.subscribe(channel, (payload) => heard.push(`${channel} ${payload}`))
    await waitUntil('it listens', () => clients[0]?.texts.length === 2)
    const [client] = clients
    expect(client?.texts[1]).to.equal('listen "one"; listen "two"')
    expect(client?.url).to.equal('postgres://nobody@nowhere/none')
    expect(client?.values[0]).to.deep.equal([presenceLocks, notices.number])
    expect(heard).to.deep.equal([])
    listening.resolve()
    await notices.ready()
    expect(heard).to.deep.equal(['one ', 'two '])
    client?.emit('notification', { channel: 'two', payload: 'x' })
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
    expect(clients[0]?.texts.filter((text) => text.startsWith('listen'))).to.deep.equal(['listen "one"'])
    clients[0]?.emit('notification', { channel: 'one', payload: 'x' })
    expect(heard.slice(2)).to.deep.equal(['first', 'other x'])
    end()
    endOther()
    clients[0]?.emit('notification', { channel: 'one', payload: 'y' })
    expect(heard).to.have.length(4)
  })

  it('is ended where it cannot listen to a further channel', async () => {
    start()
    await notices.ready()
    answering = () => Promise.reject(new Error('no'))
    notices.subscribe('one', () => undefined)
    // In less than the eight seconds after which a statement would notice it.
    await waitUntil('it is ended', () => clients[0]?.hasEnded === true, 5_000)
  })

  it('is made anew when it is lost, with all channels, and says why it was lost', async () => {
    start()
    notices.subscribe('one', () => undefined)
    await notices.ready()
    for (const [at, event] of ['error', 'end'].entries()) {
      clients[at]?.emit(event, new Error('the server is gone'))
      await waitUntil('another one is made', () => clients.length === at + 2)
      expect(clients[at]?.hasEnded).to.equal(true)
      await notices.ready()
      expect([notices.processNumber, clients[at + 1]?.texts[1]]).to.deep.equal([notices.number, 'listen "one"'])
    }
    const causes = lines.map((line) => (JSON.parse(line) as { err: { message: string } }).err.message)
    expect(causes).to.deep.equal(['the server is gone', 'the connection ended'])
  })

  it('is nobody while it is lost, and does not wait for statements of the connection before', async () => {
    start()
    await notices.ready()
    answering = () => new Promise(() => {})
    notices.subscribe('one', () => undefined)
    await waitUntil('it listens', () => clients[0]?.texts.length === 2)
    const going = Promise.withResolvers<void>()
    connecting = () => going.promise
    answering = async () => undefined
    clients[0]?.emit('error', new Error('the server is gone'))
    await waitUntil('another one is made', () => clients.length === 2)
    expect(notices.processNumber).to.equal(null)
    going.resolve()
    await notices.ready()
    expect(clients[1]?.texts).to.have.length(2)
  })

  it('ends quietly when the notices are closed, without a further statement', async () => {
    start()
    await notices.ready()
    await notices.close()
    expect([lines, clients.length, clients[0]?.hasEnded, clients[0]?.texts.length]).to.deep.equal([[], 1, true, 1])
    expect(notices.processNumber).to.equal(null)
  })

  it('carries notices of 7,900 bytes at most, in the transaction of the caller', async () => {
    start()
    const database = new FakeDatabase()
    await notices.notify(database.knex, 'one', 'é'.repeat(3_950))
    expect(database.openCount).to.equal(0)
    expect(database.statements[0]?.bindings).to.deep.equal(['one', 'é'.repeat(3_950)])
    const refused = await notices
      .notify(database.knex, 'one', `é${'x'.repeat(7_899)}`)
      .catch((cause: Error) => cause.message)
    expect([refused, database.statements.length]).to.deep.equal(['A notice takes at most 7900 bytes', 1])
    for (const name of ['One', '', 'o"ne', 'o'.repeat(61), 'one 2'])
      expect(() => notices.subscribe(name, () => undefined), name).to.throw('is no name of a channel')
  })

  it('lets others see whether the process is gone', async () => {
    start()
    for (const [rows, isGone] of [
      [[{ gone: true }], true],
      [[{ gone: false }], false],
      [[], false],
    ] as const) {
      const database = new FakeDatabase(() => rows)
      expect(await notices.isProcessGone(database.knex, 5)).to.equal(isGone)
      expect(database.statements[0]?.bindings).to.deep.equal([presenceLocks, 5])
    }
  })
})
