import { expect } from 'chai'
import { buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { burn, getAccepted, listEntries, mint } from './fixtures.ts'

describe('POST /v1/loyalty/account/:id/mint and …/burn with a reference', () => {
  const rounds = 50
  let shop: Shop
  let account: string
  before(async () => {
    shop = await buildShop()
  })
  beforeEach(async () => {
    ;({ account } = await buildBuyer(shop))
  })

  it('answers the same reference and amount with the first operation, and the balance of now', async () => {
    const first = getAccepted(await mint(shop.api, account, { amount: 10, reference: 'order-1' }))
    await mint(shop.api, account, { amount: 5 })
    const again = getAccepted(await mint(shop.api, account, { amount: '10', reference: 'order-1', reason: 'Again' }))
    expect(again).to.deep.equal({ ...first, optimisticBalance: '15' })
    const burned = getAccepted(await burn(shop.api, account, { amount: 15, reference: 'order-2' }))
    expect(getAccepted(await burn(shop.api, account, { amount: 15, reference: 'order-2' }))).to.deep.equal(burned)
    expect(await listEntries(shop.api, account)).to.have.length(3)
  })

  it('refuses the same reference with another amount, or to take what it credited', async () => {
    await mint(shop.api, account, { amount: 10, reference: 'order-1' })
    for (const answer of [
      await mint(shop.api, account, { amount: 11, reference: 'order-1' }),
      await burn(shop.api, account, { amount: 10, reference: 'order-1' }),
    ])
      expect(formatVerdict(answer)).to.equal('409 LOYALTY_REFERENCE_REUSED')
    expect(await listEntries(shop.api, account)).to.have.length(1)
  })

  it('is of one account: others may have the same', async () => {
    const { account: other } = await buildBuyer(shop)
    const [first, second] = [account, other].map((id) => mint(shop.api, id, { amount: 10, reference: 'order-1' }))
    const operations = [getAccepted(await first!), getAccepted(await second!)].map(({ operationId }) => operationId)
    expect(new Set(operations).size).to.equal(2)
  })

  it('of a mint that is sent twice at once counts once, in each of many rounds', async () => {
    for (let round = 0; round < rounds; round++) {
      const [one, other] = await Promise.all(
        [0, 1].map(() => mint(shop.api, account, { amount: 1, reference: `once-${round}` })),
      )
      expect(getAccepted(one!).operationId).to.equal(getAccepted(other!).operationId)
    }
    expect(await listEntries(shop.api, account, 'pageSize=100')).to.have.length(rounds)
  })

  it('counts once, however many send it at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => mint(shop.api, account, { amount: 3, reference: 'order-1' })),
    )
    const accepted = answers.map(getAccepted)
    expect(new Set(accepted.map(({ operationId }) => operationId)).size).to.equal(1)
    expect(accepted.map(({ optimisticBalance }) => optimisticBalance)).to.deep.equal(accepted.map(() => '3'))
    expect(await listEntries(shop.api, account)).to.have.length(1)
  })

  it('credits or takes, where a mint and a burn of one reference race', async () => {
    await mint(shop.api, account, { amount: rounds })
    for (let round = 0; round < rounds; round++) {
      const reference = `race-${round}`
      const answers = await Promise.all([
        mint(shop.api, account, { amount: 1, reference }),
        burn(shop.api, account, { amount: 1, reference }),
      ])
      expect(answers.map(formatVerdict).toSorted()).to.deep.equal(['202', '409 LOYALTY_REFERENCE_REUSED'])
    }
    expect(await listEntries(shop.api, account, 'pageSize=100')).to.have.length(rounds + 1)
  })

  it('refuses one that is empty, too long or has control characters', async () => {
    for (const reference of ['', 'x'.repeat(201), 'a\u0000b', 'a\nb'])
      expect((await mint(shop.api, account, { amount: 1, reference })).status).to.equal(422)
  })
})
