import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { findByReference, runImport, createItemRow } from '../../core/imports/engine/job.maker.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { buildDescribedPassport, buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { publishPassports } from '../../core/dpp/passports/products.ts'
import { createGtin } from '../../core/dpp/gs1/gtin-values.ts'

/** What an impostor tries in order to stand behind the codes that a brand has printed. */
describe('Tenant isolation: GTINs of another organization', () => {
  let brand: Shop
  let impostor: Shop
  before(async () => {
    ;[brand, impostor] = [await buildShop(), await buildShop()]
  })

  /** Where a code leads: the path of its page, or the status where it leads nowhere. */
  async function leadsTo(path: string, headers: Record<string, string> = {}): Promise<string> {
    const { status, headers: locationHeaders } = await createApiClient().get(path, { headers })
    return status === 307 ? new URL(String(locationHeaders['location'])).pathname : String(status)
  }

  const model = (shop: Shop, product: object) =>
    buildDescribedPassport(shop, { idGranularity: 'model', name: 'Bag', modelNumber: randomUUID(), ...product })

  async function published(shop: Shop, product: object): Promise<string> {
    const { id } = await model(shop, product)
    await publishPassports(shop, id)
    return id
  }

  /** A GTIN that the brand publishes first, with the page that its codes lead to. */
  async function ofBrand(length = 14) {
    const gtin = createGtin(length)
    const id = await published(brand, { gtin })
    return { gtin, page: `/p/${id}`, id }
  }

  it('fails by publishing the same GTIN later', async () => {
    const { gtin, page } = await ofBrand()
    await published(impostor, { gtin })
    expect(await leadsTo(`/01/${gtin}`)).to.equal(page)
    const set = await createApiClient().get(`/01/${gtin}?linkType=linkset`)
    expect([set.status, (set.body['linkset'] as unknown as object[]).length]).to.deep.equal([200, 1])
  })

  it('fails by an import', async () => {
    const gtin = createGtin()
    const reference = randomUUID()
    expect(
      (
        await runImport(impostor, [createItemRow(reference, { gtin, itemNumber: 'S' })], {
          application: impostor.application,
        })
      ).counts.created,
    ).to.equal(1)
    const page = `/p/${await published(brand, { gtin })}`
    await publishPassports(impostor, (await findByReference(impostor, reference)).id)
    await runImport(impostor, [createItemRow(reference, { gtin, itemNumber: 'S', name: 'Copy' })], {
      application: impostor.application,
    })
    for (const path of ['', '/21/S']) expect(await leadsTo(`/01/${gtin}${path}`), path).to.equal(page)
  })

  it('fails by a batch mint', async () => {
    const gtin = createGtin()
    const fields = [
      { name: 'gtin', type: 'string' },
      { name: 'serialNumber', type: 'string' },
    ]
    const sheet = await buildSheet(impostor, {
      productFields: [fields[0]],
      fields: { gtin },
      passportsFields: fields,
      certifiedPaths: ['gtin'],
    })
    const started = await impostor.api.post(`/v1/dpp/products/${sheet}/mint`, [{ gtin, serialNumber: 'S' }])
    expect(started.status, started.text).to.equal(202)
    await waitForJob(impostor.api, `/v1/jobs/${started.body.jobId}`)
    const page = `/p/${await published(brand, { gtin })}`
    for (const path of ['', '/21/S']) expect(await leadsTo(`/01/${gtin}${path}`), path).to.equal(page)
  })

  it('fails by a Digital Link in product.id', async () => {
    const { gtin, page } = await ofBrand()
    await published(impostor, { id: `https://id.gs1.org/01/${gtin}` })
    await published(impostor, { id: `${platform.api}/01/${gtin}?a=1`, gtin: createGtin() })
    expect(await leadsTo(`/01/${gtin}`)).to.equal(page)
  })

  for (const length of [8, 12, 13, 14]) {
    it(`fails by another spelling of a GTIN-${length}`, async () => {
      const { gtin, page } = await ofBrand(length)
      const spellings = [8, 12, 13, 14].filter((digits) => digits >= length).map((digits) => gtin.padStart(digits, '0'))
      for (const spelling of spellings) await published(impostor, { gtin: spelling })
      for (const spelling of spellings) expect(await leadsTo(`/01/${spelling}`), spelling).to.equal(page)
    })
  }

  it('fails by the GTIN of a model for an item that has none', async () => {
    const { gtin, page } = await ofBrand()
    const [modelNumber, itemNumber] = [randomUUID(), 'UNKNOWN']
    const above = await buildDescribedPassport(impostor, { idGranularity: 'model', name: 'Bag', modelNumber, gtin })
    const item = await buildDescribedPassport(impostor, { idGranularity: 'item', name: 'Bag', modelNumber, itemNumber })
    await publishPassports(impostor, above.id, item.id)
    expect(await leadsTo(`/01/${gtin}/21/${itemNumber}`)).to.equal(page)
  })

  it('fails by a change of product.gtin after publishing', async () => {
    const { gtin, page } = await ofBrand()
    const id = await published(impostor, { gtin: createGtin() })
    const changed = await impostor.api.patch(`/v1/dpp/passports/${id}`, { product: { gtin } })
    expect(changed.status, changed.text).to.equal(200)
    expect(await leadsTo(`/01/${gtin}`)).to.equal(page)
  })

  it('fails by waiting until the brand archives and deletes', async () => {
    const { gtin, page, id } = await ofBrand()
    expect((await brand.api.patch(`/v1/dpp/passports/${id}`, { status: 'archived' })).status).to.equal(200)
    await published(impostor, { gtin })
    expect(await leadsTo(`/01/${gtin}`)).to.equal(page)
    expect((await brand.api.delete(`/v1/dpp/passports/${id}`)).status).to.equal(200)
    await published(impostor, { gtin })
    expect(await leadsTo(`/01/${gtin}`)).to.equal('404')
    const again = await published(brand, { gtin })
    expect(await leadsTo(`/01/${gtin}`)).to.equal(`/p/${again}`)
  })

  it('fails by a draft that was archived and never published', async () => {
    const gtin = createGtin()
    const { id } = await model(impostor, { gtin })
    expect((await impostor.api.patch(`/v1/dpp/passports/${id}`, { status: 'archived' })).status).to.equal(200)
    expect(await leadsTo(`/01/${gtin}`)).to.equal('404')
    const page = `/p/${await published(brand, { gtin })}`
    expect(await leadsTo(`/01/${gtin}`)).to.equal(page)
  })

  it('fails by a host that is named and not proven, and by a Host header', async () => {
    const { gtin, page } = await ofBrand()
    await published(impostor, { gtin })
    const host = `${randomUUID()}.brand.example`
    expect((await impostor.api.patch(`/v1/applications/${impostor.application}`, { domains: [host] })).status).to.equal(
      200,
    )
    // An answer for a host that is nobody's is refused altogether (421).
    for (const headers of [
      { host },
      { host: `${host}:443` },
      { 'x-forwarded-host': host },
      { host: 'else.example' },
      { forwarded: `host=${host}` },
    ])
      expect(await leadsTo(`/01/${gtin}`, headers as Record<string, string>), JSON.stringify(headers)).to.be.oneOf([
        page,
        '421',
      ])
  })

  it('fails by publishing at the same moment: one of ten is the owner, for every code', async () => {
    const gtin = createGtin()
    const shops = await Promise.all(Array.from({ length: 5 }, () => buildShop()))
    const pages = await Promise.all([brand, impostor, ...shops].map((shop) => published(shop, { gtin })))
    const led = new Set(await Promise.all(Array.from({ length: 20 }, () => leadsTo(`/01/${gtin}`))))
    expect(led.size).to.equal(1)
    expect(pages.map((id) => `/p/${id}`)).to.include([...led][0])
  })

  it('fails by a QR code: the one of a reseller says where its own passport is', async () => {
    const { gtin } = await ofBrand()
    const id = await published(impostor, { gtin })
    const svg = await impostor.api.get(`/v1/dpp/passports/${id}/qr-code?format=svg`)
    const other = await impostor.api.get(`/v1/dpp/passports/${await published(impostor, {})}/qr-code?format=svg`)
    // A page's address is longer than a Digital Link of a GTIN alone: the code has as many modules as that of another page.
    const modules = ({ text }: { text: string }) => /viewBox="0 0 (\d+)/.exec(text)?.[1]
    expect(modules(svg)).to.equal(modules(other))
  })
})
