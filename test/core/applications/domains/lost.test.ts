import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { setZone } from '../../../support/network/dns.ts'
import {
  checkDomain,
  readDomain,
  setDomains,
  proveDomain,
  publishDomainRecord,
  readDomainRecord,
} from '../../../support/network/domains.ts'
import { createApiClient } from '../../../support/client.ts'
import { waitUntil } from '../../../support/processes.ts'
import { ageMissingProof, readCheckIntervalMs } from '../../../support/rows/applications/domain-checks.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { platform } from '../../../support/platform.ts'

const freshDomain = () => `${randomUUID().slice(0, 13)}.example`

describe('Domains of an application: lost proof and failed checks', () => {
  let shop: Shop
  beforeEach(async () => {
    shop = await buildShop()
  })

  const mailsTo = async (address: string) =>
    (
      (
        await createApiClient().get('/dev/outbox.json', {
          skipsDocumentCheck: true,
          base: new URL(platform.outbox).origin,
        })
      ).body as unknown as { to: string; subject: string }[]
    )
      .filter(({ to }) => to === address)
      .map(({ subject }) => subject)

  it('keep a proven domain for 7 days without its proof, then it is lost, with an event and a mail to the owners', async () => {
    const domain = freshDomain()
    await proveDomain(shop.api, shop.application, domain)
    const { provenAt } = await readDomain(shop.api, shop.application, domain)
    setZone(`_tessera.${domain}`)
    expect(await checkDomain(shop.api, shop.application, domain)).to.include({
      status: 'proven',
      reason: 'record_missing',
      provenAt,
    })
    await ageMissingProof(await getOperator(), { domain, days: 6 })
    await waitUntil(
      'it was checked again',
      async () => (await readDomain(shop.api, shop.application, domain)).checkedAt !== null,
    )
    expect(await readDomain(shop.api, shop.application, domain)).to.include({ status: 'proven' })
    await ageMissingProof(await getOperator(), { domain, days: 8 })
    await waitUntil('it was lost', async () => (await readDomain(shop.api, shop.application, domain)).status === 'lost')
    expect(await mailsTo(shop.owner)).to.deep.equal([`${domain} is no longer proven as yours`])
    const events = await shop.api.get(
      `/v1/events?filters[application.id][eq]=${shop.application}&filters[type][eq]=update`,
    )
    expect(events.body['data']?.[0]).to.include({ subject: 'application', type: 'update' })
    await publishDomainRecord(shop.api, shop.application, domain)
    expect(await checkDomain(shop.api, shop.application, domain)).to.include({ status: 'proven' })
  })

  it('give a domain to the newer proof, and tell the owners of the older', async () => {
    const [other, domain] = [await buildShop(), freshDomain()]
    await proveDomain(shop.api, shop.application, domain)
    await proveDomain(other.api, other.application, domain)
    expect(await readDomain(shop.api, shop.application, domain)).to.include({
      status: 'lost',
      reason: 'proven_by_another',
    })
    expect(await mailsTo(shop.owner)).to.deep.equal([`${domain} is no longer proven as yours`])
    expect(await mailsTo(other.owner)).to.deep.equal([])
    expect(await checkDomain(shop.api, shop.application, domain)).to.include({ status: 'lost' })
    await publishDomainRecord(shop.api, shop.application, domain)
    expect(await checkDomain(shop.api, shop.application, domain), 'a proof made anew').to.include({ status: 'proven' })
    expect(await readDomain(other.api, other.application, domain)).to.include({ status: 'lost' })
  })

  it('are daily, ten an hour at the most', async () => {
    const domain = freshDomain()
    await setDomains(shop.api, shop.application, domain)
    await waitUntil(
      'it was checked',
      async () => (await readDomain(shop.api, shop.application, domain)).checkedAt !== null,
    )
    const { application } = shop
    expect(await readCheckIntervalMs(await getOperator(), { application, domain })).to.equal(24 * 60 * 60 * 1000)
    for (let time = 1; time < 10; time++) await checkDomain(shop.api, shop.application, domain)
    await setDomains(shop.api, shop.application)
    await setDomains(shop.api, shop.application, domain)
    const refused = await shop.api.post(`/v1/applications/${shop.application}/domains/${domain}/check`)
    expect([refused.status, refused.body['code']]).to.deep.equal([429, 'RATE_LIMITED'])
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 3600)
  })

  it('say what DNS said: no answer, an error, a record that differs, an alias, more than fits', async () => {
    const domain = freshDomain()
    await setDomains(shop.api, shop.application, domain)
    const { name, value } = await readDomainRecord(shop.api, shop.application, domain)
    const outcome = async () => {
      const { status, reason } = await checkDomain(shop.api, shop.application, domain)
      return `${status} ${reason ?? ''}`
    }
    setZone(name, { silent: true })
    expect(await outcome()).to.equal('failed dns_timeout')
    setZone(name, { broken: true })
    expect(await outcome()).to.equal('failed dns_failed')
    setZone(name, { txt: [`${value} `, value.toUpperCase(), `x${value}`] })
    expect(await outcome()).to.equal('failed record_differs')
    setZone(name, { cname: `_alias.${domain}` })
    expect(await outcome()).to.equal('failed record_missing')
    setZone(`_alias.${domain}`, { txt: [value] })
    expect(await outcome()).to.equal('proven ')
    setZone(name, { txt: [...Array.from({ length: 50 }, (_, at) => `${at}-`.padEnd(1_000, 'x')), value] })
    expect(await outcome()).to.equal('proven ')
  })

  it('take names below localhost for the first that names one, from pages of any port', async () => {
    const [other, host] = [await buildShop(), `shop-${randomUUID().slice(0, 8)}.localhost`]
    await setDomains(shop.api, shop.application, host)
    await setDomains(other.api, other.application, host)
    expect(await readDomain(shop.api, shop.application, host)).to.include({ status: 'proven' })
    expect(await checkDomain(other.api, other.application, host)).to.include({
      status: 'failed',
      reason: 'proven_by_another',
    })
    const origin = `http://${host}:5173`
    expect(
      (await createApiClient().get('/v1/applications', { headers: { origin } })).headers['access-control-allow-origin'],
    ).to.equal(origin)
  })
})
