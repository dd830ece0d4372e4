import { expect } from 'chai'
import { v7 } from 'uuid'
import { up } from '../../../core/database/migrations/025_events_public.ts'
import { createApiClient, type Client } from '../../support/client.ts'
import {
  insertEarlierPassportEvents,
  listPassportsOfEvents,
  listStoredPassports,
} from '../../support/rows/events/passport-events.ts'
import { createEmail, getOperator } from '../identity/people.ts'
import {
  buildBuyer,
  buildKey,
  buildModelTree,
  buildProductPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { getBody, waitForJob } from '../dpp/passports/fixtures.ts'
import { publishPassports } from '../dpp/passports/products.ts'

interface Event {
  subject: string
  type: string
  passport?: Record<string, unknown> | null
}

/** Events about a passport, the oldest first. */
async function eventsAbout(api: Client, filter: string): Promise<Event[]> {
  const answer = await api.get(`/v1/events?${filter}&pageSize=100&sorters[0][field]=id&sorters[0][order]=asc`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<{ data: Event[] }>(answer).data
}

describe('GET /v1/events: events of passports', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('shows the public part of a passport as it was, and never who may claim it or what only its maker reads', async () => {
    const [email, reference] = [createEmail('claimer'), `secret-${createEmail()}`]
    const uri = `ipfs://b${'a'.repeat(58)}`
    const { id } = await buildProductPassport(
      shop,
      { name: 'Bag' },
      {
        reference,
        allowedClaimEmail: email,
        allowedClaimPhoneNumber: '+393331234567',
        data: { color: 'red', opt_in_form: uri },
      },
    )
    await publishPassports(shop, id)
    const buyer = await buildBuyer(shop, email)
    const claim = await buyer.post('/v1/dpp/claim', { passport: id })
    expect(claim.status, claim.text).to.equal(202)
    expect((await waitForJob(buyer, `/v1/dpp/claim/${claim.body.jobId}/status`)).status).to.equal('completed')
    const events = await eventsAbout(shop.api, `filters[passport.id][eq]=${id}`)
    expect(events.map(({ type }) => type)).to.deep.equal(['create', 'publish', 'claim'])
    expect(events[0]?.passport).to.deep.equal({ id })
    const [, published, claimed] = events.map(({ passport }) => passport as Record<string, unknown>)
    expect(published).to.deep.include({ id, status: 'published', data: { color: 'red' } })
    expect(claimed?.['mintedTo']).to.deep.equal({ address: buyer.address, network: 'EthereumAnvil' })
    const shown = await createApiClient().get(`/v1/dpp/passports/${id}`)
    expect(Object.keys(claimed ?? {})).to.have.members(Object.keys(shown.body))
    const secrets = [email, reference, '393331234567', uri, buyer.account, 'structureJob', 'certifyJob']
    for (const secret of secrets) expect(JSON.stringify(events)).to.not.contain(secret)
    const { db } = await getOperator()
    const stored = await listStoredPassports(db, id)
    expect(stored).to.have.length(events.length)
    for (const secret of secrets) expect(JSON.stringify(stored), 'stored').to.not.contain(secret)
  })

  it('shows no more of a draft than that it is there, whoever wrote it and whatever it is changed to', async () => {
    const secret = createEmail('draft')
    const sheet = await buildSheet(shop)
    const made = await shop.api.post('/v1/dpp/passports', {
      product: sheet,
      fields: { serialNumber: secret.slice(0, 30) },
    })
    const described = await buildProductPassport(shop, { name: secret })
    await shop.api.patch(`/v1/dpp/passports/${described.id}`, { data: { secret } })
    await shop.api.delete(`/v1/dpp/passports/${described.id}`)
    for (const id of [String(made.body.id), described.id]) {
      for (const event of await eventsAbout(shop.api, `filters[passport.id][eq]=${id}`))
        expect(event.passport).to.deep.equal({ id })
    }
    expect(await eventsAbout(shop.api, `filters[passport.product.name][contains]=${secret}`)).to.deep.equal([])
    const { model, batch, item } = await buildModelTree(shop)
    await publishPassports(shop, item.id)
    const [, published] = await eventsAbout(shop.api, `filters[passport.id][eq]=${item.id}`)
    expect(published?.passport).to.deep.include({ model: null, batch: null })
    expect(JSON.stringify(published)).to.not.contain(model.id).and.to.not.contain(batch.id)
  })

  it('shows no passport to who may not read passports, and answers no filter on one', async () => {
    const passport = await buildPublishedPassport(shop, await buildSheet(shop))
    const described = await buildProductPassport(shop, { name: 'Hidden name' })
    await publishPassports(shop, described.id)
    const { key } = await buildKey(shop.organization, { organization: ['read'] })
    const reader = createApiClient(key)
    const all = await eventsAbout(reader, 'filters[subject][eq]=dppPassport')
    expect(all).to.not.be.empty
    for (const event of all) expect(event.passport).to.equal(null)
    const privateFilters = [
      `passport.id][eq]=${passport.id}`,
      'passport.product.name][contains]=Hidden',
      'passport.product.idGranularity][eq]=item',
      `passport.product.itemNumber][contains]=${String((described.product as unknown as Record<string, unknown>)['itemNumber']).slice(0, 8)}`,
    ]
    for (const filter of privateFilters) {
      expect(await eventsAbout(shop.api, `filters[${filter}&filters[type][eq]=publish`), filter).to.not.be.empty
      expect(await eventsAbout(reader, `filters[${filter}&filters[type][eq]=publish`), filter).to.deep.equal([])
    }
  })
})

describe('Migration of stored events', () => {
  it('takes out of them what only the organization may read', async () => {
    const shop = await buildShop()
    const { db } = await getOperator()
    const open = await buildProductPassport(shop, {
      idGranularity: 'model',
      name: 'Model',
      modelNumber: createEmail(),
      itemNumber: undefined,
    })
    await publishPassports(shop, open.id)
    const stored = {
      id: v7(),
      status: 'published',
      product: { name: 'Bag' },
      data: { color: 'red', opt_in_form: 'ipfs://secret' },
      model: { id: open.id, product: open.product },
      batch: { id: v7(), product: { name: 'secret' } },
      mintedTo: { id: 'secret', address: '0x1' },
      reference: 'secret',
      allowedClaimEmail: 'secret',
      allowedClaimPhoneNumber: 'secret',
      structureJob: { id: 'secret' },
      certifyJob: null,
    }
    const passports = [
      stored,
      { ...stored, id: v7(), status: 'draft' },
      { id: stored.id, status: 'published', product: v7(), fields: {}, reference: null },
    ]
    const events = await insertEarlierPassportEvents(db, { ...shop, passports })
    await db.transaction(up)
    expect(await listPassportsOfEvents(db, events)).to.deep.equal([
      {
        id: stored.id,
        status: 'published',
        product: { name: 'Bag' },
        data: { color: 'red' },
        model: stored.model,
        batch: null,
        mintedTo: { address: '0x1' },
      },
      { id: passports[1]?.id },
      { id: stored.id, status: 'published', product: passports[2]?.product, fields: {} },
    ])
  })
})

describe('GET /v1/dpp/passports/{id}: personal data', () => {
  it('shows the opt-in form to the organization only', async () => {
    const shop = await buildShop()
    const form = { opt_in_form: `ipfs://b${'a'.repeat(58)}` }
    const { id } = await buildProductPassport(shop, {}, { data: { color: 'red', ...form } })
    await publishPassports(shop, id)
    expect((await createApiClient().get(`/v1/dpp/passports/${id}`)).body.data).to.deep.equal({ color: 'red' })
    expect((await shop.api.get(`/v1/dpp/passports/${id}`)).body.data).to.deep.equal({ color: 'red', ...form })
  })
})
