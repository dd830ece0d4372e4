import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import type { StandIn } from '../../../support/pos/pos.ts'
import { settingsPath, startPosStage, webhookSecret, type PosStage } from '../../../support/pos/restaurants.ts'
import { sendSigned } from '../../../support/pos/signing.ts'
import { formatVerdict, listFaultPaths } from '../../dpp/passports/fixtures.ts'
import { createEmail } from '../../identity/people.ts'
import { countActiveUsers } from '../../organization/quotas.fixtures.ts'
import { listOrders, burn } from '../points/fixtures.ts'
import {
  buildCustomer,
  buildRestaurant,
  readLoyalty,
  sendEnded,
  sendRefunded,
  waitForPoints,
  type Restaurant,
} from './fixtures.ts'

describe('POST /v1/loyalty/pos-integration/:integrationId/webhooks/order.ended', () => {
  let pos: StandIn
  let stage: PosStage
  let restaurant: Restaurant
  before(async () => {
    stage = await startPosStage()
    pos = stage.pos
    restaurant = await buildRestaurant(pos, stage.api)
  })
  after(() => stage.stop())
  const close = (more: object) => pos.close({ id: randomUUID(), restaurantId: restaurant.restaurantId, ...more })

  it('gives the customer points of the net total, once for 100 notices, with a visit', async () => {
    const counted = await countActiveUsers(restaurant.shop)
    const { account, customer } = await buildCustomer(restaurant)
    const order = close({ customer, total: '10.49' })
    const answers = await Promise.all(Array.from({ length: 100 }, () => sendEnded(restaurant, order)))
    expect(new Set(answers.map(formatVerdict))).to.deep.equal(new Set(['200']))
    const loyalty = await waitForPoints(restaurant, account, '20')
    expect(loyalty).to.include({ visits: 1, customerId: customer.id })
    const [shown, ...others] = await listOrders(restaurant.shop.api, `walletId=${account}`)
    expect(others).to.deep.equal([])
    expect(shown).to.include({ kind: 'order', points: '20', currency: 'EUR' })
    expect(await countActiveUsers(restaurant.shop), 'one active user for the points and the visit').to.equal(
      counted + 1,
    )
  })

  it('refuses a wrong signature, none, and an unknown integration alike', async () => {
    const order = close({ customer: { id: 'C' } })
    const foreign = restaurant.urls.orderEnded.replace(/[0-9a-f-]{36}/, randomUUID())
    for (const answer of [
      await sendSigned(stage.api, restaurant.urls.orderEnded, order, 'another-secret'),
      await sendSigned(stage.api, foreign, order, webhookSecret),
      await createApiClient({}, stage.api).post(new URL(restaurant.urls.orderEnded).pathname, order),
      await sendSigned(
        stage.api,
        '/v1/loyalty/pos-integration/webhooks/order.ended',
        { ...order, restaurantId: 'none' },
        webhookSecret,
      ),
    ])
      expect(formatVerdict(answer)).to.equal('401 WEBHOOK_INVALID_SIGNATURE')
  })

  it('skips an order that is open, has no customer, or is of a restaurant that is not bound', async () => {
    const customer = { id: 'C' }
    for (const [order, skipped] of [
      [close({ customer, status: 1 }), 'status'],
      [close({}), 'no_customer'],
      [close({ customer, restaurantId: 'elsewhere' }), 'restaurant_not_bound'],
    ] as const)
      expect((await sendEnded(restaurant, order)).body).to.deep.equal({ skipped })
  })

  it('skips an order at an inactive point of sale, and counts what is reported once it is active', async () => {
    const own = await buildRestaurant(pos, stage.api)
    const { account, customer } = await buildCustomer(own)
    const setStatus = (status: string) => own.api.patch(`/v1/points-of-sale/${own.pointOfSale}`, { status })
    const order = pos.close({ id: randomUUID(), restaurantId: own.restaurantId, customer })
    expect((await setStatus('inactive')).status).to.equal(200)
    expect((await sendEnded(own, order)).body).to.deep.equal({ skipped: 'point_of_sale_inactive' })
    expect((await setStatus('active')).status).to.equal(200)
    expect((await sendEnded(own, order)).body).to.deep.equal({ received: true })
    await waitForPoints(own, account, '20')
  })

  it('counts an order that is reported by its restaurant, without the integration in the path', async () => {
    const { account, customer } = await buildCustomer(restaurant)
    const order = close({ customer })
    const path = '/v1/loyalty/pos-integration/webhooks'
    for (const notice of ['order.ended', 'order.ended'])
      expect((await sendSigned(stage.api, `${path}/${notice}`, order, webhookSecret)).status).to.equal(200)
    await waitForPoints(restaurant, account, '20')
    await sendSigned(stage.api, `${path}/order.refunded`, pos.refund(order.id, '10.00'), webhookSecret)
    await waitForPoints(restaurant, account, '0')
  })

  it('comes to the same when the refunds are reported before the order', async () => {
    const { account, customer } = await buildCustomer(restaurant)
    const order = close({ customer, total: '10.00' })
    const notices = [order, pos.refund(order.id, '2.50'), pos.refund(order.id, '5.00')]
    for (const notice of notices.toReversed()) await sendRefunded(restaurant, notice)
    await sendEnded(restaurant, order)
    const loyalty = await waitForPoints(restaurant, account, '10')
    expect(loyalty).to.include({ visits: 1 })
    await sendRefunded(restaurant, pos.refund(order.id, '10.00'))
    await waitForPoints(restaurant, account, '0')
    const orders = await listOrders(restaurant.shop.api, `walletId=${account}`)
    expect(orders.map(({ kind, points, amount }) => `${kind} ${points} ${Number(amount)}`)).to.deep.equal([
      'reverse -10 5',
      'reverse -10 5',
      'order 20 10',
    ])
  })

  it('refuses what is no order', async () => {
    const order = close({ customer: { id: 'C' } })
    const send = (body: object) => sendSigned(stage.api, restaurant.urls.orderEnded, body, webhookSecret)
    expect(listFaultPaths(await send({ ...order, total: '-1' }))).to.deep.equal(['total'])
    expect(listFaultPaths(await send({ ...order, closedAt: 'yesterday' }))).to.deep.equal(['closedAt'])
    expect(formatVerdict(await send({ id: 'x' }))).to.equal('400 INVALID_REQUEST')
    const item = { name: 'Pizza', quantity: 1, unitPrice: '10.00' }
    for (const [items, path] of [
      [[item, { ...item, unitPrice: 'ten' }], 'items[1].unitPrice'],
      [[{ ...item, quantity: '1' }], 'items[0].quantity'],
      [[{ ...item, name: '' }], 'items[0].name'],
      [[{ ...item, sku: 7 }], 'items[0].sku'],
      [Array(501).fill(item), 'items'],
    ] as const)
      expect(listFaultPaths(await send({ ...order, items })), path).to.deep.equal([path])
  })

  it('keeps an order of somebody without an account, and counts it when they come', async () => {
    const email = createEmail('late')
    await sendEnded(restaurant, close({ customer: { id: randomUUID(), email } }))
    const { account } = await buildCustomer(restaurant, email)
    await waitForPoints(restaurant, account, '20')
  })

  it('takes partial refunds in proportion, all of it in the end, whatever the order of the notices', async () => {
    const { account, customer } = await buildCustomer(restaurant)
    const order = close({ customer, total: '10.01' })
    const refunds = ['3.33', '6.66', '10.01'].map((total) => pos.refund(order.id, total))
    await sendRefunded(restaurant, refunds[0]!)
    await waitForPoints(restaurant, account, '14')
    await sendEnded(restaurant, order)
    await sendRefunded(restaurant, refunds[2]!)
    await sendRefunded(restaurant, refunds[1]!)
    await sendRefunded(restaurant, refunds[2]!)
    await waitForPoints(restaurant, account, '0')
    const kinds = (await listOrders(restaurant.shop.api, `walletId=${account}`)).map(
      ({ kind, points }) => `${kind} ${points}`,
    )
    expect(kinds).to.deep.equal(['reverse -14', 'reverse -6', 'order 20'])
  })

  it('leaves the balance below zero after a refund of points that were spent, and refuses burns until it is above', async () => {
    const { account, customer } = await buildCustomer(restaurant)
    const order = close({ customer })
    await sendEnded(restaurant, order)
    await waitForPoints(restaurant, account, '20')
    expect((await burn(restaurant.shop.api, account, { amount: 15 })).status).to.equal(202)
    await sendRefunded(restaurant, pos.refund(order.id, '10.00'))
    await waitForPoints(restaurant, account, '-15')
    const refused = await burn(restaurant.shop.api, account, { amount: 1 })
    expect(formatVerdict(refused)).to.equal('409 LOYALTY_INSUFFICIENT_BALANCE')
    expect(refused.body['available']).to.equal('-15')
    await sendEnded(restaurant, close({ customer }))
    await waitForPoints(restaurant, account, '5')
  })

  it('keeps an order in another currency without points', async () => {
    const { account, customer } = await buildCustomer(restaurant)
    await sendEnded(restaurant, close({ customer, currency: 'USD' }))
    await sendEnded(restaurant, close({ customer, total: '1' }))
    await waitForPoints(restaurant, account, '2')
    expect(await readLoyalty(restaurant, account)).to.include({ optimisticBalance: '2' })
  })

  describe('POST /v1/loyalty/pos-integration/burn/:restaurantId/:customerId', () => {
    const burnPath = (id: string) => `/v1/loyalty/pos-integration/burn/${restaurant.restaurantId}/${id}`
    const send = (id: string, body: object, by = webhookSecret) => sendSigned(stage.api, burnPath(id), body, by)

    it('burns once what the order of the customer asks for', async () => {
      const { account, customer } = await buildCustomer(restaurant)
      await sendEnded(restaurant, close({ customer }))
      await waitForPoints(restaurant, account, '20')
      const { id: orderId } = close({ customer, status: 1, points: 12 })
      const answers = await Promise.all(Array.from({ length: 5 }, () => send(customer.id, { orderId, points: 12 })))
      for (const answer of answers) {
        expect(answer.status, answer.text).to.equal(200)
        expect(answer.body).to.deep.equal({ optimisticBalance: '8' })
      }
      expect(formatVerdict(await send(customer.id, { orderId, points: 11 }))).to.equal('422 VALIDATION_FAILED')
      expect(formatVerdict(await send('C-other', { orderId, points: 12 }))).to.equal(
        '403 AUTH_INSUFFICIENT_PERMISSIONS',
      )
      expect(formatVerdict(await send(customer.id, { orderId: 'none', points: 12 }))).to.equal(
        '403 AUTH_INSUFFICIENT_PERMISSIONS',
      )
      expect(formatVerdict(await send(customer.id, { orderId, points: 12 }, 'another-secret'))).to.equal(
        '401 WEBHOOK_INVALID_SIGNATURE',
      )
      expect(formatVerdict(await send(customer.id, { points: 12 }))).to.equal('400 INVALID_REQUEST')
      pos.close({ id: orderId, restaurantId: restaurant.restaurantId, customer, status: 1, points: 11 })
      expect(formatVerdict(await send(customer.id, { orderId, points: 11 }))).to.equal('409 LOYALTY_REFERENCE_REUSED')
      const more = close({ customer, status: 1, points: 9 })
      const refused = await send(customer.id, { orderId: more.id, points: 9 })
      expect(formatVerdict(refused)).to.equal('409 LOYALTY_INSUFFICIENT_BALANCE')
      expect(refused.body['available']).to.equal('8')
    })

    it('burns nothing while the POS is away', async () => {
      pos.awayStatus = 503
      const answer = await send('C', { orderId: 'any', points: 1 })
      pos.awayStatus = null
      expect(answer.status, answer.text).to.equal(503)
    })
  })

  describe(`PATCH ${settingsPath}`, () => {
    it('never shows its secrets, and names what the POS refuses', async () => {
      const answer = await restaurant.api.get(settingsPath)
      expect(answer.body).to.include({ hasApiKey: true, hasWebhookSecret: true, baseUrl: pos.address })
      expect(answer.text).not.to.contain(webhookSecret).and.not.to.contain(pos.apiKey)
      const { application } = restaurant.shop
      const refused = await restaurant.api.patch(settingsPath, { restaurants: [{ restaurantId: 'none', application }] })
      expect(formatVerdict(refused)).to.equal('422 VALIDATION_FAILED')
      expect(refused.text).to.contain('restaurants.0.restaurantId')
    })

    it('refuses the restaurant of another organization without telling whose', async () => {
      const other = await buildRestaurant(pos, stage.api)
      const { application } = other.shop
      const taken = await other.api.patch(settingsPath, {
        restaurants: [{ restaurantId: restaurant.restaurantId, application }],
      })
      expect(formatVerdict(taken)).to.equal('422 VALIDATION_FAILED')
      expect(taken.text).not.to.contain(restaurant.shop.organization)
      const left = await other.api.get(settingsPath)
      expect(left.body['restaurants']).to.have.length(1)
    })

    it('keeps a point of sale that a restaurant is bound to', async () => {
      const answer = await restaurant.api.delete(`/v1/points-of-sale/${restaurant.pointOfSale}`)
      expect(formatVerdict(answer)).to.equal('409 POINT_OF_SALE_IN_USE')
    })

    it('changes nothing while the POS is away', async () => {
      pos.awayStatus = 503
      const answer = await restaurant.api.patch(settingsPath, { apiKey: pos.apiKey })
      pos.awayStatus = null
      expect(answer.status, answer.text).to.equal(503)
    })
  })
})
