import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Knex } from 'knex'
import { createApiClient } from '../../../support/client.ts'
import {
  audiences,
  projectPassports,
  readRepresentedPassports,
  type ProjectedPassport,
  type RepresentedPassport,
} from '../../../support/dpp/representations.ts'
import { varyPassport, type PassportVariant } from '../../../support/dpp/passport-variants.ts'
import { advancePassports } from '../../../support/rows/dpp/passports.ts'
import { changeSheetElsewhere } from '../../../support/rows/dpp/sheets.ts'
import { getOperator } from '../../identity/people.ts'
import { getRows } from './fixtures.ts'
import {
  buildBuyer,
  buildDescribedPassport,
  buildModelTree,
  buildPassport,
  buildProductPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { createRows } from './passport-rows.ts'
import { publishPassports } from './products.ts'

const fields = { serialNumber: 'é "quoted" \\ 🎒', size: 1.5, origin: { country: '', year: 1e21 } }

/** Everything that a representation shows, with and without its neighbours. */
const variants: PassportVariant[] = [
  {},
  { status: 'published', fields },
  {
    status: 'archived',
    reference: 'bag-1',
    certifiedPaths: ['color', 'origin.country'],
    certificateUri: 'https://bags.example/1',
  },
  { status: 'claimed', allowedClaimEmail: 'ann@people.example', allowedClaimPhoneNumber: '+33612345678' },
  { status: 'published', token: { contract: '0xc', transactionHash: '0xt', owner: '0xo' } },
  { status: 'published', token: { contract: '0xc', transactionHash: '0xt' } },
  { structureJob: { status: 'completed' } },
  { structureJob: {}, certifyJob: { status: 'failed', error: 'No key.' } },
  {
    status: 'published',
    certificate: { certifiedAt: '2026-03-01T10:00:00.120Z', contentHash: '0xh', ipfsCid: 'b' },
  },
  { createdAt: '2026-03-01T23:59:59.999Z', updatedAt: '2026-12-31T23:00:00.000Z', source: 'import' },
]

/** The same of the product flow. */
const described: PassportVariant[] = [
  {},
  { status: 'published', certifiedPaths: ['a.b'], structureJob: { status: 'failed', error: 'É "x"' } },
  { status: 'published', trust: { enrolledAt: '2026-03-01T10:00:00.120Z', url: 'https://bags.example/1' } },
  { status: 'claimed', data: null, token: { contract: '0xc', transactionHash: '0xt', owner: '0xo' } },
  { status: 'archived', data: { ...fields, list: [1, null, 'é'], zz: {}, a: 1e-7 } },
]

describe('GET /v1/dpp/passports/{id}: the JSON that PostgreSQL writes', () => {
  let shop: Shop
  let ids: string[]
  let rows: RepresentedPassport[]
  /** The batch that others are of. */
  let draft: string

  before(async () => {
    shop = await buildShop()
    const sheet = await buildSheet(shop)
    const { db } = await getOperator()
    const buyer = await buildBuyer(shop)
    ids = []
    for (const variant of [...variants, { status: 'claimed', mintedTo: buyer.account } as const]) {
      const { id } = await buildPassport(shop, sheet)
      await varyPassport(db, id, variant)
      ids.push(id)
    }
    const numbers = ['modelNumber', 'batchNumber', 'itemNumber'].map((name) => [name, `${name} é "1"`])
    const made = []
    for (const [at, idGranularity] of ['model', 'batch', 'item', 'item'].entries()) {
      const named = numbers.slice(at === 3 ? 1 : 0, at === 3 ? 3 : at + 1)
      made.push(await buildDescribedPassport(shop, { idGranularity, name: 'Bag', ...Object.fromEntries(named) }))
    }
    for (const [at, variant] of described.entries()) {
      const passport = await buildProductPassport(shop, at % 2 ? { modelNumber: 'modelNumber é "1"' } : {}, {
        data: fields,
      })
      await varyPassport(db, passport.id, variant)
      made.push(passport)
    }
    ids.push(...made.map(({ id }) => id))
    // The item and the one without a model are seen, their batch is not; then everything is.
    const published = [made[0], made[2], made[3]].map((one) => one?.id ?? '')
    await advancePassports(db, published, { status: 'published' })
    draft = made[1]?.id ?? ''
    rows = await readRepresentedPassports(db, ids)
  })

  const findRow = (id: string) => rows.find((row) => row.id === id)

  it('is to the byte what the rules make of its row, for the organization and for everybody', compare)

  it('is so too once their batch may be seen by everybody', async () => {
    const { db } = await getOperator()
    const open = ({ isModelOpen, isBatchOpen }: RepresentedPassport) => [isModelOpen, isBatchOpen]
    const last = () => rows.filter(({ product }) => product?.['itemNumber'] === 'itemNumber é "1"').map(open)
    expect(last()).to.have.deep.members([
      [true, false],
      [false, false],
    ])
    await advancePassports(db, [draft], { status: 'published' })
    rows = await readRepresentedPassports(db, ids)
    expect(last()).to.deep.equal([
      [true, true],
      [true, true],
    ])
    await compare()
  })

  async function compare(): Promise<void> {
    for (const id of ids) {
      const path = `/v1/dpp/passports/${id}`
      expect((await shop.api.get(path)).text).to.equal(findRow(id)?.json.owner)
      const { status, text } = await createApiClient().get(path)
      if (findRow(id)?.status === 'draft') expect(status).to.equal(404)
      else expect(text).to.equal(findRow(id)?.json.public)
    }
  }

  it('is in a list what it is by itself', async () => {
    const listed = getRows(await shop.api.get('/v1/dpp/passports?pageSize=100'))
    expect(listed.length).to.equal(ids.length)
    for (const row of listed) expect(JSON.stringify(row)).to.equal(findRow(String(row['id']))?.json.owner)
  })
})

describe('GET /v1/dpp/passports/{id}: simultaneous readers', () => {
  it('get what they may see, each, or 404', async () => {
    const [shop, other] = [await buildShop(), await buildShop()]
    const made = [
      await buildPassport(shop, await buildSheet(shop)),
      await buildPassport(other, await buildSheet(other)),
    ]
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop), { reference: 'bag-1' })
    const readers = [shop.api, other.api, createApiClient()]
    const requests = Array.from({ length: 300 }, (_, n) => ({
      reader: n % 3,
      id: [made[0]?.id, made[1]?.id, id, randomUUID()][n % 4] ?? '',
    }))
    const answers = await Promise.all(
      requests.map(async (one) => readers[one.reader]?.get(`/v1/dpp/passports/${one.id}`)),
    )
    const seen = answers.map((answer) => [answer?.status, answer?.body['id'], answer?.body['reference']])
    expect(seen).to.deep.equal(
      requests.map((one) => {
        if (one.id === id) return [200, id, one.reader === 0 ? 'bag-1' : undefined]
        return one.id === made[one.reader]?.id ? [200, one.id, null] : [404, undefined, undefined]
      }),
    )
  })
})

