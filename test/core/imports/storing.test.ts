import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { finishStoring, HopeLost, KnownParents, prepareImport, storeImport, type PreparedRow, type StoreOptions } from '../../../core/features/dpp/index.ts'
import { Problem } from '../../../core/kernel/problem.ts'
import { operator } from '../identity/people.ts'
import { newSerial, newSheet, newShop, type Shop } from '../passports/fixtures.ts'
import { byReference, itemRow } from './job.maker.ts'

/** What only happens between the judging and the storing of a row, and cannot be timed from outside. */
describe('Storing judged rows', () => {
  let shop: Shop
  before(async () => { shop = await newShop() })

  const options = (): StoreOptions => ({
    organization: shop.organization, application: shop.application, network: null, onDuplicate: 'skip', dryRun: false,
    batch: randomUUID(), structure: null,
  })
  const prepared = async (bodies: readonly unknown[]) =>
    prepareImport(await operator(), options(), bodies.map((body, line) => ({ line, body, errors: [] })))
  const stored = async (rows: readonly PreparedRow[], more: Partial<StoreOptions> = {}) => {
    const context = await operator()
    return context.db.transaction(async (trx) => {
      const found = await storeImport(trx, context, { ...options(), ...more }, rows)
      await finishStoring(trx)
      return found
    })
  }

  it('judges rows again whose sheet has changed meanwhile', async () => {
    const sheet = await newSheet(shop)
    const references = [newSerial(), newSerial()]
    const rows = await prepared([
      { product: sheet, reference: references[0], fields: { serialNumber: 'short' } },
      { product: sheet, reference: references[1], fields: { serialNumber: 'far too long' } },
    ])
    const passportsFields = [{ name: 'serialNumber', type: 'string', required: true, maxLength: 5 }, { name: 'more', type: 'string', default: 'x' }]
    expect((await shop.api.patch(`/v1/dpp/products/${sheet}`, { passportsFields })).status).to.equal(200)
    const { created, failed, errors } = await stored(rows)
    expect({ created, failed }).to.deep.equal({ created: 1, failed: 1 })
    expect(errors.map(({ line, path, code }) => ({ line, path, code }))).to.deep.equal([{ line: 1, path: 'fields.serialNumber', code: 'max_length' }])
    expect((await byReference(shop, String(references[0]))).fields).to.deep.equal({ serialNumber: 'short', more: 'x' })
  })

  it('fails a row alone that the database refuses, and none beside it', async () => {
    const rows = await prepared(Array.from({ length: 40 }, () => itemRow(newSerial())))
    const broken = rows.map((row): PreparedRow => (row.line % 20 === 7 && row.content?.flow === 'product'
      ? { ...row, content: { ...row.content, data: '{"broken":' } }
      : row))
    const { created, failed, errors } = await stored(broken)
    expect({ created, failed }).to.deep.equal({ created: 38, failed: 2 })
    expect(errors.map(({ line, code }) => [line, code])).to.deep.equal([[7, 'not_storable'], [27, 'not_storable']])
    expect((await stored(rows)).skipped).to.equal(38)
  })

  it('says so where what was hoped to be new is there, and leaves the transaction to be undone', async () => {
    const rows = await prepared(Array.from({ length: 5 }, () => itemRow(newSerial())))
    await stored(rows.slice(1, 3))
    const lost = await stored(rows, { newOnly: true }).catch((cause: unknown) => cause)
    expect(lost).to.be.instanceOf(HopeLost)
    expect(await stored(rows)).to.deep.include({ created: 3, skipped: 2, failed: 0 })
  })

  it('says so too where that shows when all has been sent, with the last row of many', async () => {
    const rows = await prepared(Array.from({ length: 800 }, () => itemRow(newSerial())))
    await stored(rows.slice(-1))
    expect(await stored(rows, { newOnly: true }).catch((cause: unknown) => cause)).to.be.instanceOf(HopeLost)
    expect(await stored(rows)).to.deep.include({ created: 799, skipped: 1, failed: 0 })
  })

  it('hangs items onto models as they are now, however often it has seen them before', async () => {
    const [modelNumber, parents] = [newSerial(), new KnownParents()]
    const model = (await shop.api.post('/v1/dpp/passports', {
      application: shop.application, product: { name: 'Before', idGranularity: 'model', modelNumber },
    })).body
    const item = async () => {
      const reference = newSerial()
      const product = { name: 'Item', idGranularity: 'item', modelNumber, itemNumber: newSerial() }
      const found = await stored(await prepared([{ reference, product }]), { newOnly: true, parents })
      expect(found).to.deep.include({ created: 1, hung: { linked: 1, alone: 0, waiting: 0 } })
      return (await byReference(shop, reference)).model
    }
    expect(await item()).to.deep.nested.include({ 'product.name': 'Before' })
    expect(await item()).to.deep.nested.include({ 'product.name': 'Before' })
    const changed = await shop.api.patch(`/v1/dpp/passports/${String(model.id)}`, { product: { name: 'After', idGranularity: 'model', modelNumber } })
    expect(changed.status).to.equal(200)
    expect(await item()).to.deep.nested.include({ 'product.name': 'After' })
  })

  it('waits for whoever is storing the same, and then finds it', async () => {
    const context = await operator()
    const rows = await prepared([itemRow(newSerial())])
    const first = await context.db.transaction()
    expect(await storeImport(first, context, options(), rows)).to.deep.include({ created: 1 })
    const second = stored(rows)
    await first.commit()
    expect(await second).to.deep.include({ created: 0, skipped: 1, failed: 0 })
  })

  it('is refused for an application that is gone', async () => {
    const rows = await prepared([itemRow(newSerial())])
    const refusal = await stored(rows, { application: randomUUID() }).catch((cause: unknown) => cause)
    expect(refusal).to.be.instanceOf(Problem).and.to.include({ code: 'NOT_FOUND' })
  })
})
