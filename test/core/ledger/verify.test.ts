import { expect } from 'chai'
import { v7 } from 'uuid'
import { creditOwners, reserveAmount, verifyLedger } from '../../../core/ledger/index.ts'
import { spoilBalance, spoilDue, spoilHolds, spoilLots, spoilReversal } from '../../support/rows/ledger/entries.ts'
import { useServers } from '../queue/servers.ts'
import { createBook, createOperation, credit, debit } from './books.ts'

describe('core/ledger: verify', () => {
  const servers = useServers()
  const db = () => servers().db

  it('replays the entries of one organization and finds no difference', async () => {
    const book = await createBook(db())
    const [ada, bea] = [v7(), v7()]
    await credit(db(), book, { owner: ada, amount: 5n }, { owner: bea, amount: 7n })
    await debit(db(), book, { owner: ada, amount: 9n, mayGoBelowZero: true })
    await credit(db(), book, { owner: ada, amount: 1n })
    expect(await verifyLedger(db(), { organization: book.organization })).to.deep.equal({ checked: 4, differences: [] })
    expect(await verifyLedger(db(), { organization: v7() })).to.deep.equal({ checked: 0, differences: [] })
    expect((await verifyLedger(db())).checked).to.be.at.least(4)
  })

  it('names what differs, with what the entries say and what is kept', async () => {
    const book = await createBook(db())
    const { organization } = book
    const owners = Array.from({ length: 4 }, () => v7())
    await credit(db(), book, ...owners.map((owner) => ({ owner, amount: 5n })))
    const [ada = '', bea = '', cleo = '', dora = ''] = owners
    await spoilBalance(db(), ada, 'amount', 2)
    await spoilBalance(db(), bea, 'settled', 3)
    await spoilBalance(db(), cleo, 'pending', 4)
    await spoilLots(db(), dora, 1)
    const { checked, differences } = await verifyLedger(db(), { organization })
    expect(checked).to.equal(4)
    const found = differences.map(({ what, owner, expected, found: kept }) => ({ what, owner, expected, found: kept }))
    expect(found).to.have.deep.members([
      { what: 'balance', owner: ada, expected: '5', found: '7' },
      { what: 'spendable', owner: ada, expected: '5', found: '7' },
      { what: 'settled', owner: bea, expected: '0', found: '3' },
      { what: 'balance', owner: cleo, expected: '5', found: '9' },
      { what: 'pending', owner: cleo, expected: '0', found: '4' },
      { what: 'spendable', owner: dora, expected: '4', found: '5' },
      { what: 'lot', owner: dora, expected: '0', found: '1' },
    ])
  })
  it('names holds, times and reversals that differ', async () => {
    const book = await createBook(db())
    const owners = Array.from({ length: 4 }, () => v7())
    const [ada = '', bea = '', cleo = '', dora = ''] = owners
    const expiresAt = new Date(Date.now() + 3_600_000)
    const posted = await db().transaction((trx) =>
      creditOwners(
        trx,
        owners.map((owner) => ({
          ...{ operation: createOperation(), kind: 'mint', book, owner, amount: 5n },
          ...{ occurredAt: new Date(), expiresAt },
        })),
      ),
    )
    for (const owner of [ada, bea])
      await db().transaction((trx) => reserveAmount(trx, { operation: createOperation(), book, owner, amount: 2n }))
    expect((await verifyLedger(db(), { organization: book.organization })).differences).to.deep.equal([])
    await spoilHolds(db(), ada)
    await spoilBalance(db(), bea, 'held', 1)
    await spoilDue(db(), cleo)
    const [, , , last] = posted
    await spoilReversal(db(), last && last.status !== 'refused' ? last.entry : '', 6)
    const { differences } = await verifyLedger(db(), { organization: book.organization })
    expect(
      differences.map(({ what, owner, expected, found }) => ({ what, owner, expected, found })),
    ).to.have.deep.members([
      { what: 'held', owner: ada, expected: '0', found: '2' },
      { what: 'held', owner: bea, expected: '2', found: '3' },
      { what: 'due', owner: cleo, expected: expiresAt.toISOString(), found: 'never' },
      { what: 'reversal', owner: dora, expected: '0', found: '1' },
      { what: 'balance', owner: dora, expected: '-1', found: '5' },
    ])
  })
})
