import { expect } from 'chai'
import { createOrganization, createSessionCookie } from '../../../../core/features/identity/index.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import {
  codeOf,
  readCodeFor,
  getCookies,
  createEmail,
  createUniqueName,
  getOperator,
  getOwnClient,
  signInBuyer,
  signInMember,
} from '../people.ts'
import { deleteApplication } from '../../../support/rows/applications/deleted-applications.ts'
import { changeRole, removeMember } from '../../../support/rows/identity/ended-access.ts'
import { activateOrganization, expireSession } from '../../../support/rows/identity/sessions.ts'
import { buildKey, buildMember, buildOrganization, type Tenant } from '../../../support/world.ts'

const token = ({ body }: Answer) => String(body['token'])
const unauthenticated = [401, 'AUTH_UNAUTHENTICATED']

describe('Sessions of buyers', () => {
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  it('come as a cookie that scripts and other sites cannot use, and as a Bearer token', async () => {
    const answer = await signInBuyer(tenant.application)
    const [pair, ...flags] = getCookies(answer)
    expect(pair).to.equal(`tessera.user=${token(answer)}`)
    expect(flags).to.include.members(['Path=/', 'HttpOnly', 'SameSite=Lax'])
    expect(flags).not.to.include('Secure')
    const life = Date.parse(String(answer.body['expiresAt'])) - Date.now()
    expect(life / 86_400_000).to.be.within(29.9, 30)
    const seconds = Number(flags.find((flag) => flag.startsWith('Max-Age='))?.slice(8))
    expect(seconds / 86_400, 'the cookie ends with the session').to.be.within(29.9, 30)
    for (const credential of [{ cookie: `other=1; ${pair}` }, { bearer: token(answer) }]) {
      expect((await createApiClient(credential).get('/v1/auth/session')).status).to.equal(200)
    }
  })

  it('come over https in a cookie that goes back over https only', async () => {
    const context = await getOperator()
    const at = (baseUrl: string) =>
      createSessionCookie(
        { ...context, settings: { ...context.settings, baseUrl } },
        'endUser',
        'x',
        '2099-01-01T00:00:00.000Z',
      )
    expect(at('https://tessera.example').split('; ')).to.include.members(['Secure', 'HttpOnly', 'SameSite=Lax'])
    expect(at('http://127.0.0.1:3333').split('; ')).not.to.include('Secure')
  })

  it('end with sign-out, which takes the cookie back and may be repeated', async () => {
    const answer = await signInBuyer(tenant.application)
    const cookie = `tessera.user=${token(answer)}`
    const out = await getOwnClient(cookie).post('/v1/auth/sign-out')
    expect([out.status, out.text, getCookies(out).slice(0, 3)]).to.deep.equal([
      204,
      '',
      ['tessera.user=', 'Path=/', 'Max-Age=0'],
    ])
    expect((await getOwnClient(cookie).post('/v1/auth/sign-out')).status).to.equal(204)
    expect(codeOf(await createApiClient({ cookie }).get('/v1/auth/session'))).to.deep.equal(unauthenticated)
    expect(codeOf(await createApiClient({ bearer: token(answer) }).get('/v1/auth/session'))).to.deep.equal(
      unauthenticated,
    )
  })

  it('count as nobody when a stale cookie asks, and are refused when a stale Bearer token asks', async () => {
    const answer = await signInBuyer(tenant.application)
    await expireSession((await getOperator()).db, token(answer))
    const path = `/v1/applications/${tenant.application}`
    expect((await createApiClient({ cookie: `tessera.user=${token(answer)}` }).get(path)).status).to.equal(200)
    expect(codeOf(await createApiClient({ bearer: token(answer) }).get(path))).to.deep.equal(unauthenticated)
  })

  it("do nothing in the cookie of members, nor members' in theirs", async () => {
    const buyer = token(await signInBuyer(tenant.application))
    const member = (await signInMember(tenant.owner, tenant.organization)).split('=')[1]
    for (const cookie of [`tessera.session=${buyer}`, `tessera.user=${member}`]) {
      expect(codeOf(await createApiClient({ cookie }).get('/v1/auth/session'))).to.deep.equal(unauthenticated)
    }
  })

  it('open no route of the organization, whoever the person is', async () => {
    const answer = await signInBuyer(tenant.application, tenant.owner)
    expect(answer.status).to.equal(200)
    for (const credential of [{ bearer: token(answer) }, { cookie: `tessera.user=${token(answer)}` }]) {
      const { status, body } = await createApiClient(credential).get('/v1/applications')
      expect([status, body['code'], body['permission']]).to.deep.equal([
        403,
        'AUTH_INSUFFICIENT_PERMISSIONS',
        { resource: 'application', action: 'read' },
      ])
    }
    const active = await createApiClient({ bearer: token(answer) }).post('/v1/auth/organization/set-active', {
      organizationId: tenant.organization,
    })
    expect(codeOf(active)).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
  })

  it('cannot be given an organization, not even by the database', async () => {
    const answer = await signInBuyer(tenant.application)
    const { db } = await getOperator()
    const change = activateOrganization(db, { token: token(answer), organization: tenant.organization })
    expect(
      await change.then(
        () => 'taken',
        (error: { code: string }) => error.code,
      ),
    ).to.equal('23514')
  })

  it('end with their application', async () => {
    const other = await buildOrganization()
    const answer = await signInBuyer(other.application)
    await deleteApplication((await getOperator()).db, other.application)
    expect(codeOf(await createApiClient({ bearer: token(answer) }).get('/v1/auth/session'))).to.deep.equal(
      unauthenticated,
    )
  })
})

