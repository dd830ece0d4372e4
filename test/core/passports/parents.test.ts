import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Passport } from '../../../core/features/dpp/passports.schema.ts'
import { startStructure } from '../../../core/features/dpp/structure.ts'
import { client } from '../../support/client.ts'
import { newApplication, operator } from '../identity/people.ts'
import { bodyOf, ended, eventsOf, newShop, readPassport, rowsOf, type Shop } from './fixtures.ts'
import { newDescribed, newModelTree, newProduct, publish, structured } from './products.ts'

const anyone = client()

describe('The parents of a passport', () => {
  let shop: Shop
  before(async () => { shop = await newShop() })

  const parent = ({ id, product }: Passport) => ({ id, product })
  const shown = async (id: string) => {
    const { model, batch } = await readPassport(shop.api, id)
    return { model, batch }
  }

  it('are found by their numbers, in whatever order they are created', async () => {
    const { model, batch, item } = await newModelTree(shop)
    expect([item.model, item.batch]).to.deep.equal([parent(model), parent(batch)])
    expect([batch.model, batch.batch]).to.deep.equal([parent(model), null])
    expect([model.model, model.batch]).to.deep.equal([null, null])

    const [modelNumber, batchNumber] = [randomUUID(), randomUUID()]
    const early = await newProduct(shop, { modelNumber, batchNumber })
    expect([early.model, early.batch]).to.deep.equal([null, null])
    const later = await newDescribed(shop, { idGranularity: 'batch', name: 'B', modelNumber, batchNumber })
    expect(await shown(early.id)).to.deep.equal({ model: null, batch: parent(later) })
    const last = await newDescribed(shop, { idGranularity: 'model', name: 'M', modelNumber })
    expect(await shown(early.id)).to.deep.equal({ model: parent(last), batch: parent(later) })
    const [listed] = rowsOf(await shop.api.get(`/v1/dpp/passports?filters[id][eq]=${early.id}`))
    expect([listed?.model, listed?.batch]).to.deep.equal([parent(last), parent(later)])
    await shop.api.delete(`/v1/dpp/passports/${later.id}`)
    expect(await shown(early.id)).to.deep.equal({ model: parent(last), batch: null })
  })

  it('of an item without a model are the only batch of its number, and that batch\'s model', async () => {
    const { model, batch, batchNumber } = await newModelTree(shop)
    const loose = await newProduct(shop, { batchNumber })
    expect([loose.model, loose.batch]).to.deep.equal([parent(model), parent(batch)])
    const twin = await newDescribed(shop, { idGranularity: 'batch', name: 'B', modelNumber: randomUUID(), batchNumber })
    expect(await shown(loose.id)).to.deep.equal({ model: null, batch: null })
    await shop.api.delete(`/v1/dpp/passports/${twin.id}`)
    expect(await shown(loose.id)).to.deep.equal({ model: parent(model), batch: parent(batch) })
    const bare = await newProduct(shop)
    expect([bare.model, bare.batch]).to.deep.equal([null, null])
  })

  it('are of the same application', async () => {
    const { modelNumber, batchNumber } = await newModelTree(shop)
    const application = await newApplication(shop.organization)
    const stranger = await newProduct({ ...shop, application }, { modelNumber, batchNumber })
    expect([stranger.model, stranger.batch]).to.deep.equal([null, null])
  })

  it('are shown to everybody only where everybody may see them', async () => {
    const [modelNumber, batchNumber] = [randomUUID(), randomUUID()]
    const item = await newProduct(shop, { modelNumber, batchNumber })
    const loose = await newProduct(shop, { batchNumber })
    const model = await newDescribed(shop, { idGranularity: 'model', name: 'M', modelNumber })
    await publish(shop, item.id, loose.id)
    const seen = async (id: string) => {
      const { body } = await anyone.get(`/v1/dpp/passports/${id}`)
      return [body['model'], body['batch']]
    }
    expect(await seen(item.id)).to.deep.equal([null, null])
    await publish(shop, model.id)
    const batch = await newDescribed(shop, { idGranularity: 'batch', name: 'B', modelNumber, batchNumber })
    expect(await seen(item.id)).to.deep.equal([parent(model), null])
    // The way to the model leads by way of a draft.
    expect(await seen(loose.id)).to.deep.equal([null, null])
    expect(await shown(loose.id)).to.deep.equal({ model: parent(model), batch: parent(batch) })
    await publish(shop, batch.id)
    for (const { id } of [item, loose]) expect(await seen(id)).to.deep.equal([parent(model), parent(batch)])
  })

  it('are in events as they were', async () => {
    const { model, batch, item } = await newModelTree(shop)
    await publish(shop, model.id, batch.id, item.id)
    await shop.api.patch(`/v1/dpp/passports/${model.id}`, { product: { name: 'Renamed' } })
    await shop.api.patch(`/v1/dpp/passports/${item.id}`, { data: { color: 'red' } })
    const events = await shop.api.get(`/v1/events?filters[passport.id][eq]=${item.id}&pageSize=2`)
    const passports = bodyOf<{ data: { passport: Passport }[] }>(events).data.map(({ passport }) => passport)
    expect(passports.map((passport) => passport.model?.product['name'])).to.deep.equal(['Renamed', 'Model'])
    expect(passports.map((passport) => passport.batch)).to.deep.equal([parent(batch), parent(batch)])
  })
})

