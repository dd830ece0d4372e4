import { expect } from 'chai'
import { client } from '../../support/client.ts'
import { proveDomain } from '../../support/domains.ts'
import { newShop, type Shop } from '../passports/fixtures.ts'
import { rotated } from './keys.ts'

const address = '/.well-known/did.json'
const config = '/v1/dpp/certification-key/did-web-config'
const asked = (host: string) => client().get(address, { headers: { host } })

describe('GET /.well-known/did.json', () => {
  let shop: Shop
  let domain: string
  before(async () => {
    shop = await newShop()
    domain = `served-${process.pid}.example`
    await proveDomain(shop.api, shop.application, domain)
  })

  it('answers a proven domain with the document of its organization, to pages of every origin', async () => {
    expect((await asked(domain)).status).to.equal(404)
    const set = await shop.api.put(config, { domain })
    expect(set.status, set.text).to.equal(200)
    for (const host of [domain, `${domain}:443`, domain.toUpperCase()]) {
      const answer = await asked(host)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.headers).to.include({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=60' })
      expect(String(answer.headers['content-type'])).to.match(/^application\/did\+json/)
      expect(JSON.parse(answer.text)).to.deep.equal(set.body['didDocument'])
    }
  })

  it('has a new key as soon as there is one', async () => {
    await rotated(shop.api)
    const { body } = await shop.api.get(config)
    expect(body['didDocument']?.['verificationMethod']).to.have.length(4)
    expect(JSON.parse((await asked(domain)).text)).to.deep.equal(body['didDocument'])
  })

  it('is not there for the platform\'s host, a domain of another organization, and one that nobody has proven', async () => {
    const other = await newShop()
    const theirs = `theirs-${process.pid}.example`
    await proveDomain(other.api, other.application, theirs)
    expect((await shop.api.put(config, { domain: theirs })).status).to.equal(200)
    expect((await asked(theirs)).status).to.equal(404)
    expect((await client().get(address)).status).to.equal(404)
    expect((await client().get(address, { headers: { host: `nobodys-${process.pid}.example` }, unjudged: true })).status).to.equal(421)
  })
})
