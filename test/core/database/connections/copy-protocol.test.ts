import { EventEmitter } from 'node:events'
import { expect } from 'chai'
import type { Knex } from 'knex'
import type { Client } from 'pg'
import {
  copyPieces,
  copyRows,
  escapeCopyJson,
  escapeCopyList,
  escapeCopyText,
  type CopySource,
} from '../../../../core/database/copy.ts'
import { collectUnhandledRejections } from '../../queue/fakes/rejections.ts'

interface Statement {
  submit(connection: unknown): void
  callback(error?: Error): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

/** A connection that keeps what is sent on it. Nobody answers; a test does that itself. */
class FakeWire extends EventEmitter {
  readonly queries: string[] = []
  readonly messages: Buffer[] = []
  readonly refusals: string[] = []
  /** Number of turns of the event loop after which each message was sent. */
  readonly sentAtTurn: number[] = []
  turn = 0
  writableNeedDrain = false
  statement: Statement | undefined
  /** What the driver heard of the end of the statement. */
  readonly heard: (Error | undefined)[] = []
  #parts: Buffer[] | null = null
  readonly stream = this

  query(text: string): void {
    this.queries.push(text)
  }

  sendCopyFail(reason: string): void {
    this.refusals.push(reason)
  }

  cork(): void {
    this.#parts = []
  }