describe('The structure job', () => {
  let shop: Shop
  before(async () => { shop = await newShop() })

  const job = async (passport: Passport) => ended(shop.api, `/v1/jobs/${passport.structureJob?.id}`)
  const batch = (modelNumber: string, batchNumber: string) =>
    newDescribed(shop, { idGranularity: 'batch', name: 'B', modelNumber, batchNumber })

  it('runs after a publish and counts a missing parent as nothing wrong', async () => {
    const { item } = await newModelTree(shop)
    const orphan = await newProduct(shop, { modelNumber: randomUUID() })
    expect([item.structureJob, orphan.structureJob]).to.deep.equal([null, null])
    await publish(shop, item.id, orphan.id)
    for (const [id, result] of [[item.id, { linked: 1, unlinked: 0 }], [orphan.id, { linked: 0, unlinked: 1 }]] as const) {
      const done = await structured(shop, id)
      expect(done.structureJob).to.deep.equal({ id: done.structureJob?.id, status: 'completed' })
      const { type, status, total, completed, failed, result: told } = await job(done)
      expect({ type, status, total, completed, failed, told })
        .to.deep.equal({ type: 'structure', status: 'completed', total: 1, completed: 1, failed: 0, told: result })
    }
    const seen = await anyone.get(`/v1/dpp/passports/${item.id}`)
    expect(seen.body).to.not.have.any.keys('structureJob', 'certifyJob')
  })

  it('runs after a change of a draft\'s numbers, and after no other', async () => {
    const { id } = await newProduct(shop)
    const patch = async (body: object) => {
      const { structureJob } = bodyOf<Passport>(await shop.api.patch(`/v1/dpp/passports/${id}`, body))
      return structureJob?.status ?? null
    }
    expect(await patch({ product: { name: 'Other' }, data: { a: 1 } })).to.equal(null)
    expect(await patch({ product: { batchNumber: 'b' } })).to.equal('pending')
    expect((await structured(shop, id)).structureJob?.status).to.equal('completed')
    expect(await eventsOf(shop, id)).to.deep.equal(['create', 'update', 'update'])
  })

  it('fails a passport whose numbers cannot lead to its batch, in words', async () => {
    const [number, one, two] = [randomUUID(), `A-${randomUUID()}`, `B-${randomUUID()}`]
    await batch(one, number)
    const strayed = await newProduct(shop, { modelNumber: two, batchNumber: number })
    await publish(shop, strayed.id)
    const first = await structured(shop, strayed.id)
    const error = `Batch ${number} is one of model ${one}, not of model ${two}.`
    expect(first.structureJob).to.deep.include({ status: 'failed', error })
    expect(await job(first)).to.deep.include({
      status: 'failed', completed: 0, failed: 1, result: null,
    }).and.to.have.deep.nested.property('errors[0]', { line: 0, path: 'product.batchNumber', code: 'OTHER_MODEL', message: error })
    await batch(two, number)
    const unsure = await newProduct(shop, { batchNumber: number })
    await publish(shop, unsure.id)
    expect((await structured(shop, unsure.id)).structureJob).to.deep.include({
      status: 'failed', error: `Several models have a batch ${number} (${one}, ${two}): the item has to say its modelNumber.`,
    })
  })

  it('takes many in chunks and tells which of them failed', async () => {
    const [number, own] = [randomUUID(), randomUUID()]
    await batch(own, number)
    const context = await operator()
    const { db } = context
    const products = Array.from({ length: 1_203 }, (_, at) => JSON.stringify({
      idGranularity: 'item', name: 'I', itemNumber: `${number}-${at}`, batchNumber: number, modelNumber: at % 400 === 2 ? 'other' : own,
    }))
    const { rows } = await db.raw<{ rows: { id: string }[] }>(
      `insert into passports (id, organization, application, network, product, data)
       select gen_random_uuid(), ?, ?, 'EthereumAnvil', product::jsonb, '{}' from unnest(?::text[]) with ordinality as p (product, at)
       order by at returning id`, [shop.organization, shop.application, products])
    const id = await db.transaction((trx) => startStructure(trx, context, shop.organization, rows.map((row) => row.id)))
    const { status, total, completed, failed, errors, result } = await ended(shop.api, `/v1/jobs/${id}`)
    expect({ status, total, completed, failed, result }).to.deep.equal({
      status: 'completed', total: 1_203, completed: 1_199, failed: 4, result: { linked: 0, unlinked: 1_199 },
    })
    expect(errors.map(({ line }) => line)).to.deep.equal([2, 402, 802, 1202])
    const list = await shop.api.get(`/v1/dpp/passports?filters[structureJob.status][eq]=failed&filters[product.modelNumber][eq]=other`)
    expect(list.body['total']).to.equal(4)
  })
})