describe('Sessions of members', () => {
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  it("last seven days and know the member's organizations, none of them active", async () => {
    await createApiClient().post('/v1/auth/email-otp/send-verification-otp', { email: tenant.owner, type: 'sign-in' })
    const answer = await createApiClient().post('/v1/auth/sign-in/email-otp', {
      email: tenant.owner,
      otp: await readCodeFor(tenant.owner),
    })
    expect(answer.status).to.equal(200)
    const [pair, ...flags] = getCookies(answer)
    expect(pair).to.equal(`tessera.session=${token(answer)}`)
    expect(flags).to.include.members(['Path=/', 'HttpOnly', 'SameSite=Lax'])
    expect((Date.parse(String(answer.body['expiresAt'])) - Date.now()) / 86_400_000).to.be.within(6.9, 7)
    expect(answer.body['user'], 'who is only now known to have this address').to.include({ email: tenant.owner })
    expect(answer.body['organizations']).to.have.length(1)
    expect(answer.body['organizations']?.[0]).to.include({ id: tenant.organization, role: 'owner' })
    expect(codeOf(await createApiClient({ bearer: token(answer) }).get('/v1/applications'))).to.deep.equal([
      403,
      'AUTH_MISSING_ORG_ID',
    ])
    const session = await createApiClient({ bearer: token(answer) }).get('/v1/auth/session')
    expect(session.body).to.deep.equal({
      user: answer.body['user'],
      account: null,
      application: null,
      organization: null,
    })
  })

  it('list the organizations by name, whichever was first', async () => {
    const context = await getOperator()
    const owner = createEmail('owner')
    for (const letter of ['C', 'A', 'B'])
      await createOrganization(context, { name: `${letter} ${createUniqueName('Org')}`, owner })
    await createApiClient().post('/v1/auth/email-otp/send-verification-otp', { email: owner, type: 'sign-in' })
    const otp = await readCodeFor(owner)
    const { body } = await createApiClient().post('/v1/auth/sign-in/email-otp', { email: owner, otp })
    const names = (body['organizations'] as unknown as { name: string }[]).map(({ name }) => name[0])
    expect(names).to.deep.equal(['A', 'B', 'C'])
  })

  it('act for the organization that set-active chose, by id or slug', async () => {
    const cookie = await signInMember(tenant.owner)
    const choose = (body: object) => getOwnClient(cookie).post('/v1/auth/organization/set-active', body)
    const byId = await choose({ organizationId: tenant.organization })
    const bySlug = await choose({ organizationSlug: byId.body['slug'] })
    for (const { status, body: chosen } of [byId, bySlug])
      expect([status, chosen['id'], chosen['role']]).to.deep.equal([200, tenant.organization, 'owner'])
    expect((await getOwnClient(cookie).get('/v1/applications')).status).to.equal(200)
    expect((await getOwnClient(cookie).get('/v1/auth/session')).body['organization']?.['id']).to.equal(
      tenant.organization,
    )
  })

  it('cannot choose an organization that they are not in, and stay where they were', async () => {
    const foreign = await buildOrganization()
    const cookie = await signInMember(tenant.owner, tenant.organization)
    const absent = '01a1f94a-0000-7000-8000-000000000000'
    const bodies: string[] = []
    for (const organizationId of [foreign.organization, absent]) {
      const answer = await getOwnClient(cookie).post('/v1/auth/organization/set-active', { organizationId })
      expect(codeOf(answer)).to.deep.equal([404, 'NOT_FOUND'])
      bodies.push(JSON.stringify({ ...answer.body, requestId: '' }))
    }
    expect(bodies[0]).to.equal(bodies[1])
    expect((await getOwnClient(cookie).get('/v1/applications')).status).to.equal(200)
    expect((await getOwnClient(cookie).post('/v1/auth/organization/set-active', {})).status).to.equal(400)
    expect(
      (await getOwnClient(cookie).post('/v1/auth/organization/set-active', { organizationId: 'x' })).status,
    ).to.equal(422)
  })

  it('follow a change of role, and the loss of membership, from the next request', async () => {
    const editor = await buildMember(tenant.organization, 'editor')
    const cookie = await signInMember(editor, tenant.organization)
    const rename = () => getOwnClient(cookie).patch(`/v1/applications/${tenant.application}`, { name: 'Renamed' })
    expect((await rename()).status).to.equal(200)
    const { db } = await getOperator()
    await changeRole(db, editor, 'viewer')
    expect(codeOf(await rename())).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
    expect((await getOwnClient(cookie).get('/v1/applications')).status).to.equal(200)
    await removeMember(db, editor)
    expect(codeOf(await getOwnClient(cookie).get('/v1/applications'))).to.deep.equal([403, 'AUTH_MISSING_ORG_ID'])
  })

  it('write with a cookie only from our own pages', async () => {
    const cookie = await signInMember(tenant.owner, tenant.organization)
    const create = (headers: Record<string, string>) =>
      createApiClient({ cookie }).post('/v1/applications', { name: 'From a page' }, { headers })
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }] as Record<string, string>[]) {
      expect(codeOf(await create(headers))).to.deep.equal([403, 'AUTH_ORIGIN_MISMATCH'])
    }
    expect((await create({ origin: new URL(platform.api).origin })).status).to.equal(201)
    const bearer = cookie.split('=')[1] ?? ''
    expect((await createApiClient({ bearer }).post('/v1/applications', { name: 'From a program' })).status).to.equal(
      201,
    )
  })

  it("go before a buyer's session in the same browser, and a key before both", async () => {
    const member = await signInMember(tenant.owner, tenant.organization)
    const buyer = `tessera.user=${token(await signInBuyer(tenant.application))}`
    const both = `${buyer}; ${member}`
    expect((await createApiClient({ cookie: both }).get('/v1/applications')).status).to.equal(200)
    expect(
      (await createApiClient({ cookie: `${buyer}; tessera.session=stale` }).get('/v1/auth/session')).body['account'],
    ).not.to.equal(null)
    const { key } = await buildKey(tenant.organization, {})
    expect((await createApiClient({ cookie: both, key }).get('/v1/applications')).status).to.equal(403)
  })

  it('are open to whoever holds the code of an address, with no role anywhere', async () => {
    const cookie = await signInMember(createEmail('stranger'))
    expect(codeOf(await getOwnClient(cookie).get('/v1/applications'))).to.deep.equal([403, 'AUTH_MISSING_ORG_ID'])
    expect((await getOwnClient(cookie).get('/v1/auth/session')).status).to.equal(200)
    expect((await getOwnClient(cookie).post('/v1/auth/sign-out')).status).to.equal(204)
    expect((await getOwnClient(cookie).get('/v1/auth/session')).status).to.equal(401)
  })

  it('take only sign-in as the type of a code', async () => {
    const send = (body: object) => createApiClient().post('/v1/auth/email-otp/send-verification-otp', body)
    expect((await send({ email: createEmail(), type: 'forget-password' })).status).to.equal(422)
    expect((await send({ email: createEmail() })).status).to.equal(400)
    expect((await send({ email: 'nobody', type: 'sign-in' })).status).to.equal(422)
  })
})
