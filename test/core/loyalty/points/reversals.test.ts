import { expect } from 'chai'
import { buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { waitUntil } from '../../../support/processes.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { burn, getAccepted, listEntries, listOrders, mint } from './fixtures.ts'
import { readShownPoints, readTarget, reverse } from './grants.maker.ts'

describe('Points of an order that a feature takes back', () => {
  let shop: Shop
  let account: string
  before(async () => {
    shop = await buildShop()
  })
  beforeEach(async () => {
    ;({ account } = await buildBuyer(shop))
  })

  const readOrder = async (kind: string) =>
    (await listOrders(shop.api, `walletId=${account}`)).find((one) => one.kind === kind)!
  const takeBack = async (order: string, points: bigint, key = 'refund-1') => {
    const target = await readTarget(shop, account)
    const [posted] = await reverse({ target, order, key, points, occurredAt: new Date() })
    return posted!
  }

  it('are taken in part and then whole, once for each key, also on the chain', async () => {
    await mint(shop.api, account, { amount: 100 })
    const { id } = await readOrder('mint')
    const first = await takeBack(id, 40n)
    expect(first).to.deep.include({ isNew: true, points: -40n, kind: 'reverse', optimisticBalance: 60n })
    expect(await takeBack(id, 40n)).to.deep.include({
      isNew: false,
      operationId: first.operationId,
      jobId: first.jobId,
    })
    expect((await readOrder('mint')).status).not.to.equal('reversed')
    const over: unknown = await takeBack(id, 61n, 'refund-2').catch((error: unknown) => error)
    expect(over).to.deep.include({ name: 'ReversalLimitError', left: 60n })
    await takeBack(id, 60n, 'refund-3')
    expect((await readOrder('mint')).status).to.equal('reversed')
    expect(await readShownPoints(shop, account)).to.deep.equal(['0', '0'])
    await waitUntil('all entries are final', async () =>
      (await listEntries(shop.api, account)).every(({ chain }) => chain === 'final'),
    )
    expect((await readOrder('reverse')).status).to.equal('settled')
  })

  it('leave the balance below zero if they were spent, and burns are refused until it is above', async () => {
    await mint(shop.api, account, { amount: 50 })
    const { id } = await readOrder('mint')
    await burn(shop.api, account, { amount: 30 })
    expect((await takeBack(id, 50n)).optimisticBalance).to.equal(-30n)
    expect(await readShownPoints(shop, account)).to.deep.equal(['-30', '0'])
    expect(formatVerdict(await burn(shop.api, account, { amount: 1 }))).to.equal('409 LOYALTY_INSUFFICIENT_BALANCE')
    expect(getAccepted(await mint(shop.api, account, { amount: 40 })).optimisticBalance).to.equal('10')
  })

  it('are taken while they wait', async () => {
    await mint(shop.api, account, { amount: 50, activatesAt: '2099-01-01T00:00:00Z' })
    await takeBack((await readOrder('mint')).id, 20n)
    expect(await readShownPoints(shop, account)).to.deep.equal(['0', '30'])
  })

  it('go back after a burn, and expire at once if their time is over', async () => {
    const expiresAt = new Date(Date.now() + 1_000).toISOString()
    await mint(shop.api, account, { amount: 30 })
    await mint(shop.api, account, { amount: 20, expiresAt })
    await burn(shop.api, account, { amount: 25 })
    const { id } = await readOrder('burn')
    await waitUntil('the points are over', () => Date.now() > Date.parse(expiresAt) + 50)
    // The burn took all 20 that expire, and 5 of the others.
    expect((await takeBack(id, 25n)).optimisticBalance).to.equal(30n)
    expect((await readOrder('burn')).status).to.equal('reversed')
    expect((await listEntries(shop.api, account, 'filters[kind][eq]=expire'))[0]?.postings[0]?.amount).to.equal('-20')
  })

  it('are not lost twice if they have expired before', async () => {
    const expiresAt = new Date(Date.now() + 700).toISOString()
    await mint(shop.api, account, { amount: 30, expiresAt })
    await burn(shop.api, account, { amount: 10 })
    await waitUntil(
      'an entry of the expiry',
      async () => (await listEntries(shop.api, account, 'filters[kind][eq]=expire')).length > 0,
    )
    const { id } = await readOrder('mint')
    expect((await takeBack(id, 20n)).optimisticBalance).to.equal(0n)
    expect((await readOrder('expire')).status).to.equal('reversed')
    expect((await takeBack(id, 10n, 'refund-2')).optimisticBalance).to.equal(-10n)
    expect((await readOrder('mint')).status).to.equal('reversed')
  })

  it('are never more than the order gave, however many race', async () => {
    await mint(shop.api, account, { amount: 100 })
    const { id } = await readOrder('mint')
    const made = await Promise.allSettled(Array.from({ length: 12 }, (_, at) => takeBack(id, 15n, `refund-${at}`)))
    expect(made.filter(({ status }) => status === 'fulfilled')).to.have.length(6)
    expect(await readShownPoints(shop, account)).to.deep.equal(['10', '0'])
  })

  it('are refused for an order of another account, and for a reversal', async () => {
    await mint(shop.api, account, { amount: 10 })
    const { id } = await readOrder('mint')
    await takeBack(id, 5n)
    const { id: reversal } = await readOrder('reverse')
    expect(await takeBack(reversal, 5n).catch((error: unknown) => error)).to.be.instanceOf(TypeError)
    ;({ account } = await buildBuyer(shop))
    expect(await takeBack(id, 5n, 'refund-2').catch((error: unknown) => error)).to.be.instanceOf(TypeError)
  })
})
