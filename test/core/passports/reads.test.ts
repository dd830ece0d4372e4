import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { PassportRow } from '../../../core/features/dpp/passports.model.ts'
import { presentPassport, presentPublicly } from '../../../core/features/dpp/passports.present.ts'
import { client } from '../../support/client.ts'
import { operator } from '../identity/people.ts'
import { newBuyer, newPassport, newPublished, newSheet, newShop, rowsOf, type Shop } from './fixtures.ts'
import { newDescribed, newProduct } from './products.ts'

const fields = { serialNumber: 'é "quoted" \\ 🎒', size: 1.50, origin: { country: '', year: 1e21 } }

/** Every column that a representation shows, with and without its neighbours. */
const variants: object[] = [
  {},
  { status: 'published', fields },
  { status: 'archived', reference: 'bag-1', certified_paths: ['color', 'origin.country'], certificate_uri: 'https://bags.example/1' },
  { status: 'claimed', allowed_claim_email: 'ann@people.example', allowed_claim_phone_number: '+33612345678' },
  { status: 'published', token_contract: '0xc', token_transaction: '0xt', token_owner: '0xo' },
  { status: 'published', token_contract: '0xc', token_transaction: '0xt' },
  { structure_job: randomUUID(), structure_job_status: 'completed' },
  { structure_job: randomUUID(), certify_job: randomUUID(), certify_job_status: 'failed', certify_job_error: 'No key.' },
  { status: 'published', certification_status: 'certified', certified_at: '2026-03-01T10:00:00.120Z', content_hash: '0xh', ipfs_cid: 'b' },
  { created_at: '2026-03-01T23:59:59.999Z', updated_at: '2026-12-31T23:00:00.000Z', source: 'import' },
]

/** The same of the product flow. */
const described: object[] = [
  {},
  { status: 'published', certified_paths: ['a.b'], structure_job: randomUUID(), structure_job_status: 'failed', structure_job_error: 'É "x"' },
  { status: 'published', trust_enrolled_at: '2026-03-01T10:00:00.120Z', trust_url: 'https://bags.example/1' },
  { status: 'claimed', data: null, token_contract: '0xc', token_transaction: '0xt', token_owner: '0xo' },
  { status: 'archived', data: JSON.stringify({ ...fields, list: [1, null, 'é'], zz: {}, a: 1e-7 }) },
]

describe('What PostgreSQL writes of a passport', () => {
  let shop: Shop
  let ids: string[]
  let rows: PassportRow[]
  /** The batch that others are of. */
  let draft: string

  before(async () => {
    shop = await newShop()
    const sheet = await newSheet(shop)
    const { db } = await operator()
    const buyer = await newBuyer(shop)
    ids = []
    for (const variant of [...variants, { status: 'claimed', minted_to: buyer.account }]) {
      const { id } = await newPassport(shop, sheet)
      if (Object.keys(variant).length > 0) await db('passports').where({ id }).update(variant)
      ids.push(id)
    }
    const numbers = ['modelNumber', 'batchNumber', 'itemNumber'].map((name) => [name, `${name} é "1"`])
    const made = []
    for (const [at, idGranularity] of ['model', 'batch', 'item', 'item'].entries()) {
      const named = numbers.slice(at === 3 ? 1 : 0, at === 3 ? 3 : at + 1)
      made.push(await newDescribed(shop, { idGranularity, name: 'Bag', ...Object.fromEntries(named) }))
    }
    for (const [at, variant] of described.entries()) {
      made.push(await newProduct(shop, at % 2 ? { modelNumber: 'modelNumber é "1"' } : {}, { data: fields }))
      if (at > 0) await db('passports').where({ id: made.at(-1)?.id }).update(variant)
    }
    ids.push(...made.map(({ id }) => id))
    // The item and the one without a model are seen, their batch is not; then everything is.
    await db('passports').whereIn('id', [made[0], made[2], made[3]].map((one) => one?.id ?? '')).update({ status: 'published' })
    draft = made[1]?.id ?? ''
    rows = await PassportRow.query(db).modify('shown').findByIds(ids)
  })

  const written = (id: string, present: (row: PassportRow) => unknown) =>
    JSON.stringify(present(rows.find((row) => row.id === id) as PassportRow))

  it('is to the byte what the rules make of its row, for the organization and for everybody', compare)

  it('is so too once their batch may be seen by everybody', async () => {
    const { db } = await operator()
    const open = (row: PassportRow | undefined) => [row?.parents?.model_open, row?.parents?.batch_open]
    const last = () => rows.filter(({ product }) => product?.['itemNumber'] === 'itemNumber é "1"').map(open)
    expect(last()).to.have.deep.members([[true, false], [false, false]])
    await db('passports').where({ id: draft }).update({ status: 'published' })
    rows = await PassportRow.query(db).modify('shown').findByIds(ids)
    expect(last()).to.deep.equal([[true, true], [true, true]])
    await compare()
  })

  async function compare(): Promise<void> {
    for (const id of ids) {
      const path = `/v1/dpp/passports/${id}`
      expect((await shop.api.get(path)).text).to.equal(written(id, presentPassport))
      const { status, text } = await client().get(path)
      if (written(id, ({ status: is }) => is) === '"draft"') expect(status).to.equal(404)
      else expect(text).to.equal(written(id, presentPublicly))
    }
  }

  it('is in a list what it is by itself', async () => {
    const listed = rowsOf(await shop.api.get('/v1/dpp/passports?pageSize=100'))
    expect(listed.length).to.equal(ids.length)
    for (const row of listed) expect(JSON.stringify(row)).to.equal(written(String(row['id']), presentPassport))
  })
})

