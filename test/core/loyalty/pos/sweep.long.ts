import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase } from '../../../../core/database/connection.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { startPos, type StandIn, type StandInOrder } from '../../../support/pos/pos.ts'
import { bindRestaurant, type BoundRestaurant } from '../../../support/pos/restaurants.ts'
import { waitUntil } from '../../../support/processes.ts'
import { makeSweepDue, readSweep } from '../../../support/rows/loyalty/pos-sweeps.ts'
import { signIn } from '../../../proof/stage/buyers.ts'

describe('The sweep of the orders of restaurants, with no notice at all', () => {
  let platform: OwnPlatform
  let pos: StandIn
  let api: Client
  let restaurant: BoundRestaurant
  let db: Knex

  before(async () => {
    pos = await startPos()
    platform = await startPlatform({ env: { OUTBOUND_ALLOW: pos.host } })
    db = connectDatabase({ url: platform.database, name: 'test', maxConnections: 1 })
    api = createApiClient(platform.apiKey, platform.api)
    const rated = await api.patch(`/v1/applications/${platform.application}`, {
      loyaltySettings: { currency: 'EUR', currencyToPointRatio: 2, welcomeBonus: null },
    })
    expect(rated.status, rated.text).to.equal(200)
    restaurant = await bindRestaurant(pos, platform.api, { application: platform.application, key: platform.apiKey })
  })
  after(async () => {
    await db.destroy()
    await platform.stop()
    await pos.stop()
  })

  const close = (more: Partial<StandInOrder>) =>
    pos.close({ id: randomUUID(), restaurantId: restaurant.restaurantId, ...more })

  /** Waits until the account of a customer has these points. */
  async function waitForCustomer(customer: string, points: string): Promise<void> {
    const path = `/v1/accounts?pageSize=100&filters[application.id][eq]=${platform.application}`
    await waitUntil(`the customer has ${points} points`, async () => {
      const rows = (await api.get(path)).body['data'] as unknown as {
        loyalty: { customerId: string | null; optimisticBalance: string }
      }[]
      return rows.some(({ loyalty }) => loyalty.customerId === customer && loyalty.optimisticBalance === points)
    })
  }

  async function createCustomer() {
    const email = `diner-${randomUUID()}@people.example`
    await signIn(platform, email)
    return { id: `C-${randomUUID()}`, email }
  }

  it('counts orders and refunds alone, over several pages, each once', async () => {
    const customer = await createCustomer()
    const orders = Array.from({ length: 5 }, () => close({ customer }))
    await makeSweepDue(db, restaurant.restaurantId)
    await waitForCustomer(customer.id, '100')
    pos.refund(orders[0]!.id, '10.00')
    await makeSweepDue(db, restaurant.restaurantId)
    await waitForCustomer(customer.id, '80')
    close({ customer })
    await makeSweepDue(db, restaurant.restaurantId)
    await waitForCustomer(customer.id, '100')
    expect(pos.refusals).to.equal(0)
  })

  it('keeps an order without the items that cannot be read, and says in the log what it left out', async () => {
    const customer = await createCustomer()
    const from = platform.lines.length
    const [good, bad] = [
      { name: 'Pizza', quantity: 1, unitPrice: '10.00' },
      { name: 'Tip', quantity: 1, unitPrice: 'ten' },
    ]
    const partly = close({ customer, items: [good, bad] })
    const unreadable = close({ customer, total: 'much' })
    close({ customer, total: '5.00' })
    await makeSweepDue(db, restaurant.restaurantId)
    await waitForCustomer(customer.id, '30')
    const lines = platform.lines.slice(from).filter((line) => line.includes('cannot be read'))
    const said = lines.map((line) => (JSON.parse(line.slice(line.indexOf('{'))) as { order: unknown }).order)
    expect(said).to.deep.include.members([
      { id: partly.id, isLeftOut: false, issues: [{ path: 'items[1].unitPrice', code: 'type' }] },
      { id: unreadable.id, isLeftOut: true, issues: [{ path: 'total', code: 'type' }] },
    ])
    pos.orders.delete(unreadable.id)
  })

  for (const status of [429, 503])
    it(`backs off while the POS answers ${status}, goes on afterwards, and loses nothing`, async () => {
      const customer = await createCustomer()
      pos.awayStatus = status
      close({ customer })
      const waits: number[] = []
      for (const failures of [1, 2, 3]) {
        await makeSweepDue(db, restaurant.restaurantId)
        await waitUntil('the sweep has failed', async () => {
          const sweep = await readSweep(db, restaurant.restaurantId)
          return sweep.dueInSeconds > 0 && sweep.failures === failures
        })
        waits.push((await readSweep(db, restaurant.restaurantId)).dueInSeconds)
      }
      expect(waits[1]).to.be.greaterThan(waits[0]! * 1.5)
      expect(waits[2]).to.be.greaterThan(waits[1]! * 1.5)
      pos.awayStatus = null
      close({ customer, total: '1.00' })
      await makeSweepDue(db, restaurant.restaurantId)
      await waitForCustomer(customer.id, '22')
      await waitUntil(
        'the sweep begins anew',
        async () => (await readSweep(db, restaurant.restaurantId)).failures === 0,
      )
    })

  it('pulls at once when the key changes, because an old one may have been why it failed', async () => {
    const customer = await createCustomer()
    close({ customer })
    const changed = await api.patch('/v1/loyalty/pos-integration/settings', { apiKey: pos.apiKey })
    expect(changed.status, changed.text).to.equal(200)
    await waitForCustomer(customer.id, '20')
  })
}).timeout(180_000)
