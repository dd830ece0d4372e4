import { expect } from 'chai'
import { buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { completeBody, completeFields, passportsFields } from './complete.ts'
import { listErrors, validateMutations, formatErrors } from './validated-mutations.ts'
import { fieldWays, createMutations, productWays } from './mutate.ts'

const count = 1_000
const ofSheet = 200

describe('POST /v1/dpp/passports/validate: bodies with one mistake', function () {
  this.timeout(60_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it(`names exactly the place of each of ${count}, and agrees about UNTP with a validator of its own`, async () => {
    const base = { ...completeBody, application: shop.application }
    expect(formatErrors(await listErrors(shop, base))).to.deep.equal([])
    const all = createMutations(base, productWays, count, 20_261_122)
    const wrong = (await validateMutations(shop, base, all)).filter(({ named, agreed }) => !named || !agreed)
    expect(wrong.slice(0, 5), `${wrong.length} of ${count}`).to.deep.equal([])
    expect(new Set(all.map(({ path }) => path)).size).to.be.above(200)
  })

  it(`names exactly the value of each of ${ofSheet} passports of a sheet`, async () => {
    const base = {
      product: await buildSheet(shop, { passportsFields, certifiedPaths: ['serial'] }),
      fields: completeFields,
    }
    const wrong = (await validateMutations(shop, base, createMutations(base, fieldWays, ofSheet, 1))).filter(
      ({ named }) => !named,
    )
    expect(wrong.slice(0, 5), `${wrong.length} of ${ofSheet}`).to.deep.equal([])
  })
})
