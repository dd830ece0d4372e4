import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { buildBuyer, buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { burn, getAccepted, listOrders, mint, waitForPoints } from './fixtures.ts'

describe('GET /v1/loyalty/orders', () => {
  let shop: Shop
  let [account, other] = ['', '']
  before(async () => {
    shop = await buildShop()
    ;({ account } = await buildBuyer(shop))
    ;({ account: other } = await buildBuyer(shop))
    getAccepted(await mint(shop.api, account, { amount: 100, reference: 'gift-1', reason: 'Welcome' }))
    getAccepted(await burn(shop.api, account, { amount: 30 }))
    await waitForPoints(shop.api, getAccepted(await mint(shop.api, other, { amount: '9007199254740993' })))
  })

  it('lists what changed the points of all accounts, the newest first', async () => {
    const orders = await listOrders(shop.api)
    expect(orders.map((order) => [order.account, order.kind, order.points, order.reference])).to.deep.equal([
      [other, 'mint', '9007199254740993', null],
      [account, 'burn', '-30', null],
      [account, 'mint', '100', 'gift-1'],
    ])
    for (const { status, items, transactionHash } of orders) {
      expect([status, items]).to.deep.equal(['settled', []])
      expect(transactionHash).to.match(/^0x[0-9a-f]{64}$/)
    }
    expect(orders[0]).not.to.have.any.keys('amount', 'currency', 'rule')
  })

  it('lists those of one account, named as walletId or by a filter', async () => {
    for (const query of [`walletId=${account}`, `filters[account.id][eq]=${account}`])
      expect(
        (await listOrders(shop.api, query)).map(({ points }) => points),
        query,
      ).to.deep.equal(['-30', '100'])
    const both = await listOrders(shop.api, `walletId=${account}&filters[account.id][eq]=${other}`)
    expect(both, 'two accounts').to.deep.equal([])
    expect(await listOrders(shop.api, `walletId=${randomUUID()}`)).to.deep.equal([])
    expect(formatVerdict(await shop.api.get('/v1/loyalty/orders?walletId=somebody'))).to.match(/^4\d\d /)
  })

  it('filters by kind, status, application, id and time, and sorts', async () => {
    const pointsOf = async (query: string) => (await listOrders(shop.api, query)).map(({ points }) => points)
    expect(await pointsOf('filters[kind][eq]=burn')).to.deep.equal(['-30'])
    expect(await pointsOf('filters[status][eq]=reversed')).to.deep.equal([])
    expect(await pointsOf(`filters[application.id][eq]=${shop.application}&pageSize=1`)).to.have.length(1)
    expect(await pointsOf(`filters[application.id][eq]=${randomUUID()}`)).to.deep.equal([])
    const [newest] = await listOrders(shop.api)
    expect(await pointsOf(`filters[id][eq]=${newest?.id}`)).to.deep.equal(['9007199254740993'])
    expect(await pointsOf(`filters[createdAt][gt]=${newest?.createdAt}`)).to.deep.equal([])
    expect(await pointsOf('sorters[0][field]=createdAt&sorters[0][order]=asc')).to.deep.equal([
      '100',
      '-30',
      '9007199254740993',
    ])
    const first = await shop.api.get('/v1/loyalty/orders?pageSize=2')
    const { nextCursor, total } = getBody<{ nextCursor: string; total: number }>(first)
    expect(total).to.equal(3)
    expect(await pointsOf(`pageSize=2&cursor=${nextCursor}`)).to.deep.equal(['100'])
  })

  it('shows another organization none of them', async () => {
    const foreign = await buildShop()
    expect(await listOrders(foreign.api, `walletId=${account}`)).to.deep.equal([])
    expect(await listOrders(foreign.api)).to.deep.equal([])
  })

  it('needs loyalty:read', async () => {
    const { key } = await buildKey(shop.organization, { loyalty: ['create'] })
    expect(formatVerdict(await createApiClient(key).get('/v1/loyalty/orders'))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
  })
})
