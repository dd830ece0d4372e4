import { expect } from 'chai'
import { buildApplication, buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { createEmail } from '../../identity/people.ts'
import { assign, path, readGifts, type ShownAssignment } from './fixtures.ts'

describe('An assignment with a reward tier', () => {
  let shop: Shop
  let tier: string
  before(async () => {
    shop = await buildShop()
    tier = await buildTier(shop.application, 3)
  })

  async function buildTier(application: string, requiredVisits: number): Promise<string> {
    const body = { application, name: `After ${requiredVisits}`, requiredVisits, currencyToPointRatio: 2 }
    const made = await shop.api.post('/v1/loyalty/reward-tiers', body)
    expect(made.status, made.text).to.equal(201)
    return String(made.body['id'])
  }
  const readTiers = async (account: string) => {
    const { loyalty } = (await shop.api.get(`/v1/accounts/${account}`)).body
    return [loyalty?.['fixedRewardTier'], loyalty?.['rewardTier']?.['id']]
  }
  const assignTier = async (email: string, rewardTier: string, optimisticBalance = 0) => {
    const answer = await assign(shop, { email, optimisticBalance, rewardTier })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body as unknown as ShownAssignment
  }

  it('fixes the tier of a new account, also without points', async () => {
    const email = createEmail()
    expect(await assignTier(email, tier)).to.include({ rewardTier: tier, optimisticBalance: '0', status: 'pending' })
    const { account } = await buildBuyer(shop, email)
    expect(await readTiers(account)).to.deep.equal([tier, tier])
    expect(await readGifts(shop, account)).to.deep.equal({ points: '0', gifts: [] })
  })

  it('fixes the tier of somebody who has an account at once', async () => {
    const email = createEmail()
    const { account } = await buildBuyer(shop, email)
    expect(await readTiers(account)).to.deep.equal([null, undefined])
    expect(await assignTier(email, tier, 5)).to.include({ status: 'consumed' })
    expect(await readTiers(account)).to.deep.equal([tier, tier])
  })

  it('has its tier replaced by an upsert and by a change, and removed where points are left', async () => {
    const email = createEmail()
    const { id } = await assignTier(email, tier, 5)
    const other = await buildTier(shop.application, 8)
    const upserted = await assign(shop, { email, optimisticBalance: 0, rewardTier: other, upsert: true })
    expect([upserted.status, upserted.body['rewardTier'], upserted.body['optimisticBalance']]).to.deep.equal([
      200,
      other,
      '5',
    ])
    expect((await shop.api.patch(`${path}/${id}`, { rewardTier: tier })).body['rewardTier']).to.equal(tier)
    expect((await shop.api.patch(`${path}/${id}`, { rewardTier: null })).body).not.to.have.property('rewardTier')
  })

  it('is refused with a tier of another application', async () => {
    const foreign = await buildTier(await buildApplication(shop.organization), 3)
    const refused = await assign(shop, { email: createEmail(), rewardTier: foreign })
    expect(formatVerdict(refused)).to.equal('422 ACCOUNT_REWARD_TIER_NOT_FOUND')
  })

  it('gives the points alone where its tier was deleted meanwhile', async () => {
    const email = createEmail()
    const gone = await buildTier(shop.application, 13)
    await assignTier(email, gone, 5)
    expect((await shop.api.delete(`/v1/loyalty/reward-tiers/${gone}`)).status).to.equal(200)
    const { account } = await buildBuyer(shop, email)
    expect(await readTiers(account)).to.deep.equal([null, undefined])
    expect((await readGifts(shop, account)).gifts).to.deep.equal(['assignment 5'])
  })
})
