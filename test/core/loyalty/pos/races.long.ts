import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { startPosStage, type PosStage } from '../../../support/pos/restaurants.ts'
import { waitUntil } from '../../../support/processes.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { listOrders } from '../points/fixtures.ts'
import { verify } from '../visits/visits.maker.ts'
import { buildCustomer, buildRestaurant, readLoyalty, sendEnded, waitForPoints, type Restaurant } from './fixtures.ts'

const rounds = 50
/** Orders and changes that are sent at the same time: an organization has turns for few more. */
const beside = 5
const dayMs = 24 * 60 * 60 * 1_000

describe('Orders of a restaurant beside changes of the account', () => {
  let stage: PosStage
  let restaurant: Restaurant
  before(async () => {
    stage = await startPosStage()
    restaurant = await buildRestaurant(stage.pos, stage.api)
  })
  after(() => stage.stop())

  /** Reports an order, so many days ago. */
  async function report(customer: { id: string }, daysAgo = 0): Promise<void> {
    const closedAt = new Date(Date.now() - daysAgo * dayMs).toISOString()
    const order = stage.pos.close({ id: randomUUID(), restaurantId: restaurant.restaurantId, customer, closedAt })
    expect((await sendEnded(restaurant, order)).body).to.deep.equal({ received: true })
  }
  async function patch(account: string, loyalty: object): Promise<void> {
    const answer = await restaurant.shop.api.patch(`/v1/accounts/${account}`, { loyalty })
    expect(answer.status, answer.text).to.equal(200)
  }

  it(`give their points and visits in ${rounds} rounds beside corrections of the visits, and nothing fails`, async () => {
    const { account, customer } = await buildCustomer(restaurant)
    for (let round = 0; round < rounds; round += beside)
      await Promise.all(
        Array.from({ length: beside }, (_one, at) => [
          report(customer, round + at),
          patch(account, { visits: 100 + round + at }),
        ]).flat(),
      )
    const { visits } = await waitForPoints(restaurant, account, String(20 * rounds))
    expect(visits).to.be.at.least(100)
    await patch(account, { visits: 7 })
    expect(await readLoyalty(restaurant, account)).to.include({ optimisticBalance: String(20 * rounds), visits: 7 })
    expect(await verify(restaurant.shop)).to.deep.equal([])
  })

  it(`give the points of one ratio or the other in ${rounds} rounds beside a change of the tier`, async () => {
    const { shop } = restaurant
    const { account, customer } = await buildCustomer(restaurant)
    const made = await shop.api.post('/v1/loyalty/reward-tiers', {
      application: shop.application,
      name: 'Gold',
      requiredVisits: 1_000,
      currencyToPointRatio: 3,
    })
    const { id: gold } = getBody<{ id: string }>(made)
    for (let round = 0; round < rounds; round++)
      await Promise.all([report(customer), patch(account, { fixedRewardTier: round % 2 === 0 ? gold : null })])
    const list = async () => listOrders(shop.api, `walletId=${account}&pageSize=100`)
    await waitUntil('every order has counted', async () => (await list()).length === rounds)
    const points = (await list()).map((order) => Number(order.points))
    expect([...new Set(points)].filter((one) => one !== 20 && one !== 30)).to.deep.equal([])
    const sum = points.reduce((total, one) => total + one, 0)
    expect(await readLoyalty(restaurant, account)).to.include({ optimisticBalance: String(sum), visits: 1 })
    expect(await verify(shop)).to.deep.equal([])
  })
}).timeout(180_000)
