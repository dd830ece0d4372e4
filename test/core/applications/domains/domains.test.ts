import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { setZone } from '../../../support/network/dns.ts'
import {
  checkDomain,
  readDomain,
  listDomains,
  setDomains,
  proveDomain,
  publishDomainRecord,
  readDomainRecord,
} from '../../../support/network/domains.ts'
import { createApiClient } from '../../../support/client.ts'
import { waitUntil } from '../../../support/processes.ts'
import { buildShop, type Shop } from '../../../support/world.ts'

const freshDomain = () => `${randomUUID().slice(0, 13)}.example`

describe('POST /v1/applications/{appId}/domains/{domain}/check', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('is the DNS record that the list of domains names', async () => {
    const domain = freshDomain()
    await setDomains(shop.api, shop.application, domain)
    const record = await readDomainRecord(shop.api, shop.application, domain)
    expect(record).to.include({ type: 'TXT', name: `_tessera.${domain}` })
    expect(Buffer.from(record.value, 'base64url')).to.have.length(32)
    expect(await checkDomain(shop.api, shop.application, domain)).to.include({
      status: 'failed',
      reason: 'record_missing',
    })
    setZone(record.name, { txt: ['v=spf1 -all', record.value] })
    const proven = await checkDomain(shop.api, shop.application, domain)
    expect(proven).to.include({ domain, status: 'proven' }).and.not.to.have.property('reason')
    expect(await readDomain(shop.api, shop.application, domain)).to.deep.equal(proven)
  })

  it('is looked for at once, by the worker, and a domain without one stays pending', async () => {
    const [bare, ready] = [freshDomain(), freshDomain()]
    await setDomains(shop.api, shop.application, bare)
    await waitUntil(
      'the domain was checked',
      async () => (await readDomain(shop.api, shop.application, bare)).checkedAt !== null,
    )
    expect(await readDomain(shop.api, shop.application, bare)).to.include({
      status: 'pending',
      reason: 'record_missing',
    })
    setZone(`_tessera.${ready}`, { txt: [(await readDomainRecord(shop.api, shop.application, bare)).value] })
    await setDomains(shop.api, shop.application, bare, ready)
    await waitUntil(
      'the domain was proven',
      async () => (await readDomain(shop.api, shop.application, ready)).status === 'proven',
    )
  })

  it('fails the check of a domain that another application has proven', async () => {
    const [other, domain] = [await buildShop(), freshDomain()]
    await proveDomain(other.api, other.application, domain)
    await setDomains(shop.api, shop.application, domain)
    expect(await checkDomain(shop.api, shop.application, domain)).to.include({
      status: 'failed',
      reason: 'record_differs',
    })
    expect(await readDomain(other.api, other.application, domain)).to.include({ status: 'proven' })
  })

  it('proves a wildcard by the record of its parent, for hosts one label below', async () => {
    const parent = freshDomain()
    await setDomains(shop.api, shop.application, `*.${parent}`)
    expect(await readDomainRecord(shop.api, shop.application, `*.${parent}`)).to.include({ name: `_tessera.${parent}` })
    await publishDomainRecord(shop.api, shop.application, `*.${parent}`)
    expect(await checkDomain(shop.api, shop.application, `*.${parent}`)).to.include({ status: 'proven' })
    const echoed = async (origin: string) =>
      (await createApiClient().get(`/v1/applications/${shop.application}`, { headers: { origin } })).headers[
        'access-control-allow-origin'
      ]
    expect(await echoed(`https://shop.${parent}`)).to.equal(`https://shop.${parent}`)
    for (const host of [parent, `a.shop.${parent}`, `shop${parent}`])
      expect(await echoed(`https://${host}`), host).to.equal(undefined)
  })

  it('leaves the domain with the domain', async () => {
    const domain = freshDomain()
    await proveDomain(shop.api, shop.application, domain)
    await setDomains(shop.api, shop.application)
    expect(await listDomains(shop.api, shop.application)).to.deep.equal([])
    const answer = await createApiClient().get(`/v1/applications/${shop.application}`, {
      headers: { origin: `https://${domain}` },
    })
    expect(answer.headers['access-control-allow-origin']).to.equal(undefined)
  })
})
