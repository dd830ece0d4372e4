import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Knex } from 'knex'
import pg from 'pg'
import {
  copyPieces,
  copyRows,
  escapeCopyJson,
  escapeCopyList,
  escapeCopyText,
  type CopySource,
} from '../../../../core/database/copy.ts'
import { collectUnhandledRejections } from '../../queue/support/rejections.ts'
import { useServers } from '../../queue/servers.ts'

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (cause: Error) => cause.message,
  )

/** Longer than everything that the buffers of a connection take, in pieces of the longest size. */
const pieceLength = 65_536
const manyPieces = 256

describe('core/database/copy: what goes over the wire', () => {
  const servers = useServers()
  let client: pg.Client
  let trx: Knex.Transaction
  let release: (() => Promise<unknown>) | undefined

  beforeEach(async () => {
    const { db, database } = servers()
    await db.raw('create table copied_one (n int primary key, text text); create table copied_two (n int)')
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    trx = await db.transaction()
  })
  afterEach(async () => {
    await release?.()
    release = undefined
    await trx.rollback()
    await client.end()
    await servers().db.raw('drop table if exists copied_one, copied_two')
  })

  /** Lets the server wait before it reads rows of the first table, until `release` is called. */
  async function holdTable(): Promise<Knex.Transaction> {
    const holder = await servers().db.transaction()
    await holder.raw('lock table copied_one in share mode')
    release = () => holder.rollback()
    return holder
  }
  /** So many rows, each as long as a piece. */
  function* makeLines(made: { count: number }, count = manyPieces): Generator<string> {
    for (; made.count < count; made.count++) yield `${made.count}\t${'x'.repeat(pieceLength)}\n`
  }
  async function* makePieces(made: { count: number }, count = manyPieces): AsyncGenerator<Buffer> {
    for (const line of makeLines(made, count)) yield Buffer.from(line)
  }
  const makeNumbers = async function* (...numbers: readonly unknown[]) {
    for (const number of numbers) yield Buffer.from(`${number}\n`)
  }
  const countRows = async (db: Knex = trx, table = 'copied_one') => {
    const [row] = await db(table).count<{ count: string }[]>('*')
    return Number(row?.count)
  }
  /** Waits until nothing further is made. */
  const waitForRest = async (made: { count: number }) => {
    for (let before = -1; made.count > before;) {
      before = made.count
      await sleep(100)
    }
  }

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
      { into: 'copied_one (n)', lines: ['1\n', '2\n'] },
      { into: 'copied_two', lines: [] },
      { into: 'copied_two', lines: ['3\n'] },
    ]
    await holdTable()
    const { stored } = await copyRows(trx, sources)
    let isStored = false
    void stored.then(() => (isStored = true))
    await sleep(30)
    expect(isStored, 'before the answer').to.equal(false)
    await release?.()
    await stored
    expect([await trx('copied_one').pluck('n'), await trx('copied_two').pluck('n')]).to.deep.equal([[1, 2], [3]])
  })

  it('sends rows in pieces of 64 Ki characters, and lets other work run in between', async () => {
    let turn = 0
    const count = () => {
      turn++
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const lines = ['0\t'.padEnd(pieceLength - 2, 'a') + '\n', '1\n', '2\t'.padEnd(pieceLength, 'c') + '\n', '3\n']
    const turns: number[] = []
    const noted = (function* () {
      for (const line of lines) {
        turns.push(turn)
        yield line.includes('\t') ? line : line.replace('\n', '\td\n')
      }
    })()
    const { stored } = await copyRows(trx, [{ into: 'copied_one', lines: noted }]).finally(() =>
      clearImmediate(counting),
    )
    await stored
    const [first = 0, second, third = 0, fourth = 0] = turns
    expect(second, 'of the same piece').to.equal(first)
    expect([third > first, fourth > third], 'a turn for each piece').to.deep.equal([true, true])
    expect(await trx('copied_one').orderBy('n').pluck('n')).to.deep.equal([0, 1, 2, 3])
  })

  it('waits while the connection has enough to send, unless rows shall be made ahead', async () => {
    await holdTable()
    const ahead = { count: 0 }
    const { stored } = await copyRows(trx, [{ into: 'copied_one', lines: makeLines(ahead), ahead: true }])
    expect(ahead.count).to.equal(manyPieces)
    await release?.()
    await stored
    expect(await countRows()).to.equal(manyPieces)
    await trx.raw('truncate copied_one')
    await trx.commit()
    await holdTable()
    trx = await servers().db.transaction()
    const made = { count: 0 }
    const sent = copyRows(trx, [{ into: 'copied_one', lines: makeLines(made) }])
    await waitForRest(made)
    expect(made.count).to.be.within(1, manyPieces - 1)
    await release?.()
    await (
      await sent
    ).stored
    expect([made.count, await countRows()]).to.deep.equal([manyPieces, manyPieces])
  })

  it('ends with the error of the server, also while it waits', async () => {
    const holder = await holdTable()
    const made = { count: 0 }
    const failed = failureOf(copyRows(trx, [{ into: 'copied_one', lines: makeLines(made) }]))
    await waitForRest(made)
    await holder.raw('drop table copied_one')
    await holder.commit()
    release = undefined
    expect(await failed).to.equal('relation "copied_one" does not exist')
    expect(made.count).to.be.below(manyPieces)
  })

  it('sends nothing after an error of the server', async () => {
    const made = { count: 0 }
    const lines = makeLines(made, Infinity)
    expect(await failureOf(copyRows(trx, [{ into: 'no_table', lines }]))).to.equal('relation "no_table" does not exist')
    expect([...lines], 'the rest of the rows').to.deep.equal([])
  })

  it('passes on an error that comes after all is sent to whoever waits for it, and to nobody else', async () => {
    await holdTable()
    const { stored } = await copyRows(trx, [{ into: 'copied_one (n)', lines: ['1\n', '1\n'] }])
    const fail = async () => {
      await release?.()
      await sleep(50)
    }
    expect(await collectUnhandledRejections(fail)).to.deep.equal([])
    expect(await failureOf(stored)).to.include('duplicate key value')
  })

  it('bears an error of the server that comes before the first piece is there', async () => {
    const { promise: first, resolve } = Promise.withResolvers<void>()
    const pieces = (async function* () {
      await first
      yield Buffer.from('1\n')
    })()
    const failed = failureOf(copyPieces(client, 'no_table', pieces))
    expect(await collectUnhandledRejections(() => sleep(50))).to.deep.equal([])
    resolve()
    expect(await failed).to.equal('relation "no_table" does not exist')
  })

  it('ends with the error of a connection that is lost before the statement begins', async () => {
    await client.end()
    expect(await failureOf(copyPieces(client, 'copied_one (n)', makeNumbers(1)))).to.include('not queryable')
  })

  it('has the server discard rows that cannot be made, and waits until it has', async () => {
    const lines = (function* () {
      yield `1\t${'x'.repeat(pieceLength)}\n`
      throw new Error('no second row')
    })()
    const pieces = (async function* () {
      yield Buffer.from('1\n')
      throw new Error('no second row')
    })()
    for (const [into, copy] of [
      ['copied_one', () => copyRows(trx, [{ into: 'copied_one', lines }])],
      ['copied_one (n)', () => copyPieces(client, 'copied_one (n)', pieces)],
    ] as const) {
      await holdTable()
      let failure: string | undefined
      const failed = failureOf(copy()).then((message) => (failure = message))
      await sleep(30)
      expect(failure, into).to.equal(undefined)
      await release?.()
      await failed
      expect(failure).to.equal('no second row')
      expect(await countRows(servers().db), into).to.equal(0)
      await trx.rollback()
    }
    await copyPieces(client, 'copied_one (n)', makeNumbers(1))
    expect(await countRows(servers().db), 'the connection can be used').to.equal(1)
  })

  it('takes no further piece while the connection has enough to send', async () => {
    await holdTable()
    const made = { count: 0 }
    const stored = copyPieces(client, 'copied_one', makePieces(made))
    await waitForRest(made)
    expect(made.count).to.be.within(1, manyPieces - 1)
    await release?.()
    await stored
    expect(await countRows()).to.equal(manyPieces)
  })

  it('ends with an error of the server that comes before the last piece is sent', async () => {
    const pieces = (async function* () {
      yield Buffer.from('no number\n')
      for (;;) {
        await sleep(5)
        yield Buffer.from('1\n')
      }
    })()
    expect(await failureOf(copyPieces(client, 'copied_two', pieces))).to.include('invalid input syntax')
    expect(await countRows(trx, 'copied_two')).to.equal(0)
  })

  it('sends pieces as they come, and waits until they are stored', async () => {
    await copyPieces(client, 'copied_one (n)', makeNumbers(1, 2))
    expect(await trx('copied_one').orderBy('n').pluck('n')).to.deep.equal([1, 2])
  })
})