describe('POST /v1/dpp/passports: the current definitions of a sheet', () => {
  it('uses a sheet as it is right after a change, by whichever process', async () => {
    const shop = await buildShop()
    const sheet = await buildSheet(shop)
    await buildPassport(shop, sheet)
    const { db } = await getOperator()
    const grade = { name: 'grade', type: 'string', required: true, default: 'A' }
    await changeSheetElsewhere(db, sheet, {
      passportsFields: [grade],
      version: 7,
      schemaVersion: 2,
      network: 'BaseSepolia',
    })
    // What the sheet took before it was changed, and then what it takes now.
    const refused = await shop.api.post('/v1/dpp/passports', { product: sheet, fields: { serialNumber: 'S-1' } })
    expect([refused.status, refused.body['code']]).to.deep.equal([422, 'VALIDATION_FAILED'])
    const made = await shop.api.post('/v1/dpp/passports', { product: sheet, fields: {} })
    expect([made.status, made.body['fields'], made.body['network']]).to.deep.equal([201, { grade: 'A' }, 'BaseSepolia'])
  })

  it('refuses a deleted sheet and a sheet of another organization', async () => {
    const shop = await buildShop()
    const sheet = await buildSheet(shop)
    const { id } = await buildPassport(shop, sheet)
    const other = await buildShop()
    const body = { product: sheet, fields: { serialNumber: 'S-1' } }
    expect((await other.api.post('/v1/dpp/passports', body)).status).to.equal(404)
    await shop.api.delete(`/v1/dpp/passports/${id}`)
    await shop.api.delete(`/v1/dpp/products/${sheet}`)
    expect((await shop.api.post('/v1/dpp/passports', body)).status).to.equal(404)
  })
})

describe('GET /v1/dpp/passports/{id}: generated rows', () => {
  let shop: Shop
  let db: Knex
  let rows: fc.Arbitrary<object>

  before(async () => {
    shop = await buildShop()
    db = (await getOperator()).db
    const [open, closed] = [await buildModelTree(shop), await buildModelTree(shop)]
    await publishPassports(shop, open.model.id, open.batch.id)
    const { account } = await buildBuyer(shop)
    rows = createRows({
      applications: [shop.application],
      accounts: [account, shop.application],
      products: [
        { name: 'Bag' },
        ...[open, closed].flatMap(({ model, batch, item }) => [model.product, batch.product, item.product] as object[]),
      ],
    })
  })

  const check = (property: (passport: ProjectedPassport) => void) =>
    fc.assert(
      fc.asyncProperty(fc.array(rows, { minLength: 1, maxLength: 40 }), async (generated) => {
        for (const passport of await projectPassports(db, generated)) property(passport)
      }),
      { numRuns: 15 },
    )

  for (const audience of audiences)
    it(`is the same JSON from the function and from PostgreSQL for the audience ${audience}`, () =>
      check(({ presented, projected }) => {
        expect(JSON.stringify(presented[audience])).to.equal(JSON.stringify(projected[audience]))
      }))

  it('has in an event what everybody sees, and nothing that an event hides', () =>
    check(({ presented, snapshots }) => {
      expect(snapshots.event).to.deep.equal(presented.event)
      expect(Object.keys(snapshots.owner)).to.deep.equal(Object.keys(presented.event))
    }))
})
