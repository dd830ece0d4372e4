import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { buildApplication, buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import {
  changeLoyalty,
  createTier,
  getTierPath,
  listTiers,
  path,
  readTierName,
  sendTier,
  setVisits,
  type ShownTier,
} from './fixtures.ts'

/** The paths and codes of the issues of a refusal. */
const getIssues = ({ body }: { body: Record<string, unknown> }) =>
  (body['errors'] as { path: string; code: string }[]).map((issue) => `${issue.path} ${issue.code}`)

describe('POST /v1/loyalty/reward-tiers', () => {
  let shop: Shop
  beforeEach(async () => {
    shop = await buildShop()
  })

  it('creates a tier, and says where it is', async () => {
    const bgImageUrl = 'https://shop.example/gold.png'
    const answer = await sendTier(shop, { bgImageUrl, currencyToPointRatio: 1.25 })
    const tier = getBody<ShownTier>(answer)
    expect(answer.status).to.equal(201)
    expect(answer.headers['location']).to.equal(getTierPath(tier.id))
    const { id, createdAt, updatedAt, ...content } = tier
    expect(content).to.deep.equal({
      application: shop.application,
      name: 'Gold',
      requiredVisits: 10,
      currencyToPointRatio: 1.25,
      bgImageUrl,
    })
    expect(updatedAt).to.equal(createdAt)
    expect((await shop.api.get(getTierPath(id))).body).to.deep.equal(tier)
  })

  it('takes a ratio as a number or as text, from zero to 10^9, with every digit', async () => {
    const ratios = [0, '0', 0.000001, '0.100000', '999999999.999999', 1e9, '1000000000'] as const
    const shown: number[] = []
    for (const [requiredVisits, currencyToPointRatio] of ratios.entries())
      shown.push((await createTier(shop, { requiredVisits, currencyToPointRatio })).currencyToPointRatio)
    expect(shown).to.deep.equal([0, 0, 0.000001, 0.1, 999999999.999999, 1e9, 1e9])
  })

  it('refuses what breaks its schema, all at once', async () => {
    const bgImageUrl = 'http://shop.example/gold.png'
    const wrong = await sendTier(shop, { name: '', requiredVisits: -1, currencyToPointRatio: -1, bgImageUrl, more: 1 })
    expect(formatVerdict(wrong)).to.equal('422 VALIDATION_FAILED')
    const paths = new Set(getIssues(wrong).map((issue) => issue.split(' ')[0]))
    expect([...paths].toSorted()).to.deep.equal(
      ['bgImageUrl', 'currencyToPointRatio', 'more', 'name', 'requiredVisits'].toSorted(),
    )
    for (const ratio of [0.0000001, '1.1234567', '1e3', ' 1', '1000000000.1', 1e9 + 1, true])
      expect(formatVerdict(await sendTier(shop, { currencyToPointRatio: ratio })), String(ratio)).to.equal(
        '422 VALIDATION_FAILED',
      )
    for (const visits of [1.5, '3', 1_000_001])
      expect(formatVerdict(await sendTier(shop, { requiredVisits: visits })), String(visits)).to.equal(
        '422 VALIDATION_FAILED',
      )
    expect(await listTiers(shop)).to.deep.equal([])
  })

  it('asks for application, name, visits and ratio', async () => {
    const answer = await shop.api.post(path, {})
    expect(formatVerdict(answer)).to.equal('400 INVALID_REQUEST')
    expect(getIssues(answer).map((issue) => issue.split(' ')[0])).to.have.members([
      'application',
      'name',
      'requiredVisits',
      'currencyToPointRatio',
    ])
  })

  it("does not find another organization's application, like none", async () => {
    const foreign = await buildShop()
    for (const application of [foreign.application, randomUUID()])
      expect(formatVerdict(await sendTier(shop, { application }))).to.equal('404 NOT_FOUND')
  })

  it('creates one of many that need as many visits, however many race', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => sendTier(shop, { requiredVisits: 7 })))
    const verdicts = Map.groupBy(answers, ({ status, body }) => `${status} ${String(body['code'])}`)
    expect([...verdicts].map(([verdict, { length }]) => `${verdict}: ${length}`).toSorted()).to.deep.equal([
      '201 undefined: 1',
      '409 LOYALTY_REWARD_TIER_DUPLICATE_VISITS: 49',
    ])
    const second = await buildApplication(shop.organization)
    await createTier(shop, { application: second, requiredVisits: 7 })
    expect((await listTiers(shop)).map(({ application }) => application)).to.deep.equal([second, shop.application])
  })
})

