import { expect } from 'chai'
import { createOrganization } from '../../../../core/features/identity/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { buildMember, buildOrganization, type Tenant } from '../../../support/world.ts'
import {
  codeOf,
  createEmail,
  createUniqueName,
  getCookies,
  getOperator,
  getOwnClient,
  listMessagesTo,
  signInMember,
} from '../people.ts'

const setActive = '/v1/auth/organization/set-active'

describe('POST /v1/auth/organization/set-active: the choice', () => {
  let first: Tenant
  let second: { id: string; slug: string }
  let cookie: string
  before(async () => {
    first = await buildOrganization()
    second = await createOrganization(await getOperator(), { name: createUniqueName('Second'), owner: first.owner })
    cookie = await signInMember(first.owner)
  })
  const choose = (body: object) => getOwnClient(cookie).post(setActive, body)

  it('is an identifier in any case, a slug, or both of one organization', async () => {
    for (const body of [
      { organizationId: second.id.toUpperCase() },
      { organizationSlug: second.slug },
      { organizationId: second.id, organizationSlug: second.slug },
    ]) {
      const { status, body: chosen, headers } = await choose(body)
      expect([status, chosen['id'], headers['cache-control']]).to.deep.equal([200, second.id, 'no-store'])
    }
    const session = await getOwnClient(cookie).get('/v1/auth/session')
    expect(session.body['organization']?.['id']).to.equal(second.id)
    expect(session.body['user'], 'without a name').to.include({ name: null, email: first.owner })
    expect(session.headers['cache-control']).to.equal('no-store')
  })

  it('is none where the two name different organizations', async () => {
    const answer = await choose({ organizationId: first.organization, organizationSlug: second.slug })
    expect(codeOf(answer)).to.deep.equal([404, 'NOT_FOUND'])
  })

  it('is missing where neither is given', async () => {
    const answer = await choose({})
    expect(codeOf(answer)).to.deep.equal([400, 'INVALID_REQUEST'])
    expect(answer.body['errors']?.[0]).to.include({ path: 'organizationId', code: 'required' })
  })
})

describe('POST /v1/auth/sign-out: the cookie', () => {
  it('is taken back by the kind of the session, also when that has ended', async () => {
    const { organization } = await buildOrganization()
    const member = await signInMember(await buildMember(organization, 'viewer'), organization)
    for (let round = 0; round < 2; round++) {
      const out = await getOwnClient(member).post('/v1/auth/sign-out')
      expect([out.status, getCookies(out)[0], out.headers['cache-control']]).to.deep.equal([
        204,
        'tessera.session=',
        'no-store',
      ])
      expect((await getOwnClient(member).get('/v1/auth/session')).status).to.equal(401)
    }
    const stale = await getOwnClient(`tessera.user=${'x'.repeat(32)}`).post('/v1/auth/sign-out')
    expect(getCookies(stale)[0]).to.equal('tessera.user=')
  })
})

describe('Sign-in by code: answers', () => {
  it('are kept by no cache', async () => {
    const email = createEmail()
    const sent = await createApiClient().post('/v1/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })
    expect([sent.status, sent.headers['cache-control']]).to.deep.equal([204, 'no-store'])
    const [message] = await listMessagesTo(email)
    expect(message?.subject, 'what it is a code for').to.match(/ Tessera$/)
  })

  it('name the method that is not enabled', async () => {
    const { application } = await buildOrganization()
    const phone = { type: 'phone-otp', phoneCallingCode: '39', phone: '3331234567' }
    const answer = await createApiClient().post('/v1/auth/send-otp', { application, ...phone })
    expect(answer.body['errors']?.[0]).to.include({ path: 'type', code: 'not_enabled' })
  })
})
