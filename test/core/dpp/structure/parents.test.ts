import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Passport } from '../../../../core/features/dpp/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { startStructure } from '../../../support/dpp/jobs.ts'
import { insertProductPassports } from '../../../support/rows/dpp/new-passports.ts'
import { getOperator } from '../../identity/people.ts'
import {
  buildApplication,
  buildDescribedPassport,
  buildModelTree,
  buildProductPassport,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { getBody, waitForJob, listEventTypes, readPassport, getRows } from '../passports/fixtures.ts'
import { publishPassports, waitForStructure } from '../passports/products.ts'

const anyone = createApiClient()

describe('Passport parents: model and batch', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const parent = ({ id, product }: Passport) => ({ id, product })
  const shown = async (id: string) => {
    const { model, batch } = await readPassport(shop.api, id)
    return { model, batch }
  }

  it('are found by their numbers, in whatever order they are created', async () => {
    const { model, batch, item } = await buildModelTree(shop)
    expect([item.model, item.batch]).to.deep.equal([parent(model), parent(batch)])
    expect([batch.model, batch.batch]).to.deep.equal([parent(model), null])
    expect([model.model, model.batch]).to.deep.equal([null, null])

    const [modelNumber, batchNumber] = [randomUUID(), randomUUID()]
    const early = await buildProductPassport(shop, { modelNumber, batchNumber })
    expect([early.model, early.batch]).to.deep.equal([null, null])
    const later = await buildDescribedPassport(shop, { idGranularity: 'batch', name: 'B', modelNumber, batchNumber })
    expect(await shown(early.id)).to.deep.equal({ model: null, batch: parent(later) })
    const last = await buildDescribedPassport(shop, { idGranularity: 'model', name: 'M', modelNumber })
    expect(await shown(early.id)).to.deep.equal({ model: parent(last), batch: parent(later) })
    const [listed] = getRows(await shop.api.get(`/v1/dpp/passports?filters[id][eq]=${early.id}`))
    expect([listed?.model, listed?.batch]).to.deep.equal([parent(last), parent(later)])
    await shop.api.delete(`/v1/dpp/passports/${later.id}`)
    expect(await shown(early.id)).to.deep.equal({ model: parent(last), batch: null })
  })

  it('are the only batch with its number, and the model of that batch, for an item without a model', async () => {
    const { model, batch, batchNumber } = await buildModelTree(shop)
    const loose = await buildProductPassport(shop, { batchNumber })
    expect([loose.model, loose.batch]).to.deep.equal([parent(model), parent(batch)])
    const twin = await buildDescribedPassport(shop, {
      idGranularity: 'batch',
      name: 'B',
      modelNumber: randomUUID(),
      batchNumber,
    })
    expect(await shown(loose.id)).to.deep.equal({ model: null, batch: null })
    await shop.api.delete(`/v1/dpp/passports/${twin.id}`)
    expect(await shown(loose.id)).to.deep.equal({ model: parent(model), batch: parent(batch) })
    const bare = await buildProductPassport(shop)
    expect([bare.model, bare.batch]).to.deep.equal([null, null])
  })

  it('are of the same application', async () => {
    const { modelNumber, batchNumber } = await buildModelTree(shop)
    const application = await buildApplication(shop.organization)
    const stranger = await buildProductPassport({ ...shop, application }, { modelNumber, batchNumber })
    expect([stranger.model, stranger.batch]).to.deep.equal([null, null])
  })

  it('are shown to everybody only where everybody may see them', async () => {
    const [modelNumber, batchNumber] = [randomUUID(), randomUUID()]
    const item = await buildProductPassport(shop, { modelNumber, batchNumber })
    const loose = await buildProductPassport(shop, { batchNumber })
    const model = await buildDescribedPassport(shop, { idGranularity: 'model', name: 'M', modelNumber })
    await publishPassports(shop, item.id, loose.id)
    const seen = async (id: string) => {
      const { body } = await anyone.get(`/v1/dpp/passports/${id}`)
      return [body['model'], body['batch']]
    }
    expect(await seen(item.id)).to.deep.equal([null, null])
    await publishPassports(shop, model.id)
    const batch = await buildDescribedPassport(shop, { idGranularity: 'batch', name: 'B', modelNumber, batchNumber })
    expect(await seen(item.id)).to.deep.equal([parent(model), null])
    // The way to the model leads by way of a draft.
    expect(await seen(loose.id)).to.deep.equal([null, null])
    expect(await shown(loose.id)).to.deep.equal({ model: parent(model), batch: parent(batch) })
    await publishPassports(shop, batch.id)
    for (const { id } of [item, loose]) expect(await seen(id)).to.deep.equal([parent(model), parent(batch)])
  })

  it('are in events as they were', async () => {
    const { model, batch, item } = await buildModelTree(shop)
    await publishPassports(shop, model.id, batch.id, item.id)
    await shop.api.patch(`/v1/dpp/passports/${model.id}`, { product: { name: 'Renamed' } })
    await shop.api.patch(`/v1/dpp/passports/${item.id}`, { data: { color: 'red' } })
    const events = await shop.api.get(`/v1/events?filters[passport.id][eq]=${item.id}&pageSize=2`)
    const passports = getBody<{ data: { passport: Passport }[] }>(events).data.map(({ passport }) => passport)
    expect(passports.map((passport) => passport.model?.product['name'])).to.deep.equal(['Renamed', 'Model'])
    expect(passports.map((passport) => passport.batch)).to.deep.equal([parent(batch), parent(batch)])
  })
})