describe('GET /v1/loyalty/reward-tiers', () => {
  let shop: Shop
  let tiers: ShownTier[]
  let second: string
  before(async () => {
    shop = await buildShop()
    second = await buildApplication(shop.organization)
    tiers = [
      await createTier(shop, { name: 'Bronze', requiredVisits: 5 }),
      await createTier(shop, { name: 'Anthracite', requiredVisits: 9 }),
      await createTier(shop, { name: 'Silver 50%', requiredVisits: 1, application: second }),
    ]
  })
  const findPlaces = async (query: string) =>
    (await listTiers(shop, query)).map(({ id }) => tiers.findIndex((tier) => tier.id === id))

  it('lists those of the organization, the newest first', async () => {
    expect(await listTiers(shop)).to.deep.equal(tiers.toReversed())
    expect(await listTiers(await buildShop())).to.deep.equal([])
  })

  it('takes every filter and sorter that it declares', async () => {
    const expectations: Record<string, number[]> = {
      [`filters[id][eq]=${tiers[1]?.id}`]: [1],
      [`filters[application.id][eq]=${second}`]: [2],
      'filters[name][eq]=Bronze': [0],
      'filters[name][contains]=silver': [2],
      [`filters[name][contains]=${encodeURIComponent('0%')}`]: [2],
      [`filters[createdAt][gt]=${tiers[0]?.createdAt}`]: [2, 1],
      [`filters[updatedAt][lte]=${tiers[0]?.updatedAt}`]: [0],
      'sorters[0][field]=name&sorters[0][order]=asc': [1, 0, 2],
      'sorters[0][field]=requiredVisits&sorters[0][order]=desc': [1, 0, 2],
      'sorters[0][field]=id&sorters[0][order]=asc': [0, 1, 2],
      'sorters[0][field]=createdAt&sorters[0][order]=asc': [0, 1, 2],
      'sorters[0][field]=updatedAt&sorters[0][order]=asc': [0, 1, 2],
    }
    for (const [query, places] of Object.entries(expectations))
      expect(await findPlaces(query), query).to.deep.equal(places)
  })

  it('refuses filters and sorters that it has not', async () => {
    expect(formatVerdict(await shop.api.get(`${path}?filters[ratio][eq]=1`))).to.equal('400 INVALID_FILTER')
    expect(formatVerdict(await shop.api.get(`${path}?sorters[0][field]=ratio`))).to.equal('400 INVALID_SORTER')
  })
})

describe('PATCH /v1/loyalty/reward-tiers/:id', () => {
  let shop: Shop
  let tier: ShownTier
  beforeEach(async () => {
    shop = await buildShop()
    tier = await createTier(shop, { bgImageUrl: 'https://shop.example/gold.png' })
  })
  const patch = (body: object, headers: Record<string, string> = {}) =>
    shop.api.patch(getTierPath(tier.id), body, { headers })

  it('changes what it is given, and removes the picture with null', async () => {
    const { bgImageUrl: _, ...rest } = tier
    const answer = await patch({ name: 'Golden', currencyToPointRatio: '2.5', bgImageUrl: null })
    const changed = getBody<ShownTier>(answer)
    expect(answer.status, answer.text).to.equal(200)
    const { updatedAt } = changed
    expect(changed).to.deep.equal({ ...rest, name: 'Golden', currencyToPointRatio: 2.5, updatedAt })
    expect(updatedAt > tier.updatedAt).to.equal(true)
  })

  it('changes nothing, and no time, if it is given what is there', async () => {
    const answer = await patch({ name: tier.name, currencyToPointRatio: '2.000000' })
    expect(answer.body).to.deep.equal(tier)
  })

  it('refuses the application, because it is fixed, and what breaks its schema', async () => {
    expect(getIssues(await patch({ application: shop.application }))).to.deep.equal(['application unknown_member'])
    for (const body of [{ name: null }, { requiredVisits: null }, { currencyToPointRatio: 0.0000001 }])
      expect(formatVerdict(await patch(body)), JSON.stringify(body)).to.equal('422 VALIDATION_FAILED')
  })

  it('refuses the visits of another tier', async () => {
    await createTier(shop, { requiredVisits: 3 })
    expect(formatVerdict(await patch({ requiredVisits: 3 }))).to.equal('409 LOYALTY_REWARD_TIER_DUPLICATE_VISITS')
    expect((await patch({ requiredVisits: 4 })).body['requiredVisits']).to.equal(4)
  })

  it('changes only what the caller has seen, with If-Match', async () => {
    const etag = String((await shop.api.get(getTierPath(tier.id))).headers['etag'])
    expect((await patch({ name: 'First' }, { 'if-match': etag })).status).to.equal(200)
    expect(formatVerdict(await patch({ name: 'Second' }, { 'if-match': etag }))).to.equal('412 PRECONDITION_FAILED')
  })

  it("does not find another organization's tier, like none", async () => {
    const foreign = await buildShop()
    for (const id of [tier.id, randomUUID()]) {
      expect(formatVerdict(await foreign.api.patch(getTierPath(id), { name: 'Mine' }))).to.equal('404 NOT_FOUND')
      expect(formatVerdict(await foreign.api.get(getTierPath(id)))).to.equal('404 NOT_FOUND')
      expect(formatVerdict(await foreign.api.delete(getTierPath(id)))).to.equal('404 NOT_FOUND')
    }
  })
})

