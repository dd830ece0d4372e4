import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import { connectDatabase } from '../../../core/database/connection.ts'
import { readBalances, verifyLedger } from '../../../core/ledger/index.ts'
import { countEntries } from '../../support/rows/ledger/entries.ts'
import { useServers } from '../queue/servers.ts'
import { createBook, createOperation, credit, debit } from './books.ts'

const racers = 50

describe('core/ledger: fifty at once on one owner', function () {
  this.timeout(60_000)
  const servers = useServers()
  let db: Knex
  before(() => {
    db = connectDatabase({ url: servers().database.url, name: 'tests', maxConnections: 20 })
  })
  after(() => db.destroy())

  const race = <T>(act: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: racers }, (_, at) => act(at)))

  it('credit what all of them came to', async () => {
    const book = await createBook(db)
    const owner = v7()
    await race((at) => credit(db, book, { owner, amount: BigInt(at + 1) }))
    expect((await readBalances(db, book.id, [owner])).get(owner)?.amount).to.equal(1275n)
  })

  it('take no more than there is', async () => {
    const book = await createBook(db)
    const owner = v7()
    for (const amount of [10n, 10n, 10n]) await credit(db, book, { owner, amount })
    const results = (await race(() => debit(db, book, { owner, amount: 1n }))).flat()
    const counts = Map.groupBy(results, ({ status }) => status)
    expect([counts.get('posted')?.length, counts.get('refused')?.length]).to.deep.equal([30, 20])
    expect((await readBalances(db, book.id, [owner])).get(owner)?.amount).to.equal(0n)
  })

  it('post one operation once, whether it credits or takes', async () => {
    const book = await createBook(db)
    const owner = v7()
    const [minted, burned] = [createOperation(), createOperation()]
    const credits = (await race(() => credit(db, book, { owner, amount: 7n, operation: minted }))).flat()
    const debits = (await race(() => debit(db, book, { owner, amount: 7n, operation: burned }))).flat()
    for (const results of [credits, debits]) {
      expect(results.filter(({ status }) => status === 'posted')).to.have.length(1)
      expect(results.filter(({ status }) => status === 'known')).to.have.length(racers - 1)
      expect(new Set(results.map((one) => (one.status === 'refused' ? '' : one.entry))).size).to.equal(1)
    }
    expect(await countEntries(db, [minted, burned])).to.equal(2)
    expect((await readBalances(db, book.id, [owner])).get(owner)?.amount).to.equal(0n)
  })

  it('credit and take many owners in batches of opposite orders, without a deadlock', async () => {
    const book = await createBook(db)
    const owners = Array.from({ length: 8 }, () => v7())
    await credit(db, book, ...owners.map((owner) => ({ owner, amount: 1_000n })))
    const forward = owners.map((owner) => ({ owner, amount: 2n }))
    await race((at) =>
      at % 2 === 0 ? credit(db, book, ...forward) : debit(db, book, ...forward.toReversed().map((one) => ({ ...one }))),
    )
    const balances = await readBalances(db, book.id, owners)
    expect([...balances.values()].map(({ amount }) => amount)).to.deep.equal(owners.map(() => 1_000n))
    expect((await verifyLedger(db, { organization: book.organization })).differences).to.deep.equal([])
  })

  it('make one book', async () => {
    const book = { organization: v7(), subject: v7() }
    const made = await race(() => db.transaction((trx) => createBook(trx, book)))
    expect(new Set(made.map(({ id }) => id)).size).to.equal(1)
  })
})
