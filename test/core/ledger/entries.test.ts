import { expect } from 'chai'
import { v7 } from 'uuid'
import { hashOperation, readBalances, settleEntries, type PostingResult } from '../../../core/ledger/index.ts'
import { countEntries, listLots } from '../../support/rows/ledger/entries.ts'
import { useServers } from '../queue/servers.ts'
import { createBook, createOperation, credit, debit, formatResult } from './books.ts'

const getEntry = (result: PostingResult | undefined): string => {
  if (!result || result.status === 'refused') throw new Error('Nothing was posted')
  return result.entry
}

describe('core/ledger: entries', () => {
  const servers = useServers()
  const db = () => servers().db
  const readAmount = async (book: string, owner: string) => (await readBalances(db(), book, [owner])).get(owner)?.amount

  it('credit and debit owners, each with the balance after it, in the order of the items', async () => {
    const book = await createBook(db())
    const [ada, bea] = [v7(), v7()]
    const credited = await credit(db(), book, { owner: bea, amount: 5n }, { owner: ada, amount: 7n })
    expect(credited.map(formatResult)).to.deep.equal(['posted 5 5 debt 0', 'posted 7 7 debt 0'])
    const debited = await debit(db(), book, { owner: ada, amount: 3n }, { owner: bea, amount: 5n })
    expect(debited.map(formatResult)).to.deep.equal(['posted -3 4 debt 0', 'posted -5 0 debt 0'])
    expect(await readAmount(book.id, ada)).to.equal(4n)
    expect(await readAmount(book.id, v7()), 'somebody without entries').to.equal(0n)
  })

  it('keep amounts beyond what a number of JavaScript holds', async () => {
    const book = await createBook(db())
    const owner = v7()
    await credit(db(), book, { owner, amount: 9_007_199_254_740_993n })
    const [result] = await credit(db(), book, { owner, amount: 1n })
    expect(formatResult(result)).to.equal('posted 1 9007199254740994 debt 0')
  })

  it('refuse a debit beyond what there is, and only that one', async () => {
    const book = await createBook(db())
    const [ada, bea] = [v7(), v7()]
    await credit(db(), book, { owner: ada, amount: 4n }, { owner: bea, amount: 4n })
    const results = await debit(
      db(),
      book,
      { owner: ada, amount: 5n },
      { owner: bea, amount: 4n },
      { owner: v7(), amount: 1n },
    )
    expect(results.map(formatResult)).to.deep.equal(['refused 4', 'posted -4 0 debt 0', 'refused 0'])
    expect(await readAmount(book.id, ada)).to.equal(4n)
  })

  it('take the oldest lots first, and leave what they did not need', async () => {
    const book = await createBook(db())
    const owner = v7()
    for (const amount of [3n, 4n, 5n]) await credit(db(), book, { owner, amount })
    await debit(db(), book, { owner, amount: 5n })
    expect((await listLots(db(), book.id)).get(owner)).to.deep.equal(['active 0', 'active 2', 'active 5'])
  })

  it('go below zero where they may, and what is credited then pays the debt first', async () => {
    const book = await createBook(db())
    const owner = v7()
    const [first] = await debit(db(), book, { owner, amount: 10n, mayGoBelowZero: true })
    expect(formatResult(first), 'without a balance').to.equal('posted -10 -10 debt 10')
    const [part] = await credit(db(), book, { owner, amount: 4n })
    expect(formatResult(part)).to.equal('posted 4 -6 debt 6')
    const [refused] = await debit(db(), book, { owner, amount: 1n })
    expect(formatResult(refused)).to.equal('refused -6')
    const [rest] = await credit(db(), book, { owner, amount: 9n })
    expect(formatResult(rest)).to.equal('posted 9 3 debt 0')
    expect((await listLots(db(), book.id)).get(owner)).to.deep.equal(['active 0', 'active 3'])
  })

  it('have no lots and no debt in a book without lots', async () => {
    const book = await createBook(db(), { hasLots: false })
    const owner = v7()
    await credit(db(), book, { owner, amount: 2n })
    const [result] = await debit(db(), book, { owner, amount: 5n, mayGoBelowZero: true })
    expect(formatResult(result)).to.equal('posted -5 -3 debt 0')
    expect((await listLots(db(), book.id)).get(owner)).to.equal(undefined)
  })

  it('are posted once an operation, also where the balance would no longer allow it', async () => {
    const book = await createBook(db())
    const owner = v7()
    const [minted, burned] = [createOperation(), createOperation()]
    const post = async () => [
      ...(await credit(db(), book, { owner, amount: 5n, operation: minted })),
      ...(await debit(db(), book, { owner, amount: 5n, operation: burned })),
    ]
    const first = await post()
    const second = await post()
    expect(first.map(formatResult)).to.deep.equal(['posted 5 5 debt 0', 'posted -5 0 debt 0'])
    expect(second.map(formatResult)).to.deep.equal(['known 5 0 debt 0', 'known -5 0 debt 0'])
    expect(second.map(getEntry)).to.deep.equal(first.map(getEntry))
    expect(await countEntries(db(), [minted, burned])).to.equal(2)
  })

  it('refuse amounts of zero and below, and a balance of 10^18', async () => {
    const book = await createBook(db())
    const owner = v7()
    const tries = [
      credit(db(), book, { owner, amount: 0n }),
      debit(db(), book, { owner, amount: -1n }),
      credit(db(), book, { owner, amount: 10n ** 18n }),
    ]
    const errors = (await Promise.allSettled(tries)).map((one) => (one.status === 'rejected' ? String(one.reason) : ''))
    expect(errors[0]).to.include('RangeError')
    expect(errors[1]).to.include('RangeError')
    expect(errors[2]).to.include('ledger_balances_limit')
    expect(await readAmount(book.id, owner)).to.equal(0n)
  })

  it('count on the chain once, go back when it drops them, and come again', async () => {
    const book = await createBook(db())
    const owner = v7()
    const [minted] = await credit(db(), book, { owner, amount: 7n })
    const [burned] = await debit(db(), book, { owner, amount: 2n })
    const settle = async (status: 'final' | 'failed' | 'undone', ...entries: string[]) =>
      (
        await db().transaction((trx) =>
          settleEntries(
            trx,
            entries.map((entry) => ({
              entry,
              status,
              contract: null,
              transactionHash: null,
              reason: null,
              at: new Date(),
            })),
          ),
        )
      ).map(({ change, settled }) => `${change} ${settled}`)
    const [mint, burn] = [getEntry(minted), getEntry(burned)]
    expect(await settle('final', mint)).to.deep.equal(['7 7'])
    expect(await settle('final', mint), 'again').to.deep.equal(['0 7'])
    expect(await settle('undone', mint)).to.deep.equal(['-7 0'])
    expect(await settle('undone', mint), 'again').to.deep.equal([])
    expect((await settle('final', mint, burn)).toSorted(), 'both').to.deep.equal(['-2 5', '7 5'])
    expect(await settle('failed', burn), 'an outcome that changes').to.deep.equal(['2 7'])
    expect((await readBalances(db(), book.id, [owner])).get(owner)).to.include({ amount: 5n, settled: 7n })
  })
})

describe('core/ledger: operations', () => {
  it('are the same for the same parts, and others for any other list of parts', () => {
    const lists = [
      ['a', 'bc'],
      ['ab', 'c'],
      ['abc'],
      ['a', 'b', 'c'],
      ['a', 'bc', ''],
      ['1:a', 'bc'],
      ['é'],
      ['e\u0301'],
    ]
    expect(new Set(lists.map(hashOperation)).size).to.equal(lists.length)
    expect(hashOperation(['a', 'bc']))
      .to.equal(hashOperation(['a', 'bc']))
      .and.to.match(/^0x[0-9a-f]{64}$/)
  })
})