  write(part: Buffer): void {
    if (this.#parts) this.#parts.push(part)
    else this.messages.push(part)
  }

  uncork(): void {
    this.messages.push(Buffer.concat(this.#parts ?? []))
    this.sentAtTurn.push(this.turn)
    this.#parts = null
  }

  /** A driver that submits each statement at once, unless the connection is lost. */
  createClient(isLost = false): Client {
    return {
      query: (statement: Statement) => {
        this.statement = statement
        statement.callback = (error) => void this.heard.push(error)
        if (!isLost) statement.submit(this)
      },
    } as unknown as Client
  }

  createTransaction(isLost = false): Knex.Transaction {
    return { client: { acquireConnection: async () => this.createClient(isLost) } } as unknown as Knex.Transaction
  }
}

const dataOf = (messages: readonly Buffer[]) =>
  messages.map((message) => {
    const kind = String.fromCharCode(message[0] ?? 0)
    expect(message.readUInt32BE(1), 'the length').to.equal(message.length - 1)
    return `${kind}${message.subarray(5).toString('utf8')}`
  })
const settle = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (cause: Error) => cause.message,
  )

describe('core/database/copy: what goes over the wire', () => {
  let wire: FakeWire

  beforeEach(() => {
    wire = new FakeWire()
  })

  it('escapes what COPY reads as its own', () => {
    expect(escapeCopyText(null)).to.equal('\\N')
    expect([escapeCopyText('plain'), escapeCopyText('a\tb\nc\rd\\e\t')]).to.deep.equal([
      'plain',
      'a\\tb\\nc\\rd\\\\e\\t',
    ])
    expect([escapeCopyJson('{"a":1}'), escapeCopyJson('"\\n\\t"')]).to.deep.equal(['{"a":1}', '"\\\\n\\\\t"'])
    expect([escapeCopyList([]), escapeCopyList(['a', '"\\\n'])]).to.deep.equal(['{}', '{"a","\\\\"\\\\\\\\\\n"}'])
  })

  it('is one statement for all tables, then the rows of each with their end', async () => {
    const sources: CopySource[] = [
      { into: 'one (n)', lines: ['1\n', '2\n'] },
      { into: 'two', lines: [] },
    ]
    const { stored } = await copyRows(wire.createTransaction(), sources)
    expect(wire.queries).to.deep.equal(['copy one (n) from stdin;copy two from stdin'])
    expect(dataOf(wire.messages)).to.deep.equal(['d1\n2\n', 'c', 'c'])
    let isStored = false
    void stored.then(() => (isStored = true))
    await settle()
    expect(isStored, 'before the answer').to.equal(false)
    wire.statement?.handleReadyForQuery()
    await stored
    expect(wire.heard).to.deep.equal([undefined])
  })

  it('sends rows in pieces of 64 Ki characters, and lets other work run in between', async () => {
    const count = () => {
      wire.turn++
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const lines = ['a'.repeat(65_535), 'b', 'c'.repeat(65_536), 'd']
    await copyRows(wire.createTransaction(), [{ into: 'one', lines }]).finally(() => clearImmediate(counting))
    expect(dataOf(wire.messages)).to.deep.equal([`d${lines[0]}b`, `d${lines[2]}`, 'dd', 'c'])
    expect(new Set(wire.sentAtTurn.slice(0, 3)).size, 'turns').to.equal(3)
  })

  it('waits while the connection has enough to send, unless rows shall be made ahead', async () => {
    wire.writableNeedDrain = true
    const { stored } = await copyRows(wire.createTransaction(), [{ into: 'one', lines: ['1\n'], ahead: true }])
    expect(dataOf(wire.messages)).to.deep.equal(['d1\n', 'c'])
    wire.statement?.handleReadyForQuery()
    await stored
    wire = new FakeWire()
    wire.writableNeedDrain = true
    let isSent = false
    const sent = copyRows(wire.createTransaction(), [{ into: 'one', lines: ['1\n'] }]).then(() => (isSent = true))
    await settle()
    expect([wire.messages.length, wire.listenerCount('drain')]).to.deep.equal([1, 1])
    wire.emit('drain')
    await settle()
    expect([isSent, wire.messages.length, wire.listenerCount('drain')], 'at its end').to.deep.equal([false, 2, 1])
    wire.emit('drain')
    await sent
    expect([isSent, wire.messages.length, wire.listenerCount('drain')]).to.deep.equal([true, 2, 0])
  })

  it('ends with the error of the server, also while it waits, and then refuses nothing itself', async () => {
    wire.writableNeedDrain = true
    const failed = failureOf(copyRows(wire.createTransaction(), [{ into: 'one', lines: ['1\n'] }]))
    await settle()
    const error = new Error('there is no such table')
    wire.statement?.handleError(error)
    expect(await failed).to.equal('there is no such table')
    expect([wire.refusals, wire.listenerCount('drain'), wire.heard.length]).to.deep.equal([[], 0, 1])
  })

  it('sends nothing after an error of the server', async () => {
    const lines = (function* () {
      yield 'x'.repeat(65_536)
      wire.statement?.handleError(new Error('there is no such table'))
      yield 'y'.repeat(65_536)
    })()
    expect(await failureOf(copyRows(wire.createTransaction(), [{ into: 'one', lines }]))).to.equal(
      'there is no such table',
    )
    expect(wire.messages).to.have.length(1)
  })

  it('passes on an error that comes after all is sent to whoever waits for it, and to nobody else', async () => {
    const { stored } = await copyRows(wire.createTransaction(), [{ into: 'one', lines: ['1\n'] }])
    const fail = async () => wire.statement?.handleError(new Error('a key is there twice'))
    expect(await collectUnhandledRejections(fail)).to.deep.equal([])
    expect(await failureOf(stored)).to.equal('a key is there twice')
  })

  it('bears an error of the server that comes before the first piece is there', async () => {
    const { promise: first, resolve } = Promise.withResolvers<void>()
    const pieces = (async function* () {
      await first
      yield Buffer.from('1\n')
    })()
    const failed = failureOf(copyPieces(wire.createClient(), 'one', pieces))
    const fail = async () => wire.statement?.handleError(new Error('there is no such table'))
    expect(await collectUnhandledRejections(fail)).to.deep.equal([])
    resolve()
    expect(await failed).to.equal('there is no such table')
  })

  it('ends with the error of a connection that is lost before the statement begins', async () => {
    const failed = failureOf(copyRows(wire.createTransaction(true), [{ into: 'one', lines: ['1\n'] }]))
    await settle()
    wire.statement?.handleError(new Error('the connection is lost'))
    expect(await failed).to.equal('the connection is lost')
    expect([wire.messages, wire.refusals]).to.deep.equal([[], []])
  })

  it('has the server discard rows that cannot be made, and waits until it has', async () => {
    const rows = (function* () {
      yield 'x'.repeat(65_536)
      throw new Error('no second row')
    })()
    const pieces = (async function* () {
      yield Buffer.from('1\n')
      throw new Error('no second row')
    })()
    for (const copy of [
      () => copyRows(wire.createTransaction(), [{ into: 'one', lines: rows }]),
      () => copyPieces(wire.createClient(), 'one', pieces),
    ]) {
      wire = new FakeWire()
      let failure: string | undefined
      const failed = failureOf(copy()).then((message) => (failure = message))
      await settle()
      expect([wire.refusals.length, wire.messages.length, failure]).to.deep.equal([1, 1, undefined])
      wire.statement?.handleError(new Error('COPY from stdin failed'))
      await failed
      expect(failure).to.equal('no second row')
    }
  })

  it('takes no further piece while the connection has enough to send', async () => {
    wire.writableNeedDrain = true
    let takenCount = 0
    const pieces = (async function* () {
      for (; takenCount < 2; takenCount++) yield Buffer.from('1\n')
    })()
    const stored = copyPieces(wire.createClient(), 'one', pieces)
    await settle()
    expect([takenCount, wire.messages.length]).to.deep.equal([0, 1])
    for (const sentCount of [2, 3]) {
      wire.emit('drain')
      await settle()
      expect([wire.messages.length, wire.listenerCount('drain')]).to.deep.equal([sentCount, 1])
    }
    wire.statement?.handleReadyForQuery()
    await stored
  })

  it('ends with an error of the server that comes before the last piece is sent', async () => {
    const pieces = (async function* () {
      yield Buffer.from('1\n')
      wire.statement?.handleError(new Error('there is no such table'))
    })()
    expect(await failureOf(copyPieces(wire.createClient(), 'one', pieces))).to.equal('there is no such table')
    expect([wire.refusals, wire.messages.length]).to.deep.equal([[], 1])
  })

  it('sends pieces as they come, and waits until they are stored', async () => {
    const pieces = (async function* () {
      yield Buffer.from('1\n')
      yield Buffer.from('2\n')
    })()
    let isStored = false
    const stored = copyPieces(wire.createClient(), 'one (n)', pieces).then(() => (isStored = true))
    await settle()
    expect([wire.queries, dataOf(wire.messages), isStored]).to.deep.equal([
      ['copy one (n) from stdin'],
      ['d1\n', 'd2\n', 'c'],
      false,
    ])
    wire.statement?.handleReadyForQuery()
    await stored
  })
})
