import { expect } from 'chai'
import { words } from '../../../core/languages/index.ts'
import { createGtin } from '../../core/dpp/gs1/gtin-values.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { createEmail, createUniqueName, getOperator, signInBuyer } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { proveDomain } from '../../support/network/domains.ts'
import { forgeCertificate } from '../../support/rows/dpp/certificate-faults.ts'
import { buildBuyer, buildShop } from '../../support/world.ts'
import { createBagPassport, publishPassport } from './showcase.ts'

async function readPage(id: string, client = createApiClient()): Promise<string> {
  const { status, text } = await client.get(`/p/${id}`)
  expect(status, text).to.equal(200)
  return text
}

describe('GET /p/{id}: what a reader can do, by the state of the passport', () => {
  it('offers both ways to claim, and says how they differ; neither where the check of the certificate failed', async () => {
    const shop = await buildShop()
    const { claim, owning } = words.en
    const brand = String((await shop.api.get(`/v1/applications/${shop.application}`)).body['name'])
    const offers = [claim.withLink, claim.linkHead, claim.without.head, claim.without.text(brand), owning.action]
    const bag = await createBagPassport(shop)
    await publishPassport(shop, bag)
    const sound = await readPage(bag)
    for (const offer of offers) expect(sound).to.contain(offer)
    await forgeCertificate((await getOperator()).db, bag, { word: 'Porto', replacement: 'Lagos' })
    const failed = await readPage(bag)
    expect(failed).to.contain(words.en.standing.failed.head)
    for (const offer of offers) expect(failed).not.to.contain(offer)
  })

  it('warns above the product and its brand where the certificate is not in order, and below them vouches for it', async () => {
    const shop = await buildShop()
    const bag = await createBagPassport(shop)
    await publishPassport(shop, bag)
    const findOrder = async () => {
      const text = await readPage(bag)
      const parts = ['id="proof"', 'class="owner"', '<h1>']
      for (const part of parts) expect(text).to.contain(part)
      return parts.toSorted((one, other) => text.indexOf(one) - text.indexOf(other))
    }
    expect(await findOrder()).to.deep.equal(['class="owner"', '<h1>', 'id="proof"'])
    const status = { purpose: 'suspension', value: true, reason: 'A test' }
    expect((await shop.api.post(`/v1/dpp/passports/${bag}/status`, status)).status).to.equal(200)
    expect(await findOrder()).to.deep.equal(['id="proof"', 'class="owner"', '<h1>'])
  })

  it('shows what is proven of the publisher with a sign of approval, and without it where it warns of the product', async () => {
    const shop = await buildShop()
    const host = `${createUniqueName('brand')}.example`
    await proveDomain(shop.api, shop.application, host)
    const bag = await createBagPassport(shop)
    await publishPassport(shop, bag)
    const approval = `<span class="good"><span aria-hidden="true">✓ </span>Published by ${host}</span>`
    expect(await readPage(bag)).to.contain(approval)
    const status = { purpose: 'suspension', value: true, reason: 'A test' }
    expect((await shop.api.post(`/v1/dpp/passports/${bag}/status`, status)).status).to.equal(200)
    expect(await readPage(bag))
      .to.contain(`<span class="quiet">Published by ${host}</span>`)
      .and.not.contain(approval)
  })

  it('lets its owner pass it on and have it repaired, and once it is archived have it repaired only', async () => {
    const shop = await buildShop()
    const email = createEmail('owner')
    const buyer = await buildBuyer(shop, email)
    const bag = await createBagPassport(shop, { allowedClaimEmail: email })
    await publishPassport(shop, bag)
    const { body } = await buyer.post('/v1/dpp/claim', { passport: bag })
    await waitForJob(buyer, `/v1/dpp/claim/${body['jobId']}/status`)
    const owner = createApiClient({
      cookie: `tessera.user=${String((await signInBuyer(shop.application, email)).body['token'])}`,
    })
    const [passOn, repair] = [`href="/p/${bag}/transfer`, 'Have it repaired']
    const own = await readPage(bag, owner)
    expect(own).to.contain(passOn)
    expect(own.split(repair)).to.have.length(2)
    const others = await readPage(bag)
    expect(others).to.contain(repair).and.not.contain(passOn)
    expect((await shop.api.patch(`/v1/dpp/passports/${bag}`, { status: 'archived' })).status).to.equal(200)
    expect(await readPage(bag, owner))
      .to.contain(repair)
      .and.not.contain(passOn)
  })

  it('says beneath a good certificate that its signer is not confirmed, or that it is not about the item in hand', async () => {
    const shop = await buildShop()
    const gtin = createGtin()
    const product = { gtin, idGranularity: 'model', modelNumber: gtin, itemNumber: undefined }
    const [bag, model] = [await createBagPassport(shop), await createBagPassport(shop, { product })]
    for (const id of [bag, model]) await publishPassport(shop, id)
    const { unconfirmed, ofModel } = words.en.product.cautions
    const readSeal = (text: string) => /<summary>(<h2 id="proof">.*?)<\/summary>/s.exec(text)?.[1] ?? ''
    const plain = `<span aria-hidden="true"></span>${words.en.standing.verified.head}`
    expect(readSeal(await readPage(bag)))
      .to.contain(plain)
      .and.contain(unconfirmed)
    await proveDomain(shop.api, shop.application, `${createUniqueName('brand')}.example`)
    expect(readSeal(await readPage(bag)))
      .to.contain(`✓ </span>${words.en.standing.verified.head}`)
      .and.not.contain(unconfirmed)
    const scanned = await createApiClient().get(`/01/${gtin}/21/UNKNOWN-1`, { headers: { accept: 'text/html' } })
    const followed = await createApiClient().get(String(scanned.headers['location']).replace(/^https?:\/\/[^/]+/, ''))
    expect(readSeal(followed.text)).to.contain(plain).and.contain(ofModel).and.not.contain(unconfirmed)
  })

  it('leads to the repairs of the brand where a document is for them, and to no address that is not https', async () => {
    const shop = await buildShop()
    const build = async (linkURL: string, more: object = { linkName: 'Service', linkType: 'gs1:serviceInfo' }) => {
      const documents = [{ linkURL, mediaType: 'text/html', ...more }]
      const id = await createBagPassport(shop, { product: { relatedDocument: documents } })
      await publishPassport(shop, id)
      return readPage(id)
    }
    expect(await build('https://brand.example/repairs')).to.match(
      /<a class="way" href="https:\/\/brand\.example\/repairs"[^>]*>Have it repaired</,
    )
    expect(await build('https://brand.example/repairs', { linkName: 'Our repairs' })).to.contain('Have it repaired')
    expect(await build('http://brand.example/')).not.to.contain('Have it repaired')
    for (const linkName of ['Warranty', 'Spare parts', 'Preparation of the surface'])
      expect(await build('https://brand.example/', { linkName }), linkName).not.to.contain('Have it repaired')
    const kits = { linkName: 'Repair kits', linkType: 'gs1:purchaseSuppliesOrAccessories' }
    expect(await build('https://brand.example/', kits)).not.to.contain('Have it repaired')
  })
})
