import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { buildBuyer, buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { createApiClient } from '../../../support/client.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { burn, getAccepted, listEntries, mint, waitForPoints } from './fixtures.ts'

describe('POST /v1/loyalty/account/:id/burn', () => {
  let shop: Shop
  let account: string
  before(async () => {
    shop = await buildShop()
  })
  beforeEach(async () => {
    ;({ account } = await buildBuyer(shop))
    await mint(shop.api, account, { amount: 100 })
  })

  it('takes points at once, and its job ends', async () => {
    const accepted = getAccepted(await burn(shop.api, account, { amount: 40, reason: 'A coffee' }))
    expect(accepted).to.deep.include({ amount: '40', optimisticBalance: '60' })
    expect(await waitForPoints(shop.api, accepted)).to.deep.include({ status: 'completed', failed: 0 })
  })

  it('refuses more than there is, says how much that is, and takes nothing', async () => {
    const answer = await burn(shop.api, account, { amount: 101 })
    expect(formatVerdict(answer)).to.equal('409 LOYALTY_INSUFFICIENT_BALANCE')
    expect(getBody<{ available: string }>(answer).available).to.equal('100')
    expect(await listEntries(shop.api, account)).to.have.length(1)
    expect(getAccepted(await burn(shop.api, account, { amount: 100 })).optimisticBalance).to.equal('0')
    const empty = await burn(shop.api, (await buildBuyer(shop)).account, { amount: 1 })
    expect(getBody<{ available: string }>(empty).available, 'of an account without entries').to.equal('0')
  })

  it('never takes more than there is, however many take at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => burn(shop.api, account, { amount: 3 })))
    const verdicts = Map.groupBy(answers, formatVerdict)
    expect([...verdicts].map(([verdict, { length }]) => `${verdict} ${length}`)).to.have.members([
      '202 33',
      '409 LOYALTY_INSUFFICIENT_BALANCE 17',
    ])
    expect(getAccepted(await mint(shop.api, account, { amount: 1 })).optimisticBalance).to.equal('2')
  })

  it('gives the last points to one of two, in each of 50 rounds', async () => {
    for (let round = 0; round < 50; round++) {
      const answers = await Promise.all([0, 1].map(() => burn(shop.api, account, { amount: 100 })))
      expect(answers.map(formatVerdict).toSorted()).to.deep.equal(['202', '409 LOYALTY_INSUFFICIENT_BALANCE'])
      expect(getAccepted(await mint(shop.api, account, { amount: 100 })).optimisticBalance).to.equal('100')
    }
  })

  it('does not find an account of another organization, or none', async () => {
    const foreign = await buildShop()
    for (const id of [account, randomUUID()])
      expect(formatVerdict(await burn(foreign.api, id, { amount: 1 }))).to.equal('404 LOYALTY_ACCOUNT_NOT_FOUND')
  })

  it('needs loyalty:update', async () => {
    const { key } = await buildKey(shop.organization, { loyalty: ['read', 'create', 'delete'] })
    expect(formatVerdict(await burn(createApiClient(key), account, { amount: 1 }))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
  })
})
