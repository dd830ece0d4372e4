import { expect } from 'chai'
import { readStatement } from '../../../../core/features/loyalty/index.ts'
import { buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { burn, getAccepted, mint } from './fixtures.ts'

describe('The statement of an account', () => {
  let shop: Shop
  let account: string
  before(async () => {
    shop = await buildShop()
    ;({ account } = await buildBuyer(shop))
  })

  const read = async (since: Date, limit: number) => readStatement((await getOperator()).db, account, { since, limit })
  const longAgo = new Date('2020-01-01')

  it('is empty before the first entry', async () => {
    expect(await read(longAgo, 10)).to.deep.include({ opening: '0', closing: '0', count: 0, entries: [] })
  })

  it('lists the newest entries with the balance after each, and sums all of them', async () => {
    getAccepted(await mint(shop.api, account, { amount: 100, reason: 'Welcome', reference: 'gift-1' }))
    getAccepted(await burn(shop.api, account, { amount: 30 }))
    getAccepted(await mint(shop.api, account, { amount: 5 }))
    const { entries, ...sums } = await read(longAgo, 10)
    expect(sums).to.deep.include({ opening: '0', added: '105', taken: '30', closing: '75', pending: '0', count: 3 })
    expect(entries.map(({ kind, points, balance }) => [kind, points, balance])).to.deep.equal([
      ['mint', '5', '75'],
      ['burn', '-30', '70'],
      ['mint', '100', '100'],
    ])
    expect(entries[2]).to.deep.include({ reason: 'Welcome', reference: 'gift-1' })
    const short = await read(longAgo, 1)
    expect([short.count, short.added, short.entries.length, short.entries[0]?.balance]).to.deep.equal([
      3,
      '105',
      1,
      '75',
    ])
  })

  it('begins with what the account had', async () => {
    const [, second] = (await read(longAgo, 10)).entries
    const later = await read(second!.recordedAt, 10)
    expect(later).to.deep.include({ opening: '100', added: '5', taken: '30', closing: '75', count: 2 })
    const now = await read(new Date(Date.now() + 60_000), 10)
    expect(now).to.deep.include({ opening: '75', added: '0', taken: '0', closing: '75', count: 0, entries: [] })
  })
})
