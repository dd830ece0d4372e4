import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { proveDomain } from '../../../support/network/domains.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { readRotation } from '../keys/keys.ts'

const address = '/.well-known/did.json'
const config = '/v1/dpp/certification-key/did-web-config'
const requestDidDocument = (host: string) => createApiClient().get(address, { headers: { host } })

describe('GET /.well-known/did.json', () => {
  let shop: Shop
  let domain: string
  before(async () => {
    shop = await buildShop()
    domain = `served-${process.pid}.example`
    await proveDomain(shop.api, shop.application, domain)
  })

  it('answers a proven domain with the document of its organization, to pages of every origin', async () => {
    expect((await requestDidDocument(domain)).status).to.equal(404)
    const set = await shop.api.put(config, { domain })
    expect(set.status, set.text).to.equal(200)
    for (const host of [domain, `${domain}:443`, domain.toUpperCase()]) {
      const answer = await requestDidDocument(host)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.headers).to.include({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=60' })
      expect(String(answer.headers['content-type'])).to.match(/^application\/did\+json/)
      expect(JSON.parse(answer.text)).to.deep.equal(set.body['didDocument'])
    }
  })

  it('has a new key as soon as there is one', async () => {
    await readRotation(shop.api)
    const { body } = await shop.api.get(config)
    expect(body['didDocument']?.['verificationMethod']).to.have.length(4)
    expect(JSON.parse((await requestDidDocument(domain)).text)).to.deep.equal(body['didDocument'])
  })

  it("is not there for the platform's host, a domain of another organization, and one that nobody has proven", async () => {
    const other = await buildShop()
    const theirs = `theirs-${process.pid}.example`
    await proveDomain(other.api, other.application, theirs)
    expect((await shop.api.put(config, { domain: theirs })).status).to.equal(200)
    expect((await requestDidDocument(theirs)).status).to.equal(404)
    expect((await createApiClient().get(address)).status).to.equal(404)
    expect(
      (
        await createApiClient().get(address, {
          headers: { host: `nobodys-${process.pid}.example` },
          skipsDocumentCheck: true,
        })
      ).status,
    ).to.equal(421)
  })
})
