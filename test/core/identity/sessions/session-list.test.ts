import { expect } from 'chai'
import { createApiClient, type Answer, type Json } from '../../../support/client.ts'
import {
  codeOf,
  readCodeFor,
  getCookies,
  createEmail,
  getOperator,
  getOwnClient,
  requestCode,
  signInBuyer,
  signInMember,
  verifyOtp,
} from '../people.ts'
import { listTablesWithText } from '../../../support/rows/stored-content.ts'
import {
  ageLastSeen,
  listNewestStoredTokens,
  readLastSeen,
  storePlainToken,
} from '../../../support/rows/identity/sessions.ts'
import { buildApplication, buildOrganization, type Tenant } from '../../../support/world.ts'

const path = '/v1/auth/sessions'
const rowsOf = ({ body }: Answer) => body['data'] as unknown as Json[]
const bearerOf = ({ body }: Answer) => createApiClient({ bearer: String(body['token']) })

describe('GET /v1/auth/sessions', () => {
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  it('lists where a buyer is signed in to the application, with address and agent, and nothing of the token', async () => {
    const email = createEmail()
    const first = await signInBuyer(tenant.application, email, { 'user-agent': 'Phone/1.0' })
    const second = await signInBuyer(tenant.application, email, { 'user-agent': 'Desk/2.0' })
    const elsewhere = await signInBuyer(await buildApplication(tenant.organization), email)
    const member = await signInMember(email)
    const answer = await bearerOf(second).get(path)
    expect(answer.status).to.equal(200)
    expect(answer.body).to.include({ total: 2, currentPage: 1, nextCursor: null })
    expect(rowsOf(answer).map((row) => [row['agent'], row['current']])).to.deep.equal([
      ['Desk/2.0', true],
      ['Phone/1.0', false],
    ])
    for (const row of rowsOf(answer)) {
      expect(row).to.have.all.keys('id', 'createdAt', 'lastSeenAt', 'address', 'agent', 'current')
      expect(row['address']).to.match(/^(127\.0\.0\.1|::1)$/)
    }
    expect(answer.text).not.to.contain(String(first.body['token']))
    expect(rowsOf(await bearerOf(elsewhere).get(path))).to.have.length(1)
    expect(rowsOf(await getOwnClient(member).get(path))).to.have.length(1)
  })

  it('is a list as others are: filters, order, pages', async () => {
    const email = createEmail()
    const answers = [
      await signInBuyer(tenant.application, email),
      await signInBuyer(tenant.application, email),
      await signInBuyer(tenant.application, email),
    ]
    const api = bearerOf(answers[2] as Answer)
    const all = rowsOf(await api.get(path)).map((row) => String(row['id']))
    expect(
      rowsOf(await api.get(`${path}?sorters[0][field]=createdAt&sorters[0][order]=asc`)).map((row) => row['id']),
    ).to.deep.equal([...all].reverse())
    expect(rowsOf(await api.get(`${path}?filters[id][eq]=${all[1]}`)).map((row) => row['id'])).to.deep.equal([all[1]])
    const page = await api.get(`${path}?pageSize=2`)
    expect(
      rowsOf(await api.get(`${path}?pageSize=2&cursor=${page.body['nextCursor']}`)).map((row) => row['id']),
    ).to.deep.equal([all[2]])
    expect(codeOf(await api.get(`${path}?filters[token][eq]=x`))).to.deep.equal([400, 'INVALID_FILTER'])
  })

  it('is for people who are signed in: nobody else, and no key', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect(codeOf(await createApiClient().send(method, path))).to.deep.equal([401, 'AUTH_UNAUTHENTICATED'])
      expect(codeOf(await createApiClient(tenant.key).send(method, path))).to.deep.equal([
        403,
        'AUTH_INSUFFICIENT_PERMISSIONS',
      ])
    }
  })

  it('serves a member without an organization', async () => {
    const cookie = await signInMember(createEmail('nowhere'))
    expect(rowsOf(await getOwnClient(cookie).get(path)).map((row) => row['current'])).to.deep.equal([true])
  })

  it('says when a session was last used, noted at most once a minute', async () => {
    const email = createEmail()
    const api = bearerOf(await signInBuyer(tenant.application, email))
    const { db } = await getOperator()
    const fresh = await readLastSeen(db, email)
    await api.get('/v1/auth/session')
    expect(await readLastSeen(db, email), 'within the minute').to.deep.equal(fresh)
    await ageLastSeen(db, email)
    const late = await readLastSeen(db, email)
    const [row] = rowsOf(await api.get(path))
    expect(Date.parse(String(row?.['lastSeenAt']))).to.be.greaterThan(late.getTime() + 60_000)
  })
})

