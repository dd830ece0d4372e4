import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient, type Client } from '../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { startPos, type StandIn } from '../../support/pos/pos.ts'
import { waitUntil } from '../../support/processes.ts'
import { signIn } from '../stage/buyers.ts'
import { waitForDeath } from '../stage/process-deaths.ts'
import { keepPlatformLines } from '../kills/kills.ts'

const people = 3
const ordersOfEach = 2

describe('Orders of a restaurant whose notices were all lost: a worker killed while they are worked off', () => {
  let platform: OwnPlatform | undefined
  let pos: StandIn
  let api: Client

  const open = () => {
    if (!platform) throw new Error('there is no platform')
    return platform
  }

  before(async () => {
    pos = await startPos()
    platform = await startPlatform({
      env: { TESSERA_FAULT: 'none', OUTBOUND_ALLOW: pos.host },
      keeperDelays: { maxMs: 200 },
    })
    api = createApiClient(platform.apiKey, platform.api)
  })
  after(async () => {
    await platform?.stop()
    await pos.stop()
  })
  afterEach(function () {
    keepPlatformLines(this, platform)
  })

  async function readPoints(customers: readonly string[]): Promise<string[]> {
    const path = `/v1/accounts?pageSize=100&filters[application.id][eq]=${open().application}`
    const rows = (await api.get(path)).body['data'] as unknown as {
      loyalty: { customerId: string | null; optimisticBalance: string; visits: number }
    }[]
    return rows
      .filter(({ loyalty: { customerId } }) => customerId !== null && customers.includes(customerId))
      .map(({ loyalty: { optimisticBalance, visits } }) => `${optimisticBalance} points, ${visits} visits`)
  }

  it('finds each order in the POS, and counts it once', async () => {
    const { application, children, lines } = open()
    const rated = await api.patch(`/v1/applications/${application}`, {
      loyaltySettings: { currency: 'EUR', currencyToPointRatio: 2, welcomeBonus: null },
    })
    expect(rated.status, rated.text).to.equal(200)
    const restaurantId = `R-${randomUUID()}`
    pos.restaurants.add(restaurantId)
    const customers: string[] = []
    const closedAt = new Date(Date.now() - 60_000).toISOString()
    for (let at = 0; at < people; at++) {
      const email = `diner-${at}@people.example`
      await signIn(open(), email)
      const id = `C-${randomUUID()}`
      customers.push(id)
      for (let nth = 0; nth < ordersOfEach; nth++)
        pos.close({ id: randomUUID(), restaurantId, customer: { id, email }, closedAt })
    }
    const refunded = pos.close({ id: randomUUID(), restaurantId, customer: { id: customers[0]! }, closedAt })
    pos.refund(refunded.id, refunded.total)
    const from = lines.length
    children.worker.arm('earn.storing:2')
    const struck = waitForDeath(() => lines.slice(from), 'earn.storing')
    const bound = await api.patch('/v1/loyalty/pos-integration/settings', {
      baseUrl: pos.address,
      apiKey: pos.apiKey,
      restaurants: [{ restaurantId, application }],
    })
    expect(bound.status, bound.text).to.equal(200)
    await struck.death
    struck.stop()
    const expected = customers.map(() => '40 points, 1 visits')
    await waitUntil('every order counts once', async () => {
      const found = await readPoints(customers)
      return found.length === people && found.every((one) => one === '40 points, 1 visits')
    })
    expect(await readPoints(customers)).to.deep.equal(expected)
    expect(pos.refusals).to.equal(0)
  })
}).timeout(240_000)
