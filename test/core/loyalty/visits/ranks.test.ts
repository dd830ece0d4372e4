import { expect } from 'chai'
import { waitUntil } from '../../../support/processes.ts'
import { buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { listEntries } from '../points/fixtures.ts'
import {
  changeLoyalty,
  createTier,
  getTierPath,
  readListedTier,
  readTierName,
  setVisits,
  setWindow,
  waitForListedTier,
  type ShownTier,
} from '../tiers/fixtures.ts'
import { dayMs, daysAgo, readHistory, readRule, runWindowUpkeep, visit } from './visits.maker.ts'

describe('The tier of an account', () => {
  let shop: Shop
  let account: string
  beforeEach(async () => {
    shop = await buildShop()
    ;({ account } = await buildBuyer(shop))
  })

  /** Visits so many days ago, each a time. */
  async function visitOn(...days: number[]): Promise<void> {
    for (const [at, day] of days.entries()) await visit(shop, account, { place: `${at}`, occurredAt: daysAgo(day) })
  }

  it('is the highest that the visits reach, and a new account has the one that needs none', async () => {
    await createTier(shop, { name: 'Base', requiredVisits: 0 })
    await createTier(shop, { name: 'Silver', requiredVisits: 1 })
    await createTier(shop, { name: 'Gold', requiredVisits: 3 })
    const { account: newcomer } = await buildBuyer(shop)
    expect(await readListedTier(shop, newcomer)).to.equal('Base')
    expect(await readHistory(shop, newcomer)).to.deep.equal(['none > Base (tier)'])
    const names: (string | null)[] = []
    for (let visits = 1; visits <= 4; visits++) {
      await visit(shop, newcomer, { place: String(visits) })
      names.push(await readListedTier(shop, newcomer))
    }
    expect(names).to.deep.equal(['Silver', 'Silver', 'Gold', 'Gold'])
  })

  it('follows tiers that are created, changed and deleted: at once for one account, soon for the list', async () => {
    await visitOn(1, 1, 1)
    const tier = await createTier(shop, { name: 'Gold', requiredVisits: 3 })
    expect(await readTierName(shop, account)).to.equal('Gold')
    await waitForListedTier(shop, account, 'Gold')
    await shop.api.patch(getTierPath(tier.id), { requiredVisits: 4 })
    expect(await readTierName(shop, account)).to.equal(null)
    await waitForListedTier(shop, account, null)
    await shop.api.patch(getTierPath(tier.id), { requiredVisits: 2 })
    await waitForListedTier(shop, account, 'Gold')
    await createTier(shop, { name: 'Silver', requiredVisits: 1 })
    await shop.api.delete(getTierPath(tier.id))
    expect(await readListedTier(shop, account), 'a deleted tier is shown by no list').to.equal('Silver')
    const expected = [
      'none > deleted (tier)',
      'deleted > none (tier)',
      'none > deleted (tier)',
      'deleted > Silver (tier)',
    ]
    await waitUntil('the history has the last change', async () => (await readHistory(shop, account)).length === 4)
    expect(await readHistory(shop, account)).to.deep.equal(expected)
  })

  it('shows another name and picture of the tier at once', async () => {
    const tier = await createTier(shop, { requiredVisits: 0 })
    await waitForListedTier(shop, account, 'Gold')
    await shop.api.patch(getTierPath(tier.id), { name: 'Golden' })
    expect(await readListedTier(shop, account)).to.equal('Golden')
    expect(await readHistory(shop, account)).to.deep.equal(['none > Golden (tier)'])
  })

  it('counts the visits of the window only, which it follows when that changes', async () => {
    await createTier(shop, { name: 'Gold', requiredVisits: 3 })
    await visitOn(40, 20, 10, 5)
    expect(await readListedTier(shop, account)).to.equal('Gold')
    for (const [days, name] of [
      [15, null],
      [21, 'Gold'],
      [3650, 'Gold'],
      [6, null],
      [null, 'Gold'],
    ] as const) {
      await setWindow(shop, days)
      expect(await readTierName(shop, account), `${days} days`).to.equal(name)
      await waitForListedTier(shop, account, name)
    }
    expect(await readHistory(shop, account)).to.deep.equal([
      'none > Gold (visit)',
      'Gold > none (window)',
      'none > Gold (window)',
      'Gold > none (window)',
      'none > Gold (window)',
    ])
  })

  it('loses the newest visits first when they are corrected', async () => {
    await createTier(shop, { name: 'Gold', requiredVisits: 2 })
    await setWindow(shop, 30)
    await visitOn(50, 45, 2, 1)
    expect(await readTierName(shop, account)).to.equal('Gold')
    await setVisits(shop, account, 3)
    expect(await readTierName(shop, account)).to.equal(null)
    await visit(shop, account, { place: 'new' })
    expect(await readTierName(shop, account)).to.equal('Gold')
    await setVisits(shop, account, 0)
    await visit(shop, account, { place: 'newer' })
    expect(await readTierName(shop, account), 'one visit').to.equal(null)
    await visit(shop, account, { place: 'newest' })
    expect(await readTierName(shop, account), 'two visits').to.equal('Gold')
  })

  it('falls when a visit leaves the window: at once for one account, by the upkeep for the list', async () => {
    await createTier(shop, { name: 'Silver', requiredVisits: 1 })
    await createTier(shop, { name: 'Gold', requiredVisits: 2 })
    await setWindow(shop, 1)
    const occurredAt = new Date(Date.now() - dayMs + 5_000)
    await visit(shop, account, { place: 'old', occurredAt })
    await visit(shop, account, { place: 'new' })
    expect(await readListedTier(shop, account)).to.equal('Gold')
    await waitUntil('the visit has left the window', async () => (await readTierName(shop, account)) === 'Silver')
    await runWindowUpkeep()
    expect(await readListedTier(shop, account)).to.equal('Silver')
    expect((await readHistory(shop, account)).at(-1)).to.equal('Gold > Silver (window)')
  })

  it('counts a visit that is said to be in the future as one of now', async () => {
    await visit(shop, account, { occurredAt: new Date(Date.now() + 10 * dayMs) })
    const [entry] = await listEntries(shop.api, account)
    expect(Date.parse(entry?.occurredAt ?? '')).to.be.at.most(Date.now() + 60_000)
  })

  it('is the same for all accounts of many after one change', async () => {
    const accounts = await Promise.all(Array.from({ length: 12 }, async () => (await buildBuyer(shop)).account))
    for (const name of ['Silver', 'Gold', 'Ruby'])
      await createTier(shop, { name, requiredVisits: name === 'Ruby' ? 0 : name.length })
    for (const one of accounts) await waitForListedTier(shop, one, 'Ruby')
  })
})

describe('The rule by which an account earns', () => {
  let shop: Shop
  let account: string
  let tier: ShownTier
  beforeEach(async () => {
    shop = await buildShop()
    ;({ account } = await buildBuyer(shop))
  })

  it('is that of its tier, else that of the application, else none', async () => {
    expect(await readRule(shop, account)).to.equal(null)
    await shop.api.patch(`/v1/applications/${shop.application}`, {
      loyaltySettings: { currency: 'EUR', currencyToPointRatio: 1e-7 },
    })
    expect(await readRule(shop, account)).to.deep.equal({
      ratio: '0.0000001',
      source: 'application',
      tier: null,
      currency: 'EUR',
    })
    tier = await createTier(shop, { requiredVisits: 1, currencyToPointRatio: '2.50' })
    await visit(shop, account)
    const ofTier = { ratio: '2.5', source: 'tier', tier: tier.id, currency: 'EUR' }
    expect(await readRule(shop, account)).to.deep.equal(ofTier)
    const free = await createTier(shop, { requiredVisits: 9, currencyToPointRatio: 0 })
    await changeLoyalty(shop, account, { fixedRewardTier: free.id })
    expect(await readRule(shop, account)).to.deep.equal({ ...ofTier, ratio: '0', tier: free.id })
  })
})
