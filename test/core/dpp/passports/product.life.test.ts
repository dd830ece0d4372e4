import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Passport } from '../../../../core/features/dpp/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { enrolPublishedModels } from '../../../support/dpp/jobs.ts'
import { createEmail, getOperator } from '../../identity/people.ts'
import { getBody, waitForJob, listEventTypes, listOwners, readPassport, getRows, formatVerdict } from './fixtures.ts'
import {
  buildBuyer,
  buildDescribedPassport,
  buildModelTree,
  buildProductPassport,
  buildSheet,
  buildShop,
  type Buyer,
  type Shop,
} from '../../../support/world.ts'
import { publishPassports, waitForStructure } from './products.ts'

const anyone = createApiClient()

describe('Passport without a sheet: life of an item', () => {
  let shop: Shop
  let email: string
  let buyer: Buyer

  before(async () => {
    shop = await buildShop()
    email = createEmail('claimer')
    buyer = await buildBuyer(shop, email)
  })

  const claim = (passport: string, more: object = {}) => buyer.post('/v1/dpp/claim', { passport, ...more })

  it("is claimed by e-mail once, and is its claimer's then", async () => {
    const { id, tokenId } = await buildProductPassport(shop, {}, { allowedClaimEmail: email })
    expect(formatVerdict(await claim(id))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    await publishPassports(shop, id)
    const sheet = await buildSheet(shop)
    expect(formatVerdict(await claim(id, { product: sheet }))).to.equal('404 NOT_FOUND')
    const { status, body } = await claim(id)
    expect(status).to.equal(202)
    const { result } = await waitForJob(buyer, `/v1/dpp/claim/${body['jobId']}/status`)
    expect(result).to.include({ passport: id, tokenId })
    const passport = await readPassport(shop.api, id)
    expect(passport).to.deep.include({
      status: 'claimed',
      mintedTo: { id: buyer.account, address: buyer.address, network: 'EthereumAnvil' },
    })
    expect((await listOwners(id)).map(({ type, to }) => [type, to])).to.deep.equal([['claim', buyer.address]])
    expect(await listEventTypes(shop, id)).to.deep.equal(['create', 'publish', 'claim'])
    expect(formatVerdict(await claim(id))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    const mine = await shop.api.get(
      `/v1/dpp/passports?filters[mintedTo.id][eq]=${buyer.account}&filters[product.name][contains]=BA`,
    )
    expect(getRows(mine)).to.deep.equal([passport])
    expect(formatVerdict(await shop.api.delete(`/v1/dpp/passports/${id}`))).to.equal('409 DPP_PASSPORT_ALREADY_MINTED')
    const open = await anyone.get(`/v1/dpp/passports/${id}`)
    expect(open.body['mintedTo']).to.deep.equal({ address: buyer.address, network: 'EthereumAnvil' })
    expect(open.text).to.not.contain(email)
  })

  it('is claimed by its magic token', async () => {
    const { id } = await buildProductPassport(shop)
    await publishPassports(shop, id)
    const {
      body: { token },
    } = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    expect((await anyone.get(`/claim?token=${String(token)}`)).text).to.contain('Bag')
    const { status, body } = await buyer.post('/v1/dpp/claim/magicToken', { magicToken: token })
    expect(status).to.equal(202)
    await waitForJob(buyer, `/v1/dpp/claim/${body['jobId']}/status`)
    expect((await readPassport(shop.api, id)).status).to.equal('claimed')
  })

  it('can be claimed, a model and a batch cannot', async () => {
    const { model, batch } = await buildModelTree(shop)
    for (const { id } of [model, batch]) {
      await shop.api.patch(`/v1/dpp/passports/${id}`, { allowedClaimEmail: email })
      expect(formatVerdict(await claim(id))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
      expect(formatVerdict(await shop.api.get(`/v1/dpp/passports/${id}/magic-token`))).to.equal(
        '409 DPP_PASSPORT_NOT_CLAIMABLE',
      )
    }
    await publishPassports(shop, model.id)
    for (const { id } of [model, batch]) {
      expect(formatVerdict(await claim(id))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
      expect(formatVerdict(await shop.api.get(`/v1/dpp/passports/${id}/magic-token`))).to.equal(
        '409 DPP_PASSPORT_NOT_CLAIMABLE',
      )
    }
  })

  it('has a QR code once it is published, and counts in the figures of the organization', async () => {
    const fresh = await buildShop()
    const { api } = fresh
    const { id } = await buildProductPassport(fresh)
    expect(formatVerdict(await api.get(`/v1/dpp/passports/${id}/qr-code`))).to.equal('409 DPP_PASSPORT_NOT_PUBLISHED')
    await publishPassports(fresh, id)
    expect((await api.get(`/v1/dpp/passports/${id}/qr-code?format=svg`)).status).to.equal(200)
    const stats = await api.get('/v1/dpp/products/stats')
    expect(stats.body).to.deep.include({ passports: { total: 1, draft: 0, published: 1, claimed: 0, archived: 0 } })
    const counted = await api.get('/v1/dpp/passports?filters[product.idGranularity][eq]=item&pageSize=1')
    expect(counted.body['total']).to.equal(1)
  })

  it('is found among the events by what it is', async () => {
    const itemNumber = randomUUID()
    const { id } = await buildProductPassport(shop, { name: `Saddle ${itemNumber}`, itemNumber })
    await publishPassports(shop, id)
    for (const filter of [
      'idGranularity][eq]=item',
      `name][contains]=SADDLE ${itemNumber}`,
      `itemNumber][contains]=${itemNumber.slice(4)}`,
    ]) {
      const found = await shop.api.get(
        `/v1/events?pageSize=1&filters[passport.product.${filter}&filters[type][eq]=publish`,
      )
      expect(getBody<{ data: { passport: Passport }[] }>(found).data[0]?.passport.id, filter).to.equal(id)
    }
  })

  it('has a page with its values, its numbers and the way to its model and batch', async () => {
    const [modelNumber, batchNumber, itemNumber] = ['M <1>', `B-${randomUUID()}`, `I-${randomUUID()}`]
    const model = await buildDescribedPassport(shop, { idGranularity: 'model', name: 'The <model>', modelNumber })
    const picture = { linkURL: 'https://a.example/bag.png', linkName: 'Bag' }
    const { id } = await buildDescribedPassport(
      shop,
      {
        idGranularity: 'item',
        name: 'Bag "one"',
        description: 'Of <wool>',
        modelNumber,
        batchNumber,
        itemNumber,
        productImage: picture,
      },
      {
        data: {
          Colour: 'red',
          site: 'https://mill.example/',
          made: { town: 'Biella' },
          tags: ['a', 'b'],
          bad: 'JavaScript: a book',
          none: null,
          opt_in_form: `ipfs://b${'a'.repeat(58)}`,
        },
      },
    )
    expect((await anyone.get(`/p/${id}`)).status).to.equal(404)
    await publishPassports(shop, id)
    const read = async () => (await anyone.get(`/p/${id}`)).text
    expect(await read()).to.not.contain('Belongs to')
    await publishPassports(shop, model.id)
    await buildDescribedPassport(shop, { idGranularity: 'batch', name: 'A draft', modelNumber, batchNumber })
    const text = await read()
    for (const part of [
      '<h1>Bag &quot;one&quot;</h1>',
      'Of &lt;wool&gt;',
      '<dt>Serial number</dt>',
      `<dd>${itemNumber}</dd>`,
      '<dd>M &lt;1&gt;</dd>',
      '<dt>Colour</dt><dd>red</dd>',
      '<a href="https://mill.example/"',
      '<dt>Town</dt><dd>Biella</dd>',
      '<dd>a, b</dd>',
      `<dt>Model</dt><dd><a href="/p/${model.id}">The &lt;model&gt;</a></dd>`,
      'no owner yet',
    ])
      expect(text).to.contain(part)
    for (const part of ['A draft', 'ipfs://', 'href="javascript', '<dt>none</dt>']) expect(text).to.not.contain(part)
    expect((await anyone.get(`/p/${model.id}`)).text)
      .to.contain('The &lt;model&gt;')
      .and.not.to.contain('no owner yet')
    expect((await listEventTypes(shop, id)).filter((type) => type === 'scan')).to.have.length(1)
  })
})

describe('Passport without a sheet: a model of an application with the feature trust', () => {
  let shop: Shop
  const document = (linkURL: string, mediaType?: string) => ({
    linkURL,
    linkName: 'D',
    ...(mediaType && { mediaType }),
  })
  const newModel = (more: object = {}) =>
    buildDescribedPassport(shop, { idGranularity: 'model', name: 'M', modelNumber: randomUUID(), ...more })

  before(async () => {
    shop = await buildShop()
    await shop.api.patch(`/v1/applications/${shop.application}`, { features: ['dpp', 'trust'] })
  })

  it('is enrolled once when it is published, at the page of its product', async () => {
    const made = await newModel({
      relatedDocument: [
        document(`ipfs://b${'a'.repeat(58)}`),
        document('https://a.example/m.pdf', 'application/pdf'),
        document('https://a.example/m', 'text/html; charset=utf-8'),
      ],
    })
    expect(made.trust).to.equal(null)
    await publishPassports(shop, made.id)
    const passport = await waitForStructure(shop, made.id)
    expect(passport.trust?.url).to.equal('https://a.example/m')
    expect(passport.trust?.enrolledAt).to.match(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
    expect((await anyone.get(`/v1/dpp/passports/${made.id}`)).body['trust']).to.deep.equal(passport.trust)
    expect(await listEventTypes(shop, made.id)).to.deep.equal(['create', 'publish', 'update'])
    const { db } = await getOperator()
    expect(await enrolPublishedModels(db, [made.id])).to.deep.equal([])
    expect(await readPassport(shop.api, made.id)).to.deep.equal(passport)
  })

  it('is enrolled at the home page of the application where the product names none, and nowhere without one', async () => {
    const bare = await newModel()
    await publishPassports(shop, bare.id)
    expect((await readPassport(shop.api, bare.id)).trust).to.equal(null)
    await shop.api.patch(`/v1/applications/${shop.application}`, { websiteUrl: 'https://brand.example/' })
    const model = await newModel({ relatedDocument: [document('https://a.example/m.pdf', 'application/pdf')] })
    await publishPassports(shop, model.id)
    expect((await readPassport(shop.api, model.id)).trust?.url).to.equal('https://brand.example/')
  })

  it('enrols no draft, no item, and no model of an application without the feature', async () => {
    await shop.api.patch(`/v1/applications/${shop.application}`, { websiteUrl: 'https://brand.example/' })
    const plain = await buildShop()
    const ids = [
      await newModel(),
      await buildProductPassport(shop),
      await buildDescribedPassport(plain, {
        idGranularity: 'model',
        name: 'M',
        modelNumber: 'm',
        relatedDocument: [document('https://a.example/')],
      }),
    ].map(({ id }) => id)
    await publishPassports(shop, ids[1] ?? '')
    await publishPassports(plain, ids[2] ?? '')
    const { db } = await getOperator()
    expect(await enrolPublishedModels(db, ids)).to.deep.equal([])
  })
})