describe('DELETE /v1/loyalty/reward-tiers/:id', () => {
  let shop: Shop
  let tier: ShownTier
  let account: string
  beforeEach(async () => {
    shop = await buildShop()
    tier = await createTier(shop, { requiredVisits: 2 })
    ;({ account } = await buildBuyer(shop))
  })

  it('answers the tier as it was, whose accounts have it no longer', async () => {
    await setVisits(shop, account, 2)
    expect(await readTierName(shop, account)).to.equal('Gold')
    const answer = await shop.api.delete(getTierPath(tier.id))
    expect([answer.status, answer.body]).to.deep.equal([200, tier])
    expect(await readTierName(shop, account)).to.equal(null)
    expect(formatVerdict(await shop.api.get(getTierPath(tier.id)))).to.equal('404 NOT_FOUND')
  })

  it('tells in a dry run how many accounts lose it, and deletes nothing', async () => {
    await setVisits(shop, account, 2)
    const { body } = await shop.api.delete(`${getTierPath(tier.id)}?dryRun=true`)
    expect(body).to.deep.include({ willChange: 1, warnings: ['1 account will lose it.'] })
    expect(await listTiers(shop)).to.deep.equal([tier])
  })

  it('is refused while an account has it fixed', async () => {
    await changeLoyalty(shop, account, { fixedRewardTier: tier.id })
    for (const query of ['', '?dryRun=true'])
      expect(formatVerdict(await shop.api.delete(getTierPath(tier.id) + query))).to.equal(
        '409 LOYALTY_REWARD_TIER_IN_USE',
      )
    await changeLoyalty(shop, account, { fixedRewardTier: null })
    expect((await shop.api.delete(getTierPath(tier.id))).status).to.equal(200)
  })

  it('is either deleted or fixed for an account, if both happen at once', async () => {
    for (let race = 0; race < 10; race++) {
      const { id } = await createTier(shop, { requiredVisits: 100 + race })
      const [deleted, fixed] = await Promise.all([
        shop.api.delete(getTierPath(id)),
        changeLoyalty(shop, account, { fixedRewardTier: id }),
      ])
      expect([formatVerdict(deleted), formatVerdict(fixed)].join(', ')).to.be.oneOf([
        '200, 422 ACCOUNT_REWARD_TIER_NOT_FOUND',
        '409 LOYALTY_REWARD_TIER_IN_USE, 200',
      ])
    }
  })

  it('needs the version that the caller has seen, with If-Match', async () => {
    const headers = { 'if-match': '"another"' }
    expect(formatVerdict(await shop.api.delete(getTierPath(tier.id), { headers }))).to.equal('412 PRECONDITION_FAILED')
  })
})

describe('DELETE /v1/applications/:appId', () => {
  it('deletes its tiers too, and tells so before', async () => {
    const shop = await buildShop()
    const application = await buildApplication(shop.organization)
    await createTier(shop, { application })
    const address = `/v1/applications/${application}`
    expect((await shop.api.delete(`${address}?dryRun=true`)).body['warnings']).to.deep.equal([
      '1 reward tier will be deleted too.',
    ])
    expect((await shop.api.delete(address)).status).to.equal(200)
    expect(await listTiers(shop)).to.deep.equal([])
  })
})