describe('DELETE /v1/auth/sessions', () => {
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  it('ends one session at once, and its place in the list', async () => {
    const email = createEmail()
    const [lost, kept] = [await signInBuyer(tenant.application, email), await signInBuyer(tenant.application, email)]
    const [, row] = rowsOf(await bearerOf(kept).get(path))
    const answer = await bearerOf(kept).delete(`${path}/${row?.['id']}`)
    expect([answer.status, answer.body['id'], answer.body['current'], answer.headers['set-cookie']]).to.deep.equal([
      200,
      row?.['id'],
      false,
      undefined,
    ])
    expect(codeOf(await bearerOf(lost).get('/v1/auth/session'))).to.deep.equal([401, 'AUTH_UNAUTHENTICATED'])
    expect(rowsOf(await bearerOf(kept).get(path))).to.have.length(1)
    expect(codeOf(await bearerOf(kept).delete(`${path}/${row?.['id']}`))).to.deep.equal([404, 'NOT_FOUND'])
  })

  it('takes the cookie back with the present session', async () => {
    const cookie = await signInMember(tenant.owner, tenant.organization)
    const current = rowsOf(await getOwnClient(cookie).get(path)).find((row) => row['current'])
    const answer = await getOwnClient(cookie).delete(`${path}/${current?.['id']}`)
    expect([answer.status, ...getCookies(answer).slice(0, 3)]).to.deep.equal([
      200,
      'tessera.session=',
      'Path=/',
      'Max-Age=0',
    ])
    expect((await getOwnClient(cookie).get('/v1/auth/session')).status).to.equal(401)
  })

  it('ends all others, and those of the same kind and application only', async () => {
    const email = createEmail()
    const others = [await signInBuyer(tenant.application, email), await signInBuyer(tenant.application, email)]
    const present = await signInBuyer(tenant.application, email)
    const elsewhere = await signInBuyer(await buildApplication(tenant.organization), email)
    const member = await signInMember(email)
    const answer = await bearerOf(present).delete(path)
    expect([answer.status, answer.body]).to.deep.equal([200, { ended: 2 }])
    for (const one of others) expect((await bearerOf(one).get('/v1/auth/session')).status).to.equal(401)
    for (const one of [present, elsewhere]) expect((await bearerOf(one).get('/v1/auth/session')).status).to.equal(200)
    expect((await getOwnClient(member).get('/v1/auth/session')).status).to.equal(200)
    expect((await bearerOf(present).delete(path)).body).to.deep.equal({ ended: 0 })
  })

  it('is taken from our own pages only, where a cookie says who asks', async () => {
    const cookie = await signInMember(tenant.owner, tenant.organization)
    for (const headers of [{}, { origin: 'https://evil.example' }] as Record<string, string>[]) {
      expect(codeOf(await createApiClient({ cookie }).delete(path, { headers }))).to.deep.equal([
        403,
        'AUTH_ORIGIN_MISMATCH',
      ])
    }
  })
})

describe('Sessions in the database', () => {
  it('are no use to who has a copy of the database: no column of any table holds a token that works', async () => {
    const tenant = await buildOrganization()
    const email = createEmail()
    await requestCode(tenant.application, email)
    const token = String((await verifyOtp(tenant.application, email, await readCodeFor(email))).body['token'])
    const { db } = await getOperator()
    expect(await listTablesWithText(db, [token])).to.deep.equal([])
    for (const stored of await listNewestStoredTokens(db, 50)) {
      const credentials = [
        { bearer: stored },
        { cookie: `tessera.user=${stored}` },
        { cookie: `tessera.session=${stored}` },
      ]
      for (const credential of credentials)
        expect((await createApiClient(credential).get('/v1/auth/session')).status).to.equal(401)
    }
  })

  it('refuse a token in plain, whoever writes it', async () => {
    const { db } = await getOperator()
    expect(
      await storePlainToken(db, 'A'.repeat(32)).then(
        () => 'taken',
        (error: { code: string }) => error.code,
      ),
    ).to.equal('23514')
  })
})
