import { expect } from 'chai'
import { endSessionsOfUser, readSessionUser, setSuperAdmin } from '../../../../core/features/identity/index.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import { createApiClient, type Answer, type Json } from '../../../support/client.ts'
import { countSessionRows, expireNewestSession } from '../../../support/rows/identity/ended-sessions.ts'
import { buildOrganization, type Tenant } from '../../../support/world.ts'
import { createEmail, getOperator, signInBuyer } from '../people.ts'

const path = '/v1/auth/sessions'
const bearerOf = ({ body }: Answer) => createApiClient({ bearer: String(body['token']) })
const rowsOf = ({ body }: Answer) => body['data'] as unknown as Json[]
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    ({ code }: ProblemError) => code,
  )

describe('Sessions that have ended', () => {
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  it("go with the person's next sign-in, and with nobody else's", async () => {
    const { db } = await getOperator()
    const signInBesideOther = async () => {
      const [email, other] = [createEmail(), createEmail()]
      for (const one of [email, other]) {
        await signInBuyer(tenant.application, one)
        await expireNewestSession(db, one)
      }
      await signInBuyer(tenant.application, email)
      expect(await countSessionRows(db, email)).to.equal(1)
      return countSessionRows(db, other)
    }
    // The upkeep of the platform deletes such rows too, when it starts and once an hour.
    expect([await signInBesideOther(), await signInBesideOther(), await signInBesideOther()]).to.include(1)
  })

  it('are listed no more, and are not ended again', async () => {
    const { db } = await getOperator()
    const email = createEmail()
    const kept = await signInBuyer(tenant.application, email)
    await signInBuyer(tenant.application, email)
    await expireNewestSession(db, email)
    expect(rowsOf(await bearerOf(kept).get(path))).to.have.length(1)
    expect((await bearerOf(kept).delete(path)).body).to.deep.equal({ ended: 0 })
  })

  it('are all those of one person, whom an operator names in any case', async () => {
    const { db } = await getOperator()
    const email = createEmail()
    const mine = [await signInBuyer(tenant.application, email), await signInBuyer(tenant.application, email)]
    const other = await signInBuyer(tenant.application)
    const ended = await endSessionsOfUser(db, email.toUpperCase())
    expect(ended).to.deep.equal({ user: mine[0]?.body['user']?.['id'], ended: 2 })
    for (const one of mine) expect((await bearerOf(one).get('/v1/auth/session')).status).to.equal(401)
    expect((await bearerOf(other).get('/v1/auth/session')).status).to.equal(200)
    expect(await codeOf(endSessionsOfUser(db, createEmail('absent')))).to.equal('NOT_FOUND')
  })
})

describe('Sessions of two buyers', () => {
  it('show each the own account, and the name that the application knows', async () => {
    const { application } = await buildOrganization()
    const [first, second] = [await signInBuyer(application), await signInBuyer(application)]
    for (const opened of [first, second]) {
      const { body } = await bearerOf(opened).get('/v1/auth/session')
      expect([body['account']?.['id'], body['user']?.['id']]).to.deep.equal([
        opened.body['account']?.['id'],
        opened.body['user']?.['id'],
      ])
    }
    const { db } = await getOperator()
    expect(await codeOf(readSessionUser(db, '01a1f94a-0000-7000-8000-000000000000'))).to.equal('AUTH_UNAUTHENTICATED')
  })
})

describe('GET /v1/auth/sessions: order, filters and agent', () => {
  it('sorts and filters by each column that it names, and keeps 300 characters of an agent', async () => {
    const { application } = await buildOrganization()
    const email = createEmail()
    await signInBuyer(application, email)
    await signInBuyer(application, email)
    const api = bearerOf(await signInBuyer(application, email, { 'user-agent': 'a'.repeat(301) }))
    const rows = rowsOf(await api.get(path))
    expect(rows[0]).to.include({ agent: 'a'.repeat(300) })
    for (const field of ['id', 'createdAt', 'lastSeenAt']) {
      const values = rows.map((row) => String(row[field])).sort()
      const listed = async (order: string) =>
        rowsOf(await api.get(`${path}?sorters[0][field]=${field}&sorters[0][order]=${order}`)).map((row) => row[field])
      expect(await listed('asc'), field).to.deep.equal(values)
      expect(await listed('desc'), field).to.deep.equal(values.toReversed())
    }
    for (const field of ['createdAt', 'lastSeenAt']) {
      const [, middle, last] = rows.map((row) => String(row[field])).sort()
      // Rows have microseconds, answers milliseconds.
      const instant = new Date(Date.parse(middle ?? '') + 1).toISOString()
      const after = await api.get(`${path}?filters[${field}][gt]=${instant}`)
      expect(
        rowsOf(after).map((row) => row[field]),
        field,
      ).to.deep.equal([last])
    }
  })
})

describe('Operators of the platform', () => {
  it('are named by an address in any case, which has to be known', async () => {
    const { owner } = await buildOrganization()
    const context = await getOperator()
    for (const superAdmin of [true, false]) {
      const { email, ...made } = await setSuperAdmin(context, owner.toUpperCase(), superAdmin)
      expect([email, made.superAdmin, typeof made.id]).to.deep.equal([owner, superAdmin, 'string'])
    }
    expect(await codeOf(setSuperAdmin(context, createEmail('absent'), true))).to.equal('NOT_FOUND')
  })
})
