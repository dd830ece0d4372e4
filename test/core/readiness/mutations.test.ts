import { expect } from 'chai'
import { newSheet, newShop, type Shop } from '../passports/fixtures.ts'
import { completeBody, fields, passportsFields } from './complete.ts'
import { errorsOf, judgeAll, toldOf } from './judged.ts'
import { fieldWays, mutations, productWays } from './mutate.ts'

const count = 1_000
const ofSheet = 200

describe('Validating passports that are wrong in one place', function () {
  this.timeout(60_000)
  let shop: Shop
  before(async () => { shop = await newShop() })

  it(`names exactly the place of each of ${count}, and agrees about UNTP with a validator of its own`, async () => {
    const base = { ...completeBody, application: shop.application }
    expect(toldOf(await errorsOf(shop, base))).to.deep.equal([])
    const all = mutations(base, productWays, count, 20_261_122)
    const wrong = (await judgeAll(shop, base, all)).filter(({ named, agreed }) => !named || !agreed)
    expect(wrong.slice(0, 5), `${wrong.length} of ${count}`).to.deep.equal([])
    expect(new Set(all.map(({ path }) => path)).size).to.be.above(200)
  })

  it(`names exactly the value of each of ${ofSheet} passports of a sheet`, async () => {
    const base = { product: await newSheet(shop, { passportsFields, certifiedPaths: ['serial'] }), fields }
    const wrong = (await judgeAll(shop, base, mutations(base, fieldWays, ofSheet, 1))).filter(({ named }) => !named)
    expect(wrong.slice(0, 5), `${wrong.length} of ${ofSheet}`).to.deep.equal([])
  })
})
