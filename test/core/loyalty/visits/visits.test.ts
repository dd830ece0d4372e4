import { expect } from 'chai'
import { runAdmin } from '../../../support/admin-command.ts'
import { platform } from '../../../support/platform.ts'
import { spoilVisits } from '../../../support/rows/accounts/figures.ts'
import { buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { listEntries } from '../points/fixtures.ts'
import { createTier, readLoyalty } from '../tiers/fixtures.ts'
import { daysAgo, readHistory, verify, visit } from './visits.maker.ts'

describe('Visits', () => {
  let shop: Shop
  let account: string
  before(async () => {
    shop = await buildShop()
    await createTier(shop, { name: 'Gold', requiredVisits: 2 })
  })
  beforeEach(async () => {
    ;({ account } = await buildBuyer(shop))
  })

  it('count once a day at a place, however many race', async () => {
    const counted = await Promise.all(Array.from({ length: 20 }, () => visit(shop, account)))
    expect(counted.filter(Boolean)).to.have.length(1)
    expect(await visit(shop, account, { place: 'till-2' })).to.equal(true)
    expect(await visit(shop, account, { localDay: '2026-01-31' })).to.equal(true)
    const { account: other } = await buildBuyer(shop)
    expect(await visit(shop, other)).to.equal(true)
    expect((await readLoyalty(shop, account)).visits).to.equal(3)
    expect(await verify(shop)).to.deep.equal([])
  })

  it('are entries of a book of their own, which no chain gets, beside those of points', async () => {
    const occurredAt = daysAgo(3)
    await visit(shop, account, { occurredAt })
    await shop.api.post(`/v1/loyalty/account/${account}/mint`, { amount: 5 })
    const [minted, visited] = await listEntries(shop.api, account)
    expect([minted?.kind, minted?.postings[0]?.book]).to.deep.equal(['mint', 'points'])
    expect(visited).to.deep.include({
      kind: 'visit',
      occurredAt: occurredAt.toISOString(),
      chain: 'none',
      transactionHash: null,
      postings: [
        { book: 'visits', owner: account, amount: '1' },
        { book: 'visits', owner: 'issuer', amount: '-1' },
      ],
    })
    expect(await listEntries(shop.api, account, 'filters[kind][eq]=visit')).to.deep.equal([visited])
  })

  it('lead to a tier in the transaction that records them', async () => {
    await visit(shop, account, { place: 'till-1' })
    expect((await readLoyalty(shop, account)).rewardTier).to.equal(null)
    await visit(shop, account, { place: 'till-2' })
    expect((await readLoyalty(shop, account)).rewardTier?.name).to.equal('Gold')
    expect(await readHistory(shop, account)).to.deep.equal(['none > Gold (visit)'])
  })
})

describe('admin ledger verify: visits', () => {
  it('compares what is kept with the entries', async () => {
    const shop = await buildShop()
    const { account } = await buildBuyer(shop)
    await visit(shop, account)
    const check = async () =>
      (await runAdmin(platform.dataDir, 'ledger', 'verify', '--organization', shop.organization, '--json')).json
    expect(await check()).to.deep.equal({ checked: 1, differences: [] })
    await spoilVisits((await getOperator()).db, account, 2)
    expect(await check()).to.deep.equal({
      checked: 1,
      differences: [{ what: 'figure', account, figure: 'visits', expected: '1', found: '3' }],
    })
  })
})
