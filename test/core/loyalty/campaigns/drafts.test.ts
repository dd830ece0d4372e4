import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { buildApplication, buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { createApiClient } from '../../../support/client.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { act, content, createDraft, draft, listFaults, path, readCampaign, type ShownCampaign } from './fixtures.ts'

describe('POST and PATCH /v1/loyalty/campaigns', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('creates a draft with all of its members, and with the fewest', async () => {
    const { application, api } = shop
    const tier = await createTier(shop)
    const targeting = {
      minPoints: 5,
      maxPoints: 5,
      minVisits: 0,
      maxVisits: 9,
      rewardTiers: [tier],
      network: 'EthereumAnvil',
      locales: ['fr', 'de-CH'],
      inactiveForDays: 60,
      birthdayMonth: 12,
      holdoutPercent: 50,
    }
    const whole = await draft(shop, { description: 'For the window', targeting })
    expect(whole.status, whole.text).to.equal(201)
    const { id, createdAt, updatedAt, ...rest } = getBody<ShownCampaign>(whole)
    expect(whole.headers['location']).to.equal(`${path}/${id}`)
    expect(createdAt).to.equal(updatedAt)
    expect(rest).to.deep.equal({
      application,
      name: 'Autumn',
      description: 'For the window',
      channels: ['apple-wallet'],
      targeting,
      content,
      status: 'draft',
      sendAt: null,
      scheduledImmediately: false,
      audienceSize: null,
      conversionWindowDays: 7,
      sentAt: null,
      finishedAt: null,
    })
    expect(await readCampaign(api, id)).to.deep.equal({
      ...getBody<ShownCampaign>(whole),
      isStranded: false,
      scheduleJobLost: false,
    })
    const least = getBody<ShownCampaign>(await api.post(path, { application, name: 'Bare' }))
    expect(least).to.deep.include({
      channels: ['apple-wallet', 'google-wallet'],
      targeting: {},
      content: null,
      description: null,
    })
  })

  for (const [title, body, faults] of [
    ['a missing name', { name: undefined }, '400 INVALID_REQUEST, name: required'],
    ['a headline of 61 characters', { content: { ...content, headline: 'x'.repeat(61) } }, 'headline: max_length'],
    ['a text of 241 characters', { content: { ...content, body: 'x'.repeat(241) } }, 'body: max_length'],
    ['a headline of blanks', { content: { ...content, headline: '   ' } }, 'headline: format'],
    ['a text of blanks', { content: { ...content, body: ' \n ' } }, 'body: format'],
    ['a link in the headline', { content: { ...content, headline: 'www.example.com' } }, 'headline: link'],
    ['a link in the text', { content: { ...content, body: 'see https://a.example' } }, 'body: link'],
    ['sendAt', { sendAt: '2027-01-01T00:00:00Z' }, 'sendAt: unknown_member'],
    ['no channel', { channels: [] }, 'channels: min_items'],
    ['a channel twice', { channels: ['apple-wallet', 'apple-wallet'] }, 'channels: unique'],
    ['an unknown channel', { channels: ['sms'] }, 'channels[0]: enum'],
    [
      'more visits at least than at most',
      { targeting: { minVisits: 3, maxVisits: 2 } },
      'targeting.maxVisits: contradiction',
    ],
    [
      'more points at least than at most',
      { targeting: { minPoints: 1, maxPoints: 0 } },
      'targeting.maxPoints: contradiction',
    ],
    ['a holdout above 50', { targeting: { holdoutPercent: 51 } }, 'targeting.holdoutPercent: max_value'],
    ['a thirteenth month', { targeting: { birthdayMonth: 13 } }, 'targeting.birthdayMonth: max_value'],
    ['a language that is none', { targeting: { locales: ['français'] } }, 'targeting.locales[0]: format'],
    ['a language tag that is built wrong', { targeting: { locales: ['fr', 'fr-12'] } }, 'targeting.locales[1]: format'],
    ['an unknown condition', { targeting: { age: 5 } }, 'targeting.age: unknown_member'],
    [
      'a tier of another application',
      { targeting: { rewardTiers: [randomUUID()] } },
      'targeting.rewardTiers[0]: not_found',
    ],
  ] as const)
    it(`refuses ${title} with 400`, async () => {
      const answer = await draft(shop, body)
      expect(listFaults(answer))
        .to.match(/^400 INVALID_REQUEST/)
        .and.contain(faults)
      expect(answer.status).to.equal(400)
    })

  it('takes 60 and 240 characters, whatever their bytes', async () => {
    const { content: stored } = await createDraft(shop, {
      content: { headline: '🍂'.repeat(60), body: 'é'.repeat(240) },
    })
    expect(stored).to.deep.equal({ headline: '🍂'.repeat(60), body: 'é'.repeat(240) })
  })

  it('changes what is named, the conditions and the text as a whole, and nothing for the same', async () => {
    const { id, updatedAt } = await createDraft(shop, { targeting: { minPoints: 5, minVisits: 2 } })
    const { api } = shop
    const same = getBody<ShownCampaign>(await api.patch(`${path}/${id}`, { name: 'Autumn' }))
    expect(same.updatedAt).to.equal(updatedAt)
    const changed = getBody<ShownCampaign>(
      await api.patch(`${path}/${id}`, { description: 'x', targeting: { minVisits: 3 }, content: null }),
    )
    expect(changed).to.deep.include({ description: 'x', targeting: { minVisits: 3 }, content: null, name: 'Autumn' })
    const refused = await api.patch(`${path}/${id}`, { targeting: { minVisits: 3, maxVisits: 1 } })
    expect(listFaults(refused)).to.contain('400 INVALID_REQUEST').and.contain('targeting.maxVisits')
    expect((await readCampaign(api, id)).targeting).to.deep.equal({ minVisits: 3 })
  })

  it('deletes a draft, and answers 404 to another organization for all of its routes', async () => {
    const { id } = await createDraft(shop)
    const { api: other } = await buildShop()
    const answers = await Promise.all([
      other.get(`${path}/${id}`),
      other.patch(`${path}/${id}`, { name: 'Mine' }),
      other.delete(`${path}/${id}`),
      other.get(`${path}/${id}/stats`),
      other.get(`${path}/${id}/deliveries/export`),
      act(other, id, 'send'),
      act(other, id, 'schedule', { sendAt: '2027-01-01T00:00:00Z' }),
      act(other, id, 'cancel'),
      act(other, id, 'resume'),
    ])
    expect(new Set(answers.map(formatVerdict))).to.deep.equal(new Set(['404 NOT_FOUND']))
    const deleted = await shop.api.delete(`${path}/${id}`)
    expect(getBody<ShownCampaign>(deleted).id).to.equal(id)
    expect(formatVerdict(await shop.api.get(`${path}/${id}`))).to.equal('404 NOT_FOUND')
  })

  it('refuses an application of another organization, and a key that may only read', async () => {
    const foreign = await buildApplication((await buildShop()).organization)
    expect(formatVerdict(await draft({ ...shop, application: foreign }))).to.equal('404 NOT_FOUND')
    const audience = await shop.api.post(`${path}/audience-preview`, { application: foreign })
    expect(formatVerdict(audience)).to.equal('404 NOT_FOUND')
    const { key } = await buildKey(shop.organization, { loyalty: ['read'] })
    const reader = createApiClient(key)
    expect((await draft({ ...shop, api: reader })).status).to.equal(403)
    const counted = await reader.post(`${path}/audience-preview`, { application: shop.application })
    expect(counted.status).to.equal(200)
  })

  it('lists by application and state, by name and time', async () => {
    const own = { ...shop, application: await buildApplication(shop.organization) }
    const names = ['Cherry', 'Apple', 'Banana']
    for (const name of names) await createDraft(own, { name })
    const query = `filters[application.id][eq]=${own.application}&filters[status][eq]=draft&sorters[0][field]=name&sorters[0][order]=asc`
    const listed = await shop.api.get(`${path}?${query}`)
    expect(listed.status, listed.text).to.equal(200)
    expect(getBody<{ data: ShownCampaign[] }>(listed).data.map(({ name }) => name)).to.deep.equal(names.toSorted())
    expect(listed.text).not.to.contain('isStranded')
  })
})

async function createTier({ api, application }: Shop): Promise<string> {
  const body = { application, name: 'Gold', requiredVisits: 5, currencyToPointRatio: 1 }
  const answer = await api.post('/v1/loyalty/reward-tiers', body)
  expect(answer.status, answer.text).to.equal(201)
  return getBody<{ id: string }>(answer).id
}