describe('Many who read at once', () => {
  it('each get what they asked for, as they may see it, or 404', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    const made = [await newPassport(shop, await newSheet(shop)), await newPassport(other, await newSheet(other))]
    const { id } = await newPublished(shop, await newSheet(shop), { reference: 'bag-1' })
    const readers = [shop.api, other.api, client()]
    const asked = Array.from({ length: 300 }, (_, n) => ({
      reader: n % 3, id: [made[0]?.id, made[1]?.id, id, randomUUID()][n % 4] ?? '',
    }))
    const answers = await Promise.all(asked.map(async (one) => readers[one.reader]?.get(`/v1/dpp/passports/${one.id}`)))
    const seen = answers.map((answer) => [answer?.status, answer?.body['id'], answer?.body['reference']])
    expect(seen).to.deep.equal(asked.map((one) => {
      if (one.id === id) return [200, id, one.reader === 0 ? 'bag-1' : undefined]
      return one.id === made[one.reader]?.id ? [200, one.id, null] : [404, undefined, undefined]
    }))
  })
})

describe('A passport is made of its sheet as it is now', () => {
  it('also right after the sheet was changed or lost a field, by whichever process', async () => {
    const shop = await newShop()
    const sheet = await newSheet(shop)
    await newPassport(shop, sheet)
    const { db } = await operator()
    const grade = { name: 'grade', type: 'string', required: true, default: 'A' }
    await db('sheets').where({ id: sheet }).update({ passports_fields: JSON.stringify([grade]), version: 7, schema_version: 2, network: 'BaseSepolia' })
    // What the sheet took before it was changed, and then what it takes now.
    const refused = await shop.api.post('/v1/dpp/passports', { product: sheet, fields: { serialNumber: 'S-1' } })
    expect([refused.status, refused.body['code']]).to.deep.equal([422, 'VALIDATION_FAILED'])
    const made = await shop.api.post('/v1/dpp/passports', { product: sheet, fields: {} })
    expect([made.status, made.body['fields'], made.body['network']]).to.deep.equal([201, { grade: 'A' }, 'BaseSepolia'])
  })

  it('and not at all once the sheet is gone, or for another organization', async () => {
    const shop = await newShop()
    const sheet = await newSheet(shop)
    const { id } = await newPassport(shop, sheet)
    const other = await newShop()
    const body = { product: sheet, fields: { serialNumber: 'S-1' } }
    expect((await other.api.post('/v1/dpp/passports', body)).status).to.equal(404)
    await shop.api.delete(`/v1/dpp/passports/${id}`)
    await shop.api.delete(`/v1/dpp/products/${sheet}`)
    expect((await shop.api.post('/v1/dpp/passports', body)).status).to.equal(404)
  })
})
