import { setTimeout as sleep } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { createApiKey, revokeApiKey } from '../../../../core/features/identity/index.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { getOperator, getOwnClient, signInMember } from '../people.ts'
import { disableApiKeySilently, readKeyExpiry, readStoredApiKey } from '../../../support/rows/identity/api-keys.ts'
import { buildKey, buildMember, buildOrganization, type Tenant } from '../../../support/world.ts'
import { waitUntil } from '../../../support/processes.ts'

const applications = (headers: Record<string, string>): Promise<Answer> =>
  createApiClient().get('/v1/applications', { headers })
const refused = ({ status, body }: Answer) => {
  expect([status, body?.['code']]).to.deep.equal([401, 'AUTH_INVALID_API_KEY'])
}

describe('API keys', () => {
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  it('are taken as X-Api-Key, as Bearer in any case of the scheme, and in both at once', async () => {
    for (const headers of [
      { 'x-api-key': tenant.key },
      { authorization: `Bearer ${tenant.key}` },
      { authorization: `bEARER   ${tenant.key}` },
      { 'x-api-key': tenant.key, authorization: `Bearer ${tenant.key}` },
    ])
      expect((await applications(headers)).status, JSON.stringify(headers)).to.equal(200)
  })

  it('are refused when a request carries two different ones, even both valid', async () => {
    const { key: other } = await buildKey(tenant.organization, { application: ['read'] })
    refused(await applications({ 'x-api-key': tenant.key, authorization: `Bearer ${other}` }))
    refused(await applications({ 'x-api-key': `${tenant.key}, ${other}` }))
  })

  it('are refused when unknown, truncated, of another case, empty or without their scheme, also on public routes', async () => {
    const { key } = tenant
    const wrong: Record<string, string>[] = [
      { 'x-api-key': key.slice(0, -1) },
      { 'x-api-key': `${key}a` },
      { 'x-api-key': key.toUpperCase() },
      { 'x-api-key': '' },
      { 'x-api-key': 'anything' },
      { authorization: `Bearer tsr_test_${'x'.repeat(40)}` },
      { authorization: key },
    ]
    for (const headers of wrong) {
      refused(await applications(headers))
      refused(await createApiClient().get(`/v1/applications/${tenant.application}`, { headers }))
    }
  })

  it('carry WWW-Authenticate with their refusal', async () => {
    const { headers } = await applications({ 'x-api-key': 'tsr_test_wrong' })
    expect(headers['www-authenticate']).to.match(/^Bearer/)
  })

  it('decide alone, even beside the session of an owner, and even beside a stale one', async () => {
    const { key } = await buildKey(tenant.organization, { dpp: ['read'] })
    const cookie = await signInMember(tenant.owner, tenant.organization)
    const { status, body } = await applications({ cookie, 'x-api-key': key })
    expect([status, body['code']]).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
    expect(body['permission']).to.deep.equal({ resource: 'application', action: 'read' })
    refused(await applications({ cookie, 'x-api-key': 'tsr_test_wrong' }))
    expect((await applications({ 'x-api-key': tenant.key, authorization: 'Bearer stale' })).status).to.equal(200)
  })

  it("let a viewer create where the viewer's role alone would not", async () => {
    const viewer = await buildMember(tenant.organization, 'viewer')
    const cookie = await signInMember(viewer, tenant.organization)
    const { key } = await buildKey(tenant.organization, { dpp: ['create'] })
    const sheet = {
      application: tenant.application,
      name: 'Bag',
      productFields: [],
      passportsFields: [],
      certifiedPaths: [],
      fields: {},
    }
    const send = (headers: Record<string, string>) => createApiClient().post('/v1/dpp/products', sheet, { headers })
    const alone = await getOwnClient(cookie).post('/v1/dpp/products', sheet)
    expect([alone.status, alone.body['permission']]).to.deep.equal([403, { resource: 'dpp', action: 'create' }])
    expect((await send({ cookie, 'x-api-key': key })).status).to.equal(201)
  })

  it('end at their instant, also for a process that has just taken them', async () => {
    const { key } = await buildKey(
      tenant.organization,
      { application: ['read'] },
      { expiresAt: new Date(Date.now() + 3_000) },
    )
    expect((await applications({ 'x-api-key': key })).status).to.equal(200)
    await sleep(3_000)
    refused(await applications({ 'x-api-key': key }))
  })

  it('have their instant to the millisecond from the moment they are created', async () => {
    for (let at = 0; at < 20; at++) {
      const expiresAt = new Date(Date.now() + 3_600_000 + 7 * at)
      const key = await buildKey(tenant.organization, {}, { expiresAt })
      expect(await readKeyExpiry(await getOperator(), key.id)).to.deep.equal(expiresAt)
    }
  })

  it('are refused without a name that fits in one line, and with an end that has passed', async () => {
    const { organization } = tenant
    const context = await getOperator()
    const wrong: [object, string][] = [
      [{ name: '' }, 'name length'],
      [{ name: 'n'.repeat(101) }, 'name length'],
      [{ name: 'two\nlines' }, 'name format'],
      [{ expiresAt: new Date(Date.now() - 1) }, 'expiresAt past'],
    ]
    for (const [values, fault] of wrong) {
      const found = await createApiKey(context, { organization, name: 'k', permissions: {}, ...values }).then(
        () => 'none',
        ({ errors }: ProblemError) => errors?.map(({ path, code }) => `${path} ${code}`).join(),
      )
      expect(found).to.equal(fault)
    }
  })

  it('end at once, in a process that has not heard of them', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, key } = await buildKey(tenant.organization, { application: ['read'] })
      await revokeApiKey(await getOperator(), id)
      refused(await applications({ 'x-api-key': key }))
    }
  })

  it('end at once in running processes when they are revoked', async () => {
    const { id, key } = await buildKey(tenant.organization, { application: ['read'] })
    expect((await applications({ 'x-api-key': key })).status).to.equal(200)
    await revokeApiKey(await getOperator(), id)
    // In less than the five seconds after which a process looks a key up again.
    await waitUntil(
      'the process hears of it',
      async () => (await applications({ 'x-api-key': key })).status === 401,
      4_000,
    )
    refused(await applications({ 'x-api-key': key }))
  })

  it('end within five seconds where no notice arrives, and not before they are looked up again', async () => {
    const { db } = await getOperator()
    const { id, key } = await buildKey(tenant.organization, { application: ['read'] })
    expect((await applications({ 'x-api-key': key })).status).to.equal(200)
    await disableApiKeySilently(db, id)
    expect((await applications({ 'x-api-key': key })).status).to.equal(200)
    await sleep(5_000)
    refused(await applications({ 'x-api-key': key }))
  })

  it('are kept as SHA-256 with their last four characters, in the documented form', async () => {
    const { db } = await getOperator()
    const { id, key } = await buildKey(tenant.organization, { application: ['read'] })
    expect(key).to.match(/^tsr_test_[A-Za-z0-9]{40}$/)
    const row = await readStoredApiKey(db, id)
    expect(row.key).to.equal(createHash('sha256').update(key).digest('base64url'))
    expect(JSON.stringify(row)).not.to.contain(key.slice(-12))
    expect(row, 'no beginning of the key, and no limit of the library').to.include({
      start: null,
      rate_limit_enabled: false,
    })
    expect(JSON.parse(row.metadata)).to.deep.equal({ lastFour: key.slice(-4) })
  })

  it('do no more than their own map says', async () => {
    const { key } = await buildKey(tenant.organization, { application: ['read'] })
    expect((await createApiClient(key).get('/v1/applications')).status).to.equal(200)
    expect((await createApiClient(key).post('/v1/applications', { name: 'More' })).status).to.equal(403)
    const { key: none } = await buildKey(tenant.organization, {})
    expect((await createApiClient(none).get('/v1/applications')).status).to.equal(403)
  })

  it('have no session, so the session routes refuse them', async () => {
    for (const answer of [
      await createApiClient(tenant.key).get('/v1/auth/session'),
      await createApiClient(tenant.key).post('/v1/auth/sign-out'),
      await createApiClient(tenant.key).post('/v1/auth/organization/set-active', {
        organizationId: tenant.organization,
      }),
    ]) {
      expect([answer.status, answer.body['code']]).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
    }
  })
})

describe('Authorization header: credentials', () => {
  it('are none without content or with another scheme', async () => {
    const { application } = await buildOrganization()
    for (const authorization of ['', ' ', 'Basic dGVzdDp0ZXN0', 'Digest username="a"']) {
      expect(
        (await createApiClient().get(`/v1/applications/${application}`, { headers: { authorization } })).status,
        authorization,
      ).to.equal(200)
      const { status, body } = await applications({ authorization })
      expect([status, body['code']], authorization).to.deep.equal([401, 'AUTH_UNAUTHENTICATED'])
    }
  })

  it('are refused as Bearer without a well-formed, valid token, also on public routes', async () => {
    const { application } = await buildOrganization()
    for (const authorization of [
      'Bearer',
      'Bearer ',
      'Bearer two words',
      'Bearer a, Bearer b',
      'Bearer ä',
      `Bearer ${'x'.repeat(32)}`,
    ]) {
      const { status, body } = await createApiClient().get(`/v1/applications/${application}`, {
        headers: { authorization },
      })
      expect([status, body['code']], authorization).to.deep.equal([401, 'AUTH_UNAUTHENTICATED'])
    }
  })
})
