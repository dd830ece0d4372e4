import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { burn, getAccepted, listEntries, mint, waitForPoints } from './fixtures.ts'
import { grant, readShownPoints, readTarget, take } from './grants.maker.ts'

describe('Points that a feature gives and takes in its own transaction', () => {
  let shop: Shop
  let account: string
  before(async () => {
    shop = await buildShop()
  })
  beforeEach(async () => {
    ;({ account } = await buildBuyer(shop))
  })

  it('count at once, and their job ends without a notice of the caller', async () => {
    const target = await readTarget(shop, account)
    const [welcome, assigned] = await grant(
      { target, kind: 'welcome', key: account, amount: 50n, reason: 'Welcome' },
      { target, kind: 'assignment', key: randomUUID(), amount: 25n },
    )
    expect([welcome?.isNew, welcome?.optimisticBalance, assigned?.optimisticBalance]).to.deep.equal([true, 50n, 75n])
    expect(await readShownPoints(shop, account)).to.deep.equal(['75', '0'])
    const kinds = (await listEntries(shop.api, account)).map(({ kind }) => kind)
    expect(kinds.toSorted()).to.deep.equal(['assignment', 'welcome'])
    const job = await waitForPoints(shop.api, { ...getAcceptedOf(welcome!.jobId) })
    expect(job).to.deep.include({ status: 'completed', failed: 0, total: 2 })
  })

  it('count once for one kind and key, however many race', async () => {
    const target = await readTarget(shop, account)
    const made = await Promise.all(
      Array.from({ length: 20 }, () => grant({ target, kind: 'welcome', key: account, amount: 50n })),
    )
    expect(made.flat().filter(({ isNew }) => isNew)).to.have.length(1)
    expect(new Set(made.flat().map(({ operationId }) => operationId)).size).to.equal(1)
    expect(await readShownPoints(shop, account)).to.deep.equal(['50', '0'])
  })

  it('have the key of a mint or burn as reference, which the API knows too', async () => {
    const target = await readTarget(shop, account)
    const [minted] = await grant({ target, kind: 'mint', key: 'gift-1', amount: 30n })
    const again = getAccepted(await mint(shop.api, account, { amount: 30, reference: 'gift-1' }))
    expect(again.operationId).to.equal(minted?.operationId)
    const burned = getAccepted(await burn(shop.api, account, { amount: 10, reference: 'order-1' }))
    const known = await take({ target, key: 'order-1', amount: 10n })
    expect([known.isNew, known.operationId, known.optimisticBalance]).to.deep.equal([false, burned.operationId, 20n])
    for (const [key, amount] of [
      ['order-1', 11n],
      ['gift-1', 30n],
    ] as const)
      expect(await take({ target, key, amount }).catch(getCode)).to.equal('LOYALTY_REFERENCE_REUSED')
    expect(await readShownPoints(shop, account)).to.deep.equal(['20', '0'])
  })

  it('are not taken beyond what there is', async () => {
    const target = await readTarget(shop, account)
    await grant({ target, kind: 'mint', key: 'gift-1', amount: 5n })
    const refusal: unknown = await take({ target, key: 'order-1', amount: 6n }).catch((error: unknown) => error)
    expect(refusal).to.deep.include({ code: 'LOYALTY_INSUFFICIENT_BALANCE', extra: { available: '5' } })
    expect((await take({ target, key: 'order-1', amount: 5n })).optimisticBalance).to.equal(0n)
  })
})

const getAcceptedOf = (jobId: string) => ({ jobId, operationId: '', amount: '', optimisticBalance: '' })
const getCode = (error: unknown) => (error as { code?: string }).code
