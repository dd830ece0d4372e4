import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import {
  commitHold,
  HoldEndedError,
  readBalances,
  releaseExpiredHolds,
  releaseHold,
  reserveAmount,
  type Book,
} from '../../../core/ledger/index.ts'
import { useServers } from '../queue/servers.ts'
import { createBook, createOperation, credit, debit, formatResult } from './books.ts'

describe('core/ledger: holds', () => {
  const servers = useServers()
  const db = () => servers().db
  let book: Book
  let owner: string
  beforeEach(async () => {
    book = await createBook(db())
    owner = v7()
    await credit(db(), book, { owner, amount: 10n })
  })

  const inTransaction = <T>(act: (trx: Knex) => Promise<T>) => db().transaction(act)
  const reserve = (amount: bigint, operation = createOperation(), expiresAt?: Date) =>
    inTransaction((trx) => reserveAmount(trx, { operation, book, owner, amount, ...(expiresAt && { expiresAt }) }))
  const commit = (hold: string, operation: string, amount?: bigint) =>
    inTransaction((trx) =>
      commitHold(trx, {
        ...{ hold, operation, kind: 'burn', book, owner, occurredAt: new Date() },
        ...(amount !== undefined && { amount }),
      }),
    )
  const readHeld = async () => {
    const balance = (await readBalances(db(), book.id, [owner])).get(owner)
    return [balance?.amount, balance?.held]
  }

  it('keep an amount from being spent, once an operation, and refuse more than there is', async () => {
    const operation = createOperation()
    expect((await reserve(6n, operation)).status).to.equal('held')
    expect((await reserve(6n, operation)).status).to.equal('known')
    expect(await readHeld()).to.deep.equal([10n, 6n])
    expect(await reserve(5n)).to.deep.include({ status: 'refused', available: 4n })
    expect((await debit(db(), book, { owner, amount: 5n })).map(formatResult)).to.deep.equal(['refused 4'])
    expect((await debit(db(), book, { owner, amount: 4n })).map(formatResult)).to.deep.equal(['posted -4 6 debt 0'])
  })

  it('are committed once, in part too, and then nothing is held', async () => {
    const [hold, operation] = [createOperation(), createOperation()]
    await reserve(6n, hold)
    await inTransaction((trx) => commitHold(trx, createCommit(hold, 7n))).then(
      () => expect.fail('more than is held was taken'),
      (error: unknown) => expect(error).to.be.instanceOf(RangeError),
    )
    expect(formatResult(await commit(hold, operation, 5n))).to.equal('posted -5 5 debt 0')
    expect(formatResult(await commit(hold, operation, 5n))).to.equal('known -5 5 debt 0')
    expect(await readHeld()).to.deep.equal([5n, 0n])
    expect(await commit(hold, createOperation()).catch((error: unknown) => error)).to.be.instanceOf(HoldEndedError)
  })

  const createCommit = (hold: string, amount: bigint) => ({
    ...{ hold, operation: createOperation(), kind: 'burn', book, owner, occurredAt: new Date(), amount },
  })

  it('are committed beyond what there is by then, as debt', async () => {
    const hold = createOperation()
    await reserve(6n, hold)
    await debit(db(), book, { owner, amount: 8n, mayGoBelowZero: true })
    expect(formatResult(await commit(hold, createOperation()))).to.equal('posted -6 -4 debt 4')
  })

  it('are released by their owner or when their time is over, and cannot be committed then', async () => {
    const [first, second] = [createOperation(), createOperation()]
    await reserve(3n, first)
    await reserve(4n, second, new Date(Date.now() + 3_600_000))
    const release = () => inTransaction((trx) => releaseHold(trx, { hold: first, book, owner }))
    expect([await release(), await release()]).to.deep.equal([true, false])
    expect(await readHeld()).to.deep.equal([10n, 4n])
    const at = new Date(Date.now() + 7_200_000)
    const sweep = () => inTransaction((trx) => releaseExpiredHolds(trx, { at, maxHolds: 100 }))
    expect([await sweep(), await sweep()]).to.deep.equal([1, 0])
    expect(await readHeld()).to.deep.equal([10n, 0n])
    for (const hold of [first, second])
      expect(await commit(hold, createOperation()).catch((error: unknown) => error)).to.be.instanceOf(HoldEndedError)
  })

  it('are as many as there is, however many race', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => reserve(1n)))
    expect(made.filter(({ status }) => status === 'held')).to.have.length(10)
    expect(await readHeld()).to.deep.equal([10n, 10n])
  })
})
