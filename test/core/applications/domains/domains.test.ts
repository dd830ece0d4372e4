import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { setZone } from '../../../support/dns.ts'
import { checkDomain, domainOf, domainsOf, nameDomains, proveDomain, publishRecord, recordOf } from '../../../support/domains.ts'
import { client } from '../../../support/client.ts'
import { eventually } from '../../../support/processes.ts'
import { newShop, type Shop } from '../../passports/fixtures.ts'

const freshDomain = () => `${randomUUID().slice(0, 13)}.example`

describe('Proof of an application\'s domains', () => {
  let shop: Shop
  before(async () => {
    shop = await newShop()
  })

  it('is the DNS record that the list of domains names', async () => {
    const domain = freshDomain()
    await nameDomains(shop.api, shop.application, domain)
    const record = await recordOf(shop.api, shop.application, domain)
    expect(record).to.include({ type: 'TXT', name: `_tessera.${domain}` })
    expect(Buffer.from(record.value, 'base64url')).to.have.length(32)
    expect(await checkDomain(shop.api, shop.application, domain)).to.include({ status: 'failed', reason: 'record_missing' })
    setZone(record.name, { txt: ['v=spf1 -all', record.value] })
    const proven = await checkDomain(shop.api, shop.application, domain)
    expect(proven).to.include({ domain, status: 'proven' }).and.not.to.have.property('reason')
    expect(await domainOf(shop.api, shop.application, domain)).to.deep.equal(proven)
  })

  it('is looked for at once, by the worker, and a domain without one stays pending', async () => {
    const [bare, ready] = [freshDomain(), freshDomain()]
    await nameDomains(shop.api, shop.application, bare)
    await eventually('the domain was checked', async () => (await domainOf(shop.api, shop.application, bare)).checkedAt !== null)
    expect(await domainOf(shop.api, shop.application, bare)).to.include({ status: 'pending', reason: 'record_missing' })
    setZone(`_tessera.${ready}`, { txt: [(await recordOf(shop.api, shop.application, bare)).value] })
    await nameDomains(shop.api, shop.application, bare, ready)
    await eventually('the domain was proven', async () => (await domainOf(shop.api, shop.application, ready)).status === 'proven')
  })

  it('of another application is none', async () => {
    const [other, domain] = [await newShop(), freshDomain()]
    await proveDomain(other.api, other.application, domain)
    await nameDomains(shop.api, shop.application, domain)
    expect(await checkDomain(shop.api, shop.application, domain)).to.include({ status: 'failed', reason: 'record_differs' })
    expect(await domainOf(other.api, other.application, domain)).to.include({ status: 'proven' })
  })

  it('of a wildcard is the record of its parent, and covers hosts one label below', async () => {
    const parent = freshDomain()
    await nameDomains(shop.api, shop.application, `*.${parent}`)
    expect(await recordOf(shop.api, shop.application, `*.${parent}`)).to.include({ name: `_tessera.${parent}` })
    await publishRecord(shop.api, shop.application, `*.${parent}`)
    expect(await checkDomain(shop.api, shop.application, `*.${parent}`)).to.include({ status: 'proven' })
    const echoed = async (origin: string) =>
      (await client().get(`/v1/applications/${shop.application}`, { headers: { origin } })).headers['access-control-allow-origin']
    expect(await echoed(`https://shop.${parent}`)).to.equal(`https://shop.${parent}`)
    for (const host of [parent, `a.shop.${parent}`, `shop${parent}`]) expect(await echoed(`https://${host}`), host).to.equal(undefined)
  })

  it('leaves the domain with the domain', async () => {
    const domain = freshDomain()
    await proveDomain(shop.api, shop.application, domain)
    await nameDomains(shop.api, shop.application)
    expect(await domainsOf(shop.api, shop.application)).to.deep.equal([])
    const answer = await client().get(`/v1/applications/${shop.application}`, { headers: { origin: `https://${domain}` } })
    expect(answer.headers['access-control-allow-origin']).to.equal(undefined)
  })
})
