import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { runAdmin } from '../../../support/admin-command.ts'
import { platform } from '../../../support/platform.ts'
import { startPosStage, type PosStage } from '../../../support/pos/restaurants.ts'
import type { StandInOrder } from '../../../support/pos/pos.ts'
import { waitUntil } from '../../../support/processes.ts'
import { ageOrder, readPosOrderState } from '../../../support/rows/loyalty/pos-orders.ts'
import { createEmail, getOperator } from '../../identity/people.ts'
import { done } from '../../commands/persons/persons.admin.ts'
import { buildCustomer, buildRestaurant, sendEnded, setRatio, waitForPoints, type Restaurant } from './fixtures.ts'

const readState = async ({ id }: StandInOrder) => readPosOrderState((await getOperator()).db, id)

/** Waits until an order has been worked off as far as it can be. */
const waitForStatus = (order: StandInOrder, status: string) =>
  waitUntil(`the order is ${status}`, async () => (await readState(order))?.status === status)

describe('Orders of a restaurant and who their customers are', () => {
  let stage: PosStage
  let restaurant: Restaurant
  before(async () => {
    stage = await startPosStage()
    restaurant = await buildRestaurant(stage.pos, stage.api)
  })
  after(() => stage.stop())

  async function send(more: Partial<StandInOrder>, at = restaurant): Promise<StandInOrder> {
    const order = stage.pos.close({ id: randomUUID(), restaurantId: at.restaurantId, ...more })
    expect((await sendEnded(at, order)).body).to.deep.equal({ received: true })
    return order
  }
  const setCustomer = (account: string, customerId: string | null) =>
    restaurant.shop.api.patch(`/v1/accounts/${account}`, { loyalty: { customerId } })

  it('count when a PATCH of /v1/accounts/:id gives an account the customer, each once', async () => {
    const { account } = await buildCustomer(restaurant)
    const customer = { id: `C-${randomUUID()}` }
    const orders = [await send({ customer }), await send({ customer, total: '5.00' })]
    for (const order of orders) await waitForStatus(order, 'awaiting')
    const changed = await setCustomer(account, customer.id)
    expect(changed.status, changed.text).to.equal(200)
    await waitForPoints(restaurant, account, '30')
    await setCustomer(account, null)
    await setCustomer(account, customer.id)
    await send({ customer, total: '1.00' })
    expect(await waitForPoints(restaurant, account, '32')).to.include({ visits: 1 })
  })

  it('count when a later order tells by its e-mail whose they are', async () => {
    const { account, email } = await buildCustomer(restaurant)
    const id = `C-${randomUUID()}`
    await waitForStatus(await send({ customer: { id } }), 'awaiting')
    await send({ customer: { id, email } })
    expect(await waitForPoints(restaurant, account, '40')).to.include({ customerId: id })
  })

  it('lose their contacts after two years by admin cleanup, and still wait for their customer', async () => {
    const { db } = await getOperator()
    const [old, young] = [createEmail('old'), createEmail('young')]
    const id = `C-${randomUUID()}`
    const orders = [
      await send({ customer: { id, email: old } }),
      await send({ customer: { id, email: young } }),
    ] as const
    for (const order of orders) await waitForStatus(order, 'awaiting')
    await ageOrder(db, orders[0].id, 731)
    await ageOrder(db, orders[1].id, 729)
    const ran = await runAdmin(platform.dataDir, 'cleanup', '--json')
    expect(ran.code, ran.err).to.equal(0)
    expect((await readState(orders[0]))?.email).to.equal(null)
    expect((await readState(orders[1]))?.email).to.equal(young)
    const { account } = await buildCustomer(restaurant)
    await setCustomer(account, id)
    await waitForPoints(restaurant, account, '40')
  })

  it('count for a phone number that the person has proven, and not for an e-mail that another account has', async () => {
    const { account, customer } = await buildCustomer(restaurant)
    await send({ customer })
    await waitForPoints(restaurant, account, '20')
    const other = { id: `C-${randomUUID()}`, email: customer.email }
    await send({ customer: other })
    expect(await waitForPoints(restaurant, account, '40')).to.include({ customerId: customer.id })
  })

  it('are kept without points while no ratio is set, and do not count later', async () => {
    const own = await buildRestaurant(stage.pos, stage.api)
    await setRatio(own.shop, null)
    const { account, customer } = await buildCustomer(own)
    const order = await send({ customer }, own)
    await waitForStatus(order, 'skipped')
    expect(await readState(order)).to.include({ reason: 'no_ratio', email: null })
    await setRatio(own.shop, 3)
    await sendEnded(own, order)
    await send({ customer, total: '2.00' }, own)
    expect(await waitForPoints(own, account, '6')).to.include({ visits: 1 })
  })

  it('keep no contact of a person once they have counted, nor once the person is erased', async () => {
    const { account, customer } = await buildCustomer(restaurant)
    const counted = await send({ customer })
    await waitForPoints(restaurant, account, '20')
    expect(await readState(counted)).to.deep.include({ status: 'earned', email: null, phone: null })
    const email = createEmail('guest')
    const waiting = await send({ customer: { id: `C-${randomUUID()}`, email, phone: '+390612345678' } })
    await waitForStatus(waiting, 'awaiting')
    expect(await readState(waiting)).to.include({ email, phone: '+390612345678' })
    expect((await done('person', 'erase', email))['changed']).to.include({ pos_orders: 1 })
    expect(await readState(waiting)).to.include({ email: null })
  })

  it('name nobody any more when the account is deleted', async () => {
    const { account, customer } = await buildCustomer(restaurant)
    const order = await send({ customer })
    await waitForPoints(restaurant, account, '20')
    expect((await restaurant.shop.api.delete(`/v1/accounts/${account}`)).status).to.equal(200)
    expect(await readState(order)).to.include({ customer: '', email: null })
  })
}).timeout(180_000)
