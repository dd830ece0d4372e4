import { cpus } from 'node:os'
import { expect } from 'chai'
import { keepFigures, roundToHundredths } from '../../../figures/keep-figures.ts'
import { buildDescribedPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { completeProduct, completeBody, completeFields, passportsFields } from './complete.ts'
import { listErrors, validateMutations } from './validated-mutations.ts'
import { fieldWays, createMutations, productWays } from './mutate.ts'

const requests = 1_000
const warmUp = 200
const made = { product: 10_000, sheet: 2_000 }

/** Milliseconds of each call, one after the other, without the first ones. */
async function timesOf(call: () => Promise<unknown>) {
  const times: number[] = []
  for (let at = 0; at < warmUp + requests; at++) {
    const begin = performance.now()
    await call()
    if (at >= warmUp) times.push(performance.now() - begin)
  }
  times.sort((one, other) => one - other)
  const at = (share: number) => roundToHundredths(times[Math.ceil(times.length * share) - 1] ?? 0)
  return { p50: at(0.5), p95: at(0.95), max: at(1) }
}

describe('POST /v1/dpp/passports/validate: speed', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it(`is told ${requests} times, and of ${made.product + made.sheet} passports that are wrong in one place each`, async () => {
    const { id } = await buildDescribedPassport(shop, completeProduct)
    const base = { ...completeBody, application: shop.application }
    const read = async () => {
      expect((await shop.api.get(`/v1/dpp/passports/${id}/readiness`)).status).to.equal(200)
    }
    const other = {
      ...base,
      product: { ...completeProduct, itemNumber: '2', id: 'https://id.gs1.org/01/09520123456788/10/B/21/2' },
    }
    const measured = [
      { what: 'GET readiness of an item with numbers of model and batch', requests, milliseconds: await timesOf(read) },
      { what: 'POST validate of such an item', requests, milliseconds: await timesOf(() => listErrors(shop, other)) },
    ]
    const ofProduct = await validateMutations(shop, other, createMutations(other, productWays, made.product, 7))
    const sheet = {
      product: await buildSheet(shop, { passportsFields, certifiedPaths: ['serial'] }),
      fields: completeFields,
    }
    const ofSheet = await validateMutations(shop, sheet, createMutations(sheet, fieldWays, made.sheet, 7))
    const share = (list: { named: boolean; agreed: boolean }[], which: 'named' | 'agreed') =>
      list.filter((one) => one[which]).length
    keepFigures('speed/readiness', {
      command: 'npm run test:long -- test/core/dpp/readiness/speed.long.ts',
      processors: cpus().length,
      measured,
      mutations: [
        {
          what: 'Passports with a product',
          made: made.product,
          named: share(ofProduct, 'named'),
          agreed: share(ofProduct, 'agreed'),
        },
        { what: 'Passports of a sheet', made: made.sheet, named: share(ofSheet, 'named'), agreed: null },
      ],
    })
    expect(ofProduct.filter(({ named, agreed }) => !named || !agreed).slice(0, 5)).to.deep.equal([])
    expect(ofSheet.filter(({ named }) => !named).slice(0, 5)).to.deep.equal([])
  })
}).timeout(600_000)
