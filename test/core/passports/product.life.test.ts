import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Passport } from '../../../core/features/dpp/passports.schema.ts'
import { enrol } from '../../../core/features/dpp/trust.ts'
import { client } from '../../support/client.ts'
import { newEmail, operator } from '../identity/people.ts'
import {
  bodyOf, ended, eventsOf, newBuyer, newSheet, newShop, readOwners, readPassport, rowsOf, verdict, type Buyer, type Shop,
} from './fixtures.ts'
import { newDescribed, newModelTree, newProduct, publish, structured } from './products.ts'

const anyone = client()

describe('An item that describes itself', () => {
  let shop: Shop
  let email: string
  let buyer: Buyer

  before(async () => {
    shop = await newShop()
    email = newEmail('claimer')
    buyer = await newBuyer(shop, email)
  })

  const claim = (passport: string, more: object = {}) => buyer.post('/v1/dpp/claim', { passport, ...more })

  it('is claimed by e-mail once, and is its claimer\'s then', async () => {
    const { id, tokenId } = await newProduct(shop, {}, { allowedClaimEmail: email })
    expect(verdict(await claim(id))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    await publish(shop, id)
    const sheet = await newSheet(shop)
    expect(verdict(await claim(id, { product: sheet }))).to.equal('404 NOT_FOUND')
    const { status, body } = await claim(id)
    expect(status).to.equal(202)
    const { result } = await ended(buyer, `/v1/dpp/claim/${body['jobId']}/status`)
    expect(result).to.include({ passport: id, tokenId })
    const passport = await readPassport(shop.api, id)
    expect(passport).to.deep.include({
      status: 'claimed', mintedTo: { id: buyer.account, address: buyer.address, network: 'EthereumAnvil' },
    })
    expect((await readOwners(id)).map(({ type, to }) => [type, to])).to.deep.equal([['claim', buyer.address]])
    expect(await eventsOf(shop, id)).to.deep.equal(['create', 'publish', 'claim'])
    expect(verdict(await claim(id))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    const mine = await shop.api.get(`/v1/dpp/passports?filters[mintedTo.id][eq]=${buyer.account}&filters[product.name][contains]=BA`)
    expect(rowsOf(mine)).to.deep.equal([passport])
    expect(verdict(await shop.api.delete(`/v1/dpp/passports/${id}`))).to.equal('409 DPP_PASSPORT_ALREADY_MINTED')
    const open = await anyone.get(`/v1/dpp/passports/${id}`)
    expect(open.body['mintedTo']).to.deep.equal({ address: buyer.address, network: 'EthereumAnvil' })
    expect(open.text).to.not.contain(email)
  })

  it('is claimed by its magic token', async () => {
    const { id } = await newProduct(shop)
    await publish(shop, id)
    const { body: { token } } = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    expect((await anyone.get(`/claim?token=${String(token)}`)).text).to.contain('Bag')
    const { status, body } = await buyer.post('/v1/dpp/claim/magicToken', { magicToken: token })
    expect(status).to.equal(202)
    await ended(buyer, `/v1/dpp/claim/${body['jobId']}/status`)
    expect((await readPassport(shop.api, id)).status).to.equal('claimed')
  })

  it('can be claimed, a model and a batch cannot', async () => {
    const { model, batch } = await newModelTree(shop)
    for (const { id } of [model, batch]) {
      await shop.api.patch(`/v1/dpp/passports/${id}`, { allowedClaimEmail: email })
      expect(verdict(await claim(id))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
      expect(verdict(await shop.api.get(`/v1/dpp/passports/${id}/magic-token`))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    }
    await publish(shop, model.id)
    for (const { id } of [model, batch]) {
      expect(verdict(await claim(id))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
      expect(verdict(await shop.api.get(`/v1/dpp/passports/${id}/magic-token`))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    }
  })

  it('has a QR code once it is published, and counts in the figures of the organization', async () => {
    const fresh = await newShop()
    const { api } = fresh
    const { id } = await newProduct(fresh)
    expect(verdict(await api.get(`/v1/dpp/passports/${id}/qr-code`))).to.equal('409 DPP_PASSPORT_NOT_PUBLISHED')
    await publish(fresh, id)
    expect((await api.get(`/v1/dpp/passports/${id}/qr-code?format=svg`)).status).to.equal(200)
    const stats = await api.get('/v1/dpp/products/stats')
    expect(stats.body).to.deep.include({ passports: { total: 1, draft: 0, published: 1, claimed: 0, archived: 0 } })
    const counted = await api.get('/v1/dpp/passports?filters[product.idGranularity][eq]=item&pageSize=1')
    expect(counted.body['total']).to.equal(1)
  })

  it('is found among the events by what it is', async () => {
    const itemNumber = randomUUID()
    const { id } = await newProduct(shop, { name: `Saddle ${itemNumber}`, itemNumber })
    await publish(shop, id)
    for (const filter of ['idGranularity][eq]=item', `name][contains]=SADDLE ${itemNumber}`, `itemNumber][contains]=${itemNumber.slice(4)}`]) {
      const found = await shop.api.get(`/v1/events?pageSize=1&filters[passport.product.${filter}&filters[type][eq]=publish`)
      expect(bodyOf<{ data: { passport: Passport }[] }>(found).data[0]?.passport.id, filter).to.equal(id)
    }
  })

  it('has a page with its values, its numbers and the way to its model and batch', async () => {
    const [modelNumber, batchNumber, itemNumber] = ['M <1>', `B-${randomUUID()}`, `I-${randomUUID()}`]
    const model = await newDescribed(shop, { idGranularity: 'model', name: 'The <model>', modelNumber })
    const picture = { linkURL: 'https://a.example/bag.png', linkName: 'Bag' }
    const { id } = await newDescribed(shop, {
      idGranularity: 'item', name: 'Bag "one"', description: 'Of <wool>', modelNumber, batchNumber, itemNumber, productImage: picture,
    }, { data: { Colour: 'red', site: 'https://mill.example/', made: { town: 'Biella' }, tags: ['a', 'b'], bad: 'JavaScript: a book', none: null,
      opt_in_form: `ipfs://b${'a'.repeat(58)}`,
    } })
    expect((await anyone.get(`/p/${id}`)).status).to.equal(404)
    await publish(shop, id)
    const read = async () => (await anyone.get(`/p/${id}`)).text
    expect(await read()).to.not.contain('Belongs to')
    await publish(shop, model.id)
    await newDescribed(shop, { idGranularity: 'batch', name: 'A draft', modelNumber, batchNumber })
    const text = await read()
    for (const part of [
      '<h1>Bag &quot;one&quot;</h1>', 'Of &lt;wool&gt;', '<dt>Serial number</dt>', `<dd>${itemNumber}</dd>`, '<dd>M &lt;1&gt;</dd>',
      '<dt>Colour</dt><dd>red</dd>', '<a href="https://mill.example/"', '<dt>town</dt><dd>Biella</dd>', '<dd>a, b</dd>',
      `<dt>Model</dt><dd><a href="/p/${model.id}">The &lt;model&gt;</a></dd>`, 'src="https://a.example/bag.png"', 'no owner yet',
    ]) expect(text).to.contain(part)
    for (const part of ['A draft', 'ipfs://', 'href="javascript', '<dt>none</dt>']) expect(text).to.not.contain(part)
    expect((await anyone.get(`/p/${model.id}`)).text).to.contain('The &lt;model&gt;').and.not.to.contain('no owner yet')
    expect((await eventsOf(shop, id)).filter((type) => type === 'scan')).to.have.length(1)
  })
})

describe('A model of an application with the feature trust', () => {
  let shop: Shop
  const document = (linkURL: string, mediaType?: string) => ({ linkURL, linkName: 'D', ...(mediaType && { mediaType }) })
  const newModel = (more: object = {}) =>
    newDescribed(shop, { idGranularity: 'model', name: 'M', modelNumber: randomUUID(), ...more })

  before(async () => {
    shop = await newShop()
    await shop.api.patch(`/v1/applications/${shop.application}`, { features: ['dpp', 'trust'] })
  })

  it('is enrolled once when it is published, at the page of its product', async () => {
    const made = await newModel({
      relatedDocument: [document(`ipfs://b${'a'.repeat(58)}`), document('https://a.example/m.pdf', 'application/pdf'), document('https://a.example/m', 'text/html; charset=utf-8')],
    })
    expect(made.trust).to.equal(null)
    await publish(shop, made.id)
    const passport = await structured(shop, made.id)
    expect(passport.trust?.url).to.equal('https://a.example/m')
    expect(passport.trust?.enrolledAt).to.match(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
    expect((await anyone.get(`/v1/dpp/passports/${made.id}`)).body['trust']).to.deep.equal(passport.trust)
    expect(await eventsOf(shop, made.id)).to.deep.equal(['create', 'publish', 'update'])
    const { db } = await operator()
    expect(await db.transaction((trx) => enrol(trx, [made.id]))).to.deep.equal([])
    expect(await readPassport(shop.api, made.id)).to.deep.equal(passport)
  })

  it('is enrolled at the home page of the application where the product names none, and nowhere without one', async () => {
    const bare = await newModel()
    await publish(shop, bare.id)
    expect((await readPassport(shop.api, bare.id)).trust).to.equal(null)
    await shop.api.patch(`/v1/applications/${shop.application}`, { websiteUrl: 'https://brand.example/' })
    const model = await newModel({ relatedDocument: [document('https://a.example/m.pdf', 'application/pdf')] })
    await publish(shop, model.id)
    expect((await readPassport(shop.api, model.id)).trust?.url).to.equal('https://brand.example/')
  })

  it('is, a draft, an item, and a model of another application are not', async () => {
    await shop.api.patch(`/v1/applications/${shop.application}`, { websiteUrl: 'https://brand.example/' })
    const plain = await newShop()
    const ids = [await newModel(), await newProduct(shop), await newDescribed(plain, {
      idGranularity: 'model', name: 'M', modelNumber: 'm', relatedDocument: [document('https://a.example/')],
    })].map(({ id }) => id)
    await publish(shop, ids[1] ?? '')
    await publish(plain, ids[2] ?? '')
    const { db } = await operator()
    expect(await db.transaction((trx) => enrol(trx, ids))).to.deep.equal([])
  })
})
