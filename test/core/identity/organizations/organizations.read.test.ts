import { expect } from 'chai'
import { createOrganization, setSuperAdmin } from '../../../../core/features/identity/index.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { buildBuyer, buildKey, buildMember, buildOrganization, buildShop, type Tenant } from '../../../support/world.ts'
import { codeOf, createEmail, createUniqueName, getOperator, getOwnClient, signInMember } from '../people.ts'

const absentId = '00000000-0000-4000-8000-000000000000'
const rowsOf = (answer: Answer) =>
  getBody<{ data: { id: string; name: string; slug: string; role: string | null }[] }>(answer).data

describe('GET /v1/organizations', () => {
  let first: Tenant
  let second: { id: string; name: string; slug: string }
  before(async () => {
    first = await buildOrganization()
    second = await createOrganization(await getOperator(), { name: createUniqueName('Zweite'), owner: first.owner })
  })

  it('lists those of a member with the role there, before one is chosen', async () => {
    const member = getOwnClient(await signInMember(first.owner))
    const listed = await member.get('/v1/organizations?sorters[0][field]=createdAt&sorters[0][order]=asc')
    expect(rowsOf(listed).map(({ id, role }) => [id, role])).to.deep.equal([
      [first.organization, 'owner'],
      [second.id, 'owner'],
    ])
    expect(listed.body).to.include({ total: 2, currentPage: 1, nextCursor: null })
    const found = await member.get(`/v1/organizations?filters[name][contains]=${second.name.toUpperCase()}`)
    expect(rowsOf(found)).to.deep.equal([{ id: second.id, name: second.name, slug: second.slug, role: 'owner' }])
  })

  it('lists none of a person who belongs to none, and one of a key, which has no role', async () => {
    const stranger = getOwnClient(await signInMember(createEmail('stranger')))
    expect(rowsOf(await stranger.get('/v1/organizations'))).to.deep.equal([])
    const key = createApiClient((await buildKey(first.organization, {})).key)
    const [own, ...others] = rowsOf(await key.get('/v1/organizations'))
    expect([own?.id, own?.role, others]).to.deep.equal([first.organization, null, []])
  })
})

describe('GET /v1/organizations/{id}', () => {
  it('shows an organization to its keys and members, whichever is active', async () => {
    const tenant = await buildOrganization()
    const key = createApiClient((await buildKey(tenant.organization, {})).key)
    const read = await key.get(`/v1/organizations/${tenant.organization}`)
    expect(read.status, read.text).to.equal(200)
    expect(read.body).to.deep.include({
      id: tenant.organization,
      customerType: 'company',
      preferredCurrency: null,
      timeZone: 'UTC',
      locale: 'en',
      settings: {
        authConfig: {
          'email-otp': { enabled: true },
          'phone-otp': { enabled: false },
          google: { enabled: false },
          auth0: { enabled: false, hasClientSecret: false },
        },
      },
    })
    const viewer = await signInMember(await buildMember(tenant.organization, 'viewer'))
    const seen = await getOwnClient(viewer).get(`/v1/organizations/${tenant.organization.toUpperCase()}`)
    expect(seen.body, 'without an active organization').to.deep.equal(read.body)
  })

  it('does not tell a foreign organization from one that does not exist', async () => {
    const [own, other] = [await buildOrganization(), await buildOrganization()]
    const key = createApiClient(own.key)
    const member = getOwnClient(await signInMember(own.owner, own.organization))
    for (const { get } of [key, member]) {
      const foreign = await get(`/v1/organizations/${other.organization}`)
      expect(codeOf(foreign)).to.deep.equal([403, 'ORG_CROSS_ACCESS_DENIED'])
      const absent = await get(`/v1/organizations/${absentId}`)
      expect([absent.status, absent.body['code'], absent.body['detail']]).to.deep.equal([
        foreign.status,
        foreign.body['code'],
        foreign.body['detail'],
      ])
    }
  })

  it('is closed to buyers and to nobody', async () => {
    const shop = await buildShop()
    const buyer = await buildBuyer(shop)
    expect(codeOf(await buyer.get(`/v1/organizations/${shop.organization}`))).to.deep.equal([
      403,
      'AUTH_INSUFFICIENT_PERMISSIONS',
    ])
    const nobody = await createApiClient().get(`/v1/organizations/${shop.organization}`)
    expect(codeOf(nobody)).to.deep.equal([401, 'AUTH_UNAUTHENTICATED'])
  })

  it('is open to an operator of the platform, who still changes nothing there', async () => {
    const tenant = await buildOrganization()
    const email = createEmail('operator')
    const cookie = await signInMember(email)
    const read = () => getOwnClient(cookie).get(`/v1/organizations/${tenant.organization}`)
    expect((await read()).status).to.equal(403)
    await setSuperAdmin(await getOperator(), email, true)
    expect((await read()).body['id']).to.equal(tenant.organization)
    const changed = await getOwnClient(cookie).patch(`/v1/organizations/${tenant.organization}`, { name: 'Mine' })
    expect(codeOf(changed)).to.deep.equal([403, 'AUTH_MISSING_ORG_ID'])
  })
})