describe('Structure job', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const job = async (passport: Passport) => waitForJob(shop.api, `/v1/jobs/${passport.structureJob?.id}`)
  const batch = (modelNumber: string, batchNumber: string) =>
    buildDescribedPassport(shop, { idGranularity: 'batch', name: 'B', modelNumber, batchNumber })

  it('runs after a publish and counts a missing parent as nothing wrong', async () => {
    const { item } = await buildModelTree(shop)
    const orphan = await buildProductPassport(shop, { modelNumber: randomUUID() })
    expect([item.structureJob, orphan.structureJob]).to.deep.equal([null, null])
    await publishPassports(shop, item.id, orphan.id)
    for (const [id, result] of [
      [item.id, { linked: 1, unlinked: 0 }],
      [orphan.id, { linked: 0, unlinked: 1 }],
    ] as const) {
      const done = await waitForStructure(shop, id)
      expect(done.structureJob).to.deep.equal({ id: done.structureJob?.id, status: 'completed' })
      const { type, status, total, completed, failed, result: jobResult } = await job(done)
      expect({ type, status, total, completed, failed, result: jobResult }).to.deep.equal({
        type: 'structure',
        status: 'completed',
        total: 1,
        completed: 1,
        failed: 0,
        result,
      })
    }
    const seen = await anyone.get(`/v1/dpp/passports/${item.id}`)
    expect(seen.body).to.not.have.any.keys('structureJob', 'certifyJob')
  })

  it("runs after a change of a draft's numbers, and after no other", async () => {
    const { id } = await buildProductPassport(shop)
    const patch = async (body: object) => {
      const { structureJob } = getBody<Passport>(await shop.api.patch(`/v1/dpp/passports/${id}`, body))
      return structureJob?.status ?? null
    }
    expect(await patch({ product: { name: 'Other' }, data: { a: 1 } })).to.equal(null)
    expect(await patch({ product: { batchNumber: 'b' } })).to.equal('pending')
    expect((await waitForStructure(shop, id)).structureJob?.status).to.equal('completed')
    expect(await listEventTypes(shop, id)).to.deep.equal(['create', 'update', 'update'])
  })

  it('fails a passport whose numbers cannot lead to its batch, in words', async () => {
    const [number, one, two] = [randomUUID(), `A-${randomUUID()}`, `B-${randomUUID()}`]
    await batch(one, number)
    const strayed = await buildProductPassport(shop, { modelNumber: two, batchNumber: number })
    await publishPassports(shop, strayed.id)
    const first = await waitForStructure(shop, strayed.id)
    const error = `Batch ${number} is one of model ${one}, not of model ${two}.`
    expect(first.structureJob).to.deep.include({ status: 'failed', error })
    expect(await job(first))
      .to.deep.include({
        status: 'failed',
        completed: 0,
        failed: 1,
        result: null,
      })
      .and.to.have.deep.nested.property('errors[0]', {
        line: 0,
        path: 'product.batchNumber',
        code: 'OTHER_MODEL',
        message: error,
      })
    await batch(two, number)
    const unsure = await buildProductPassport(shop, { batchNumber: number })
    await publishPassports(shop, unsure.id)
    expect((await waitForStructure(shop, unsure.id)).structureJob).to.deep.include({
      status: 'failed',
      error: `Several models have a batch ${number} (${one}, ${two}): the item has to say its modelNumber.`,
    })
  })

  it('takes many in chunks and tells which of them failed', async () => {
    const [number, own] = [randomUUID(), randomUUID()]
    await batch(own, number)
    const context = await getOperator()
    const products = Array.from({ length: 1_203 }, (_, at) => ({
      idGranularity: 'item',
      name: 'I',
      itemNumber: `${number}-${at}`,
      batchNumber: number,
      modelNumber: at % 400 === 2 ? 'other' : own,
    }))
    const ids = await insertProductPassports(context.db, shop, products)
    const id = await startStructure(context, shop.organization, ids)
    const { status, total, completed, failed, errors, result } = await waitForJob(shop.api, `/v1/jobs/${id}`)
    expect({ status, total, completed, failed, result }).to.deep.equal({
      status: 'completed',
      total: 1_203,
      completed: 1_199,
      failed: 4,
      result: { linked: 0, unlinked: 1_199 },
    })
    expect(errors.map(({ line }) => line)).to.deep.equal([2, 402, 802, 1202])
    const list = await shop.api.get(
      `/v1/dpp/passports?filters[structureJob.status][eq]=failed&filters[product.modelNumber][eq]=other`,
    )
    expect(list.body['total']).to.equal(4)
  })
})
