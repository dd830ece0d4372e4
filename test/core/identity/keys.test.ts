import { setTimeout as sleep } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { revokeKey } from '../../../core/features/identity/index.ts'
import { client, type Answer } from '../../support/client.ts'
import { newKey, newMember, newTenant, operator, own, signInMember, type Tenant } from './people.ts'
import { eventually } from '../../support/processes.ts'

const applications = (headers: Record<string, string>): Promise<Answer> => client().get('/v1/applications', { headers })
const refused = ({ status, body }: Answer) => {
  expect([status, body?.['code']]).to.deep.equal([401, 'AUTH_INVALID_API_KEY'])
}

describe('API keys', () => {
  let tenant: Tenant
  before(async () => { tenant = await newTenant() })

  it('are taken as X-Api-Key, as Bearer in any case of the scheme, and in both at once', async () => {
    for (const headers of [
      { 'x-api-key': tenant.key }, { authorization: `Bearer ${tenant.key}` }, { authorization: `bEARER   ${tenant.key}` },
      { 'x-api-key': tenant.key, authorization: `Bearer ${tenant.key}` },
    ]) expect((await applications(headers)).status, JSON.stringify(headers)).to.equal(200)
  })

  it('are refused when a request carries two different ones, even both valid', async () => {
    const { key: other } = await newKey(tenant.organization, { application: ['read'] })
    refused(await applications({ 'x-api-key': tenant.key, authorization: `Bearer ${other}` }))
    refused(await applications({ 'x-api-key': `${tenant.key}, ${other}` }))
  })

  it('are refused when unknown, truncated, of another case, empty or without their scheme, also on public routes', async () => {
    const { key } = tenant
    const wrong: Record<string, string>[] = [
      { 'x-api-key': key.slice(0, -1) }, { 'x-api-key': `${key}a` }, { 'x-api-key': key.toUpperCase() }, { 'x-api-key': '' },
      { 'x-api-key': 'anything' }, { authorization: `Bearer tsr_test_${'x'.repeat(40)}` }, { authorization: key },
    ]
    for (const headers of wrong) {
      refused(await applications(headers))
      refused(await client().get(`/v1/applications/${tenant.application}`, { headers }))
    }
  })

  it('carry WWW-Authenticate with their refusal', async () => {
    const { headers } = await applications({ 'x-api-key': 'tsr_test_wrong' })
    expect(headers['www-authenticate']).to.match(/^Bearer/)
  })

  it('decide alone, even beside the session of an owner, and even beside a stale one', async () => {
    const { key } = await newKey(tenant.organization, { dpp: ['read'] })
    const cookie = await signInMember(tenant.owner, tenant.organization)
    const { status, body } = await applications({ cookie, 'x-api-key': key })
    expect([status, body['code']]).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
    expect(body['permission']).to.deep.equal({ resource: 'application', action: 'read' })
    refused(await applications({ cookie, 'x-api-key': 'tsr_test_wrong' }))
    expect((await applications({ 'x-api-key': tenant.key, authorization: 'Bearer stale' })).status).to.equal(200)
  })

  it('let a viewer create where the viewer\'s role alone would not', async () => {
    const viewer = await newMember(tenant.organization, 'viewer')
    const cookie = await signInMember(viewer, tenant.organization)
    const { key } = await newKey(tenant.organization, { dpp: ['create'] })
    const sheet = { application: tenant.application, name: 'Bag', productFields: [], passportsFields: [], certifiedPaths: [], fields: {} }
    const send = (headers: Record<string, string>) => client().post('/v1/dpp/products', sheet, { headers })
    const alone = await own(cookie).post('/v1/dpp/products', sheet)
    expect([alone.status, alone.body['permission']]).to.deep.equal([403, { resource: 'dpp', action: 'create' }])
    expect((await send({ cookie, 'x-api-key': key })).status).to.equal(201)
  })

  it('end at their instant, also for a process that has just taken them', async () => {
    const { key } = await newKey(tenant.organization, { application: ['read'] }, new Date(Date.now() + 3_000))
    expect((await applications({ 'x-api-key': key })).status).to.equal(200)
    await sleep(3_000)
    refused(await applications({ 'x-api-key': key }))
  })

  it('end at once in running processes when they are revoked', async () => {
    const { id, key } = await newKey(tenant.organization, { application: ['read'] })
    expect((await applications({ 'x-api-key': key })).status).to.equal(200)
    await revokeKey(await operator(), id)
    // In less than the five seconds after which a process looks a key up again.
    await eventually('the process hears of it', async () => (await applications({ 'x-api-key': key })).status === 401, 4_000)
    refused(await applications({ 'x-api-key': key }))
  })

  it('end within five seconds where no notice arrives, and not before they are looked up again', async () => {
    const { db } = await operator()
    const { id, key } = await newKey(tenant.organization, { application: ['read'] })
    expect((await applications({ 'x-api-key': key })).status).to.equal(200)
    await db.transaction(async (trx) => {
      await trx.raw('alter table api_keys disable trigger tell_key_change')
      await trx('api_keys').where({ id }).update({ enabled: false })
      await trx.raw('alter table api_keys enable trigger tell_key_change')
    })
    expect((await applications({ 'x-api-key': key })).status).to.equal(200)
    await sleep(5_000)
    refused(await applications({ 'x-api-key': key }))
  })

  it('are kept as SHA-256 with their last four characters, in the documented form', async () => {
    const { db } = await operator()
    const { id, key } = await newKey(tenant.organization, { application: ['read'] })
    expect(key).to.match(/^tsr_(live|test)_[A-Za-z0-9]{40}$/)
    const row = await db('api_keys').where({ id }).first('*') as Record<string, unknown>
    expect(row['key']).to.equal(createHash('sha256').update(key).digest('base64url'))
    expect(JSON.stringify(row)).not.to.contain(key.slice(-12))
    expect(JSON.parse(row['metadata'] as string)).to.deep.equal({ lastFour: key.slice(-4) })
  })

  it('do no more than their own map says', async () => {
    const { key } = await newKey(tenant.organization, { application: ['read'] })
    expect((await client(key).get('/v1/applications')).status).to.equal(200)
    expect((await client(key).post('/v1/applications', { name: 'More' })).status).to.equal(403)
    const { key: none } = await newKey(tenant.organization, {})
    expect((await client(none).get('/v1/applications')).status).to.equal(403)
  })

  it('have no session, so the session routes refuse them', async () => {
    for (const answer of [await client(tenant.key).get('/v1/auth/session'), await client(tenant.key).post('/v1/auth/sign-out'),
      await client(tenant.key).post('/v1/auth/organization/set-active', { organizationId: tenant.organization })]) {
      expect([answer.status, answer.body['code']]).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
    }
  })
})

describe('Authorization', () => {
  it('without content or of another scheme carries no credential for us', async () => {
    const { application } = await newTenant()
    for (const authorization of ['', ' ', 'Basic dGVzdDp0ZXN0', 'Digest username="a"']) {
      expect((await client().get(`/v1/applications/${application}`, { headers: { authorization } })).status, authorization).to.equal(200)
      const { status, body } = await applications({ authorization })
      expect([status, body['code']], authorization).to.deep.equal([401, 'AUTH_UNAUTHENTICATED'])
    }
  })

  it('as Bearer without a well-formed or living token is refused, also on public routes', async () => {
    const { application } = await newTenant()
    for (const authorization of ['Bearer', 'Bearer ', 'Bearer two words', 'Bearer a, Bearer b', 'Bearer ä', `Bearer ${'x'.repeat(32)}`]) {
      const { status, body } = await client().get(`/v1/applications/${application}`, { headers: { authorization } })
      expect([status, body['code']], authorization).to.deep.equal([401, 'AUTH_UNAUTHENTICATED'])
    }
  })
})
