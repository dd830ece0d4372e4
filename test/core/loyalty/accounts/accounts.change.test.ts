import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { buildApplication, buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody, listFaultPaths } from '../../dpp/passports/fixtures.ts'
import { listEntries } from '../points/fixtures.ts'
import { changeLoyalty, createTier, readLoyalty, setVisits, type ShownTier } from '../tiers/fixtures.ts'
import { readHistory, verify, visit } from '../visits/visits.maker.ts'
import type { ShownAccount } from './accounts.maker.ts'

describe('PATCH /v1/accounts/:id', () => {
  let shop: Shop
  let account: string
  let silver: ShownTier
  let gold: ShownTier
  beforeEach(async () => {
    shop = await buildShop()
    ;({ account } = await buildBuyer(shop))
    silver = await createTier(shop, { name: 'Silver', requiredVisits: 2 })
    gold = await createTier(shop, { name: 'Gold', requiredVisits: 5 })
  })
  const change = (loyalty: object, headers?: Record<string, string>) => changeLoyalty(shop, account, loyalty, headers)
  const countUpdates = async (): Promise<unknown> =>
    (await shop.api.get('/v1/events?filters[subject][eq]=wallet&filters[type][eq]=update')).body['total']

  it('changes customer and opt-in, deeply, and answers the account', async () => {
    const before = getBody<ShownAccount>(await shop.api.get(`/v1/accounts/${account}`))
    const answer = await change({ customerId: 'c-1', optIn: { apple: true } })
    const after = getBody<ShownAccount>(answer)
    expect(answer.status, answer.text).to.equal(200)
    expect(after.loyalty).to.deep.include({ customerId: 'c-1', optIn: { apple: true, google: false } })
    expect(after.updatedAt > before.updatedAt).to.equal(true)
    expect(await countUpdates()).to.equal(1)
    await change({ customerId: null, optIn: { google: true } })
    expect(await readLoyalty(shop, account)).to.deep.include({
      customerId: null,
      optIn: { apple: true, google: true },
    })
    expect((await shop.api.get(`/v1/accounts/${account}`)).body).to.deep.equal(
      (await shop.api.get(`/v1/accounts?filters[id][eq]=${account}`)).body['data']?.[0 as never],
    )
  })

  it('changes nothing and leaves no event without a difference', async () => {
    await change({ customerId: 'c-1', visits: 3, fixedRewardTier: gold.id, optIn: { apple: true } })
    const before = (await shop.api.get(`/v1/accounts/${account}`)).body
    for (const same of [
      {},
      { customerId: 'c-1' },
      { visits: 3 },
      { fixedRewardTier: gold.id },
      { optIn: {} },
      { optIn: { apple: true, google: false } },
    ])
      expect((await change(same)).body, JSON.stringify(same)).to.deep.equal(before)
    expect((await shop.api.patch(`/v1/accounts/${account}`, {})).body).to.deep.equal(before)
    expect(await countUpdates()).to.equal(1)
    expect(await listEntries(shop.api, account)).to.have.length(1)
  })

  it('fixes a tier whatever the visits, and releases it with null', async () => {
    const fixed = await change({ fixedRewardTier: gold.id })
    expect(getBody<ShownAccount>(fixed).loyalty).to.deep.include({ fixedRewardTier: gold.id, rewardTier: gold })
    await setVisits(shop, account, 2)
    expect((await readLoyalty(shop, account)).rewardTier).to.deep.equal(gold)
    const released = await change({ fixedRewardTier: null })
    expect(getBody<ShownAccount>(released).loyalty).to.deep.include({ fixedRewardTier: null, rewardTier: silver })
    expect(await readHistory(shop, account)).to.deep.equal(['none > Gold (fixed)', 'Gold > Silver (fixed)'])
  })

  it('corrects the visits by an entry, up and down, never below zero, and the tier with them', async () => {
    for (const [visits, tier] of [
      [6, 'Gold'],
      [4, 'Silver'],
      [0, null],
    ] as const) {
      const { loyalty } = getBody<ShownAccount>(await change({ visits }))
      expect([loyalty['visits'], (loyalty['rewardTier'] as ShownTier | null)?.name ?? null]).to.deep.equal([
        visits,
        tier,
      ])
    }
    const entries = await listEntries(shop.api, account)
    expect(entries.map(({ kind, postings, chain }) => [kind, postings[0], chain])).to.deep.equal(
      ['-4', '-2', '6'].map((amount) => ['adjust', { book: 'visits', owner: account, amount }, 'none']),
    )
    expect(await countUpdates()).to.equal(3)
    expect(await readHistory(shop, account)).to.deep.equal([
      'none > Gold (adjust)',
      'Gold > Silver (adjust)',
      'Silver > none (adjust)',
    ])
    expect(await verify(shop)).to.deep.equal([])
  })

  it('comes to what the entries say, however many corrections and visits race', async () => {
    const visits = Array.from({ length: 6 }, (_, at) => visit(shop, account, { place: `till-${at}` }))
    const corrections = Array.from({ length: 6 }, (_, at) => change({ visits: at % 4 }))
    expect((await Promise.all(visits)).every(Boolean)).to.equal(true)
    for (const { status } of await Promise.all(corrections)) expect(status).to.equal(200)
    const entries = await listEntries(shop.api, account, 'pageSize=100')
    const sum = entries.reduce((total, { postings }) => total + Number(postings[0]?.amount), 0)
    const { visits: shown, rewardTier } = await readLoyalty(shop, account)
    expect(shown).to.equal(sum)
    expect(rewardTier?.name ?? null).to.equal(sum >= 5 ? 'Gold' : sum >= 2 ? 'Silver' : null)
    expect(await verify(shop)).to.deep.equal([])
  })

  it('books one number once, however many corrections to it race', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => change({ visits: 5 })))
    expect(answers.map(({ body }) => body['loyalty']?.['visits'])).to.deep.equal(answers.map(() => 5))
    expect(await listEntries(shop.api, account)).to.have.length(1)
    expect(await countUpdates()).to.equal(1)
  })

  it('gives a customer to one account of an application, however many race', async () => {
    const { account: other } = await buildBuyer(shop)
    const answers = await Promise.all([account, other].map((id) => changeLoyalty(shop, id, { customerId: 'c-1' })))
    expect(answers.map(formatVerdict).toSorted()).to.deep.equal(['200', '422 VALIDATION_FAILED'])
    const refused = answers.find(({ status }) => status === 422)!
    expect(listFaultPaths(refused)).to.deep.equal(['loyalty.customerId'])
    const elsewhere = await buildBuyer({ application: await buildApplication(shop.organization) })
    expect((await changeLoyalty(shop, elsewhere.account, { customerId: 'c-1' })).status).to.equal(200)
  })

  it('refuses address, network and every other member at its path', async () => {
    const answer = await shop.api.patch(`/v1/accounts/${account}`, {
      address: '0x0',
      network: 'Base',
      user: { name: 'Ann' },
      loyalty: { optimisticBalance: '5', optIn: { samsung: true } },
    })
    expect(formatVerdict(answer)).to.equal('422 VALIDATION_FAILED')
    expect(listFaultPaths(answer)).to.have.members([
      'address',
      'network',
      'user',
      'loyalty.optimisticBalance',
      'loyalty.optIn.samsung',
    ])
  })

  it('refuses values that break its schema', async () => {
    for (const [loyalty, path] of [
      [{ visits: -1 }, 'loyalty.visits'],
      [{ visits: 1.5 }, 'loyalty.visits'],
      [{ visits: '3' }, 'loyalty.visits'],
      [{ visits: null }, 'loyalty.visits'],
      [{ visits: 1_000_001 }, 'loyalty.visits'],
      [{ customerId: '' }, 'loyalty.customerId'],
      [{ customerId: 'x'.repeat(201) }, 'loyalty.customerId'],
      [{ optIn: null }, 'loyalty.optIn'],
      [{ optIn: { apple: 'yes' } }, 'loyalty.optIn.apple'],
      [{ fixedRewardTier: 'gold' }, 'loyalty.fixedRewardTier'],
    ] as const) {
      const answer = await change(loyalty)
      expect(formatVerdict(answer), JSON.stringify(loyalty)).to.equal('422 VALIDATION_FAILED')
      expect(listFaultPaths(answer)).to.include(path)
    }
    expect((await change({ customerId: 'x'.repeat(200) })).status).to.equal(200)
  })

  it('refuses a tier that is none of its application', async () => {
    const second = await buildApplication(shop.organization)
    const [elsewhere, foreign] = [
      await createTier(shop, { application: second }),
      await createTier(await buildShop(), {}),
    ]
    for (const fixedRewardTier of [elsewhere.id, foreign.id, randomUUID()]) {
      const answer = await change({ fixedRewardTier, customerId: 'c-1' })
      expect(formatVerdict(answer)).to.equal('422 ACCOUNT_REWARD_TIER_NOT_FOUND')
      expect(listFaultPaths(answer)).to.deep.equal(['loyalty.fixedRewardTier'])
    }
    expect(await readLoyalty(shop, account)).to.deep.include({ fixedRewardTier: null, customerId: null })
  })

  it('changes only what the caller has seen, with If-Match', async () => {
    const etag = String((await shop.api.get(`/v1/accounts/${account}`)).headers['etag'])
    await visit(shop, account)
    expect(formatVerdict(await change({ visits: 9 }, { 'if-match': etag }))).to.equal('412 PRECONDITION_FAILED')
    expect((await readLoyalty(shop, account)).visits).to.equal(1)
    const current = String((await shop.api.get(`/v1/accounts/${account}`)).headers['etag'])
    const changed = await change({ visits: 9 }, { 'if-match': current })
    expect([changed.status, changed.headers['etag']]).to.deep.equal([
      200,
      (await shop.api.get(`/v1/accounts/${account}`)).headers['etag'],
    ])
  })

  it("does not find another organization's account, like none", async () => {
    const foreign = await buildShop()
    for (const id of [account, randomUUID()])
      expect(formatVerdict(await changeLoyalty(foreign, id, { visits: 1 }))).to.equal('404 NOT_FOUND')
  })
})
