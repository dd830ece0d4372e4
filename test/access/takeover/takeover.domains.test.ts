import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { setZone } from '../../support/network/dns.ts'
import { checkDomain, readDomain, setDomains, proveDomain, readDomainRecord } from '../../support/network/domains.ts'
import { createApiClient, type Answer } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { renameOrganizations } from '../../support/rows/identity/organization-names.ts'
import { getOperator, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { buildMember, buildShop, type Shop } from '../../support/world.ts'
import { createGtin } from '../../core/dpp/gs1/gtin-values.ts'
import { createFamily, createPublishedProduct } from '../../core/dpp/gs1/gtins.ts'

/** What an impostor tries in order to be taken for another organization by its domain, its name or its pages. */
describe('Tenant isolation: domains of another organization', () => {
  let brand: Shop
  let impostor: Shop
  beforeEach(async () => {
    ;[brand, impostor] = [await buildShop(), await buildShop()]
  })

  const freshDomain = () => `${randomUUID().slice(0, 13)}.example`
  const path = ({ application }: Shop, domain: string) => `/v1/applications/${application}/domains/${domain}`
  const echoed = async (origin: string): Promise<unknown> =>
    (await createApiClient().get('/v1/applications', { headers: { origin } })).headers['access-control-allow-origin']
  const resolve = (gtin: string, host: string): Promise<Answer> =>
    createApiClient().get(`/01/${gtin}/21/S`, { headers: { host }, skipsDocumentCheck: true })

  it('fails by naming the domain of a brand: no codes lead to the impostor', async () => {
    const [domain, gtin] = [freshDomain(), createGtin()]
    await proveDomain(brand.api, brand.application, domain)
    const { item } = await createFamily(brand, gtin)
    await createPublishedProduct(impostor, { idGranularity: 'item', itemNumber: 'S', gtin, name: 'Copy' })
    await setDomains(impostor.api, impostor.application, domain)
    await checkDomain(impostor.api, impostor.application, domain)
    expect((await resolve(gtin, domain)).headers['location']).to.include(`/p/${item}`)
  })

  it('fails by naming a domain that nobody has proven: it gets no CORS', async () => {
    const domain = freshDomain()
    await setDomains(impostor.api, impostor.application, domain)
    expect(await echoed(`https://${domain}`)).to.equal(undefined)
  })

  it('fails by naming the host of the platform, or one below it', async () => {
    const { hostname } = new URL(platform.api)
    for (const domain of [hostname, 'localhost', `${hostname}.`, '[::1]', '2130706433', '0x7f.1', '*.localhost']) {
      const refused = await impostor.api.patch(`/v1/applications/${impostor.application}`, {
        domains: ['ok.example', domain],
      })
      expect([refused.status, refused.body['errors']?.[0]?.['path']], domain).to.deep.equal([422, 'domains[1]'])
    }
  })

  it('fails by naming a suffix that strangers register below', async () => {
    for (const domain of ['com', 'co.uk', '*.co.uk', '*.com', 'github.io', '*.github.io', 'xn--p1ai']) {
      const refused = await impostor.api.patch(`/v1/applications/${impostor.application}`, { domains: [domain] })
      expect([refused.status, refused.body['errors']?.[0]?.['path']], domain).to.deep.equal([422, 'domains[0]'])
    }
  })

  it('fails by the record of the brand: each application has a value of its own', async () => {
    const domain = freshDomain()
    await proveDomain(brand.api, brand.application, domain)
    await setDomains(impostor.api, impostor.application, domain)
    expect((await readDomainRecord(impostor.api, impostor.application, domain)).value).not.to.equal(
      (await readDomainRecord(brand.api, brand.application, domain)).value,
    )
    expect(await checkDomain(impostor.api, impostor.application, domain)).to.include({
      status: 'failed',
      reason: 'record_differs',
    })
    expect(await readDomain(brand.api, brand.application, domain)).to.include({ status: 'proven' })
  })

  it('fails by asking again with an old proof, also after removing the domain and naming it again', async () => {
    const domain = freshDomain()
    await proveDomain(impostor.api, impostor.application, domain)
    const old = (await readDomainRecord(impostor.api, impostor.application, domain)).value
    await setDomains(brand.api, brand.application, domain)
    const { name, value } = await readDomainRecord(brand.api, brand.application, domain)
    setZone(name, { txt: [old, value] })
    expect(await checkDomain(brand.api, brand.application, domain)).to.include({ status: 'proven' })
    for (const again of ['asked', 'named']) {
      if (again === 'named') {
        await setDomains(impostor.api, impostor.application)
        await setDomains(impostor.api, impostor.application, domain)
      }
      expect(await checkDomain(impostor.api, impostor.application, domain), again).to.include({
        status: 'lost',
        reason: 'proven_by_another',
      })
    }
    expect(await readDomain(brand.api, brand.application, domain)).to.include({ status: 'proven' })
  })

  it('fails by a wildcard over the host of the brand: its own proof counts before', async () => {
    const parent = freshDomain()
    await proveDomain(brand.api, brand.application, `shop.${parent}`)
    await proveDomain(impostor.api, impostor.application, `*.${parent}`)
    const gtin = createGtin()
    const { item } = await createFamily(brand, gtin)
    await createPublishedProduct(impostor, { idGranularity: 'item', itemNumber: 'S', gtin, name: 'Copy' })
    expect((await resolve(gtin, `shop.${parent}`)).headers['location']).to.include(`/p/${item}`)
  })

  it('fails by a page on another port, by http, below the domain or with a dot behind it', async () => {
    const domain = freshDomain()
    await proveDomain(brand.api, brand.application, domain)
    expect(await echoed(`https://${domain}`)).to.equal(`https://${domain}`)
    for (const origin of [
      `http://${domain}`,
      `https://${domain}:8443`,
      `https://evil.${domain}`,
      `https://${domain}.`,
      `https://evil-${domain}`,
    ])
      expect(await echoed(origin), origin).to.equal(undefined)
  })

  it('fails by reading, or having checked, the domains of the other', async () => {
    const domain = freshDomain()
    await setDomains(brand.api, brand.application, domain)
    for (const answer of [
      await impostor.api.get(`/v1/applications/${brand.application}/domains`),
      await impostor.api.post(`${path(brand, domain)}/check`),
      await createApiClient().get(`/v1/applications/${brand.application}/domains`),
    ])
      expect(answer.status).to.be.oneOf([401, 404])
    expect(await readDomain(brand.api, brand.application, domain)).not.to.include({ status: 'failed' })
  })

  it('fails by the name of a brand: the console calls it not confirmed', async () => {
    const { db } = await getOperator()
    const domain = freshDomain()
    await renameOrganizations(db, [brand.organization, impostor.organization], 'Käthe & Söhne')
    await proveDomain(brand.api, brand.application, domain)
    await setDomains(impostor.api, impostor.application, domain)
    const shown = async ({ organization }: Shop) => {
      const cookie = await signInMember(await buildMember(organization, 'owner'), organization)
      return (await getOwnClient(cookie).get('/console/organizations', { unjudged: true })).text
    }
    expect(await shown(brand))
      .to.include(domain)
      .and.not.to.include('not confirmed')
    expect(await shown(impostor))
      .to.include('not confirmed')
      .and.not.to.include(domain)
  })
})
