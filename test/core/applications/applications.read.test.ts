import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../support/client.ts'
import { proveDomain } from '../../support/network/domains.ts'
import { platform } from '../../support/platform.ts'
import { insertDeployedContract } from '../../support/rows/chains/deployed-contracts.ts'
import { replaceOrganizationSettings } from '../../support/rows/identity/organization-settings.ts'
import { createApplicationMaker, type ApplicationMaker } from './application-maker.ts'
import { openDatabase, type Tenant } from './tenants.ts'

const anyone = createApiClient()
const publicMembers = [
  'defaultNetwork',
  'domains',
  'features',
  'id',
  'name',
  'signInMethods',
  'slug',
  'theme',
  'websiteUrl',
]

describe('GET /v1/applications/{appId}', () => {
  let own: Tenant
  let other: Tenant
  let create: ApplicationMaker['create']

  before(async () => {
    ;({ own, other, create } = await createApplicationMaker())
  })

  it('shows everyone the public members and the organization the rest', async () => {
    const id = await create({ domains: ['public.example'] })
    const callers = { anyone, foreign: other.api, poor: await own.limited({ dpp: ['read'] }) }
    for (const [name, caller] of Object.entries(callers)) {
      const answer = await caller.get(`/v1/applications/${id}`)
      expect(answer.status, name).to.equal(200)
      expect(Object.keys(answer.body).sort(), name).to.deep.equal(publicMembers)
    }
    const full = await (await own.limited({ application: ['read'] })).get(`/v1/applications/${id}`)
    expect(Object.keys(full.body).sort()).to.deep.equal(
      [...publicMembers, 'createdAt', 'dppSettings', 'loyaltySettings', 'organization', 'updatedAt'].sort(),
    )
  })

  it('names the sign-in methods that the organization has enabled', async () => {
    const id = await create()
    const authConfig = {
      'email-otp': { enabled: false },
      'phone-otp': { enabled: true },
      google: { enabled: false },
      auth0: { enabled: true, domain: 'tenant.example', clientSecret: 'hidden' },
    }
    const before = await replaceOrganizationSettings(openDatabase(), own.organization, { authConfig })
    const answer = await anyone.get(`/v1/applications/${id}`)
    await replaceOrganizationSettings(openDatabase(), own.organization, before)
    expect(answer.body.signInMethods).to.deep.equal(['phone-otp', 'auth0'])
    expect(answer.text).not.to.include('hidden')
  })

  it('lists the contracts that were deployed for it', async () => {
    const id = await create()
    const removeContract = await insertDeployedContract(openDatabase(), {
      application: id,
      network: 'EthereumAnvil',
      name: 'Bags',
      symbol: 'BAGS',
      address: '0x00000000000000000000000000000000000000b1',
    })
    const removePoints = await insertDeployedContract(openDatabase(), {
      kind: 'points',
      application: id,
      network: 'EthereumAnvil',
      name: 'Miles',
      symbol: 'MILES',
      address: '0x00000000000000000000000000000000000000b2',
    })
    const { body } = await own.api.get(`/v1/applications/${id}`)
    await removeContract()
    await removePoints()
    expect((body.dppSettings as { tokens: object[] } | undefined)?.tokens).to.deep.equal([
      { address: '0x00000000000000000000000000000000000000b1', name: 'Bags', symbol: 'BAGS', network: 'EthereumAnvil' },
    ])
    expect((body.loyaltySettings as { tokens: object[] } | undefined)?.tokens).to.deep.equal([
      {
        address: '0x00000000000000000000000000000000000000b2',
        name: 'Miles',
        symbol: 'MILES',
        network: 'EthereumAnvil',
      },
    ])
  })

  it('answers 404 for an absent one and 400 for an id that is none', async () => {
    expect((await anyone.get(`/v1/applications/${randomUUID()}`)).status).to.equal(404)
    expect((await anyone.get('/v1/applications/seven')).status).to.equal(400)
  })

  it('carries an ETag and answers 304 while nothing changes', async () => {
    const id = await create()
    const { headers } = await own.api.get(`/v1/applications/${id}`)
    const again = await own.api.get(`/v1/applications/${id}`, { headers: { 'if-none-match': String(headers['etag']) } })
    expect(again.status).to.equal(304)
    expect(again.text).to.equal('')
  })

  it('lets pages of its proven domains read across origins, and no others', async () => {
    const host = `${randomUUID()}.example`
    const id = await create()
    await proveDomain(own.api, id, host)
    const readFromOrigin = (origin: string) => anyone.get(`/v1/applications/${id}`, { headers: { origin } })
    // The second answer is remembered from the first.
    for (const round of ['first', 'second']) {
      const allowed = await readFromOrigin(`https://${host}`)
      expect(allowed.headers['access-control-allow-origin'], round).to.equal(`https://${host}`)
      expect(allowed.headers['access-control-allow-credentials'], round).to.equal(undefined)
      const refused = await readFromOrigin(`https://${randomUUID()}.example`)
      expect(refused.headers['access-control-allow-origin'], round).to.equal(undefined)
      const foreign = await readFromOrigin('https://elsewhere.example')
      expect(foreign.headers['access-control-allow-origin'], round).to.equal(undefined)
    }
  })

  it('finds the demo application from the start', async () => {
    const { body } = await anyone.get(`/v1/applications/${platform.application}`)
    expect(body.id).to.equal(platform.application)
  })
})
