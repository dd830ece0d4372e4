import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { client } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { newApplication, newKey, newMember, newTenant, operator, signInMember, unique } from '../identity/people.ts'
import { newShop, verdict, type Shop } from '../passports/fixtures.ts'
import { expectReplay, replayed, stateOf, withKey } from './keys.ts'

/** A browser with this session, on our own pages. */
const clientOf = (cookie: string) => {
  const plain = client({ cookie })
  const origin = new URL(platform.api).origin
  const post = (path: string, body: unknown, key: string) => plain.post(path, body, withKey(key, { origin }))
  return { ...plain, post, patch: (path: string, body: unknown, key: string) => plain.patch(path, body, withKey(key, { origin })) }
}

describe('An idempotency key of one caller', function () {
  this.timeout(120_000)
  let shop: Shop
  before(async () => {
    shop = await newShop()
  })

  const applicationsOf = async (name: string) =>
    Number((await (await operator()).db('applications').where({ name }).count({ n: '*' }))[0]?.['n'])

  it('says nothing to another key of the same organization', async () => {
    const other = client((await newKey(shop.organization, { application: ['create', 'read'] })).key)
    const [key, name] = [randomUUID(), unique('Callers')]
    const mine = await shop.api.post('/v1/applications', { name }, withKey(key))
    const theirs = await other.post('/v1/applications', { name }, withKey(key))
    expect([mine.status, theirs.status, replayed(theirs)]).to.deep.equal([201, 201, false])
    expect(theirs.body.id).not.to.equal(mine.body.id)
    expect(await applicationsOf(name)).to.equal(2)
    expect(verdict(await other.post('/v1/applications', { name: unique('Else') }, withKey(key)))).to.equal('422 IDEMPOTENCY_KEY_REUSED')
    expectReplay(mine, await shop.api.post('/v1/applications', { name }, withKey(key)), 201)
  })

  it('says nothing to another member, and the same to the same member in another session', async () => {
    const people = [await newMember(shop.organization, 'owner'), await newMember(shop.organization, 'owner')]
    const sessions = []
    for (const person of [people[0], people[0], people[1]]) sessions.push(clientOf(await signInMember(String(person), shop.organization)))
    const [key, name] = [randomUUID(), unique('Members')]
    const answers = []
    for (const session of sessions) answers.push(await session.post('/v1/applications', { name }, key))
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201])
    expect(answers.map(replayed)).to.deep.equal([false, true, false])
    expect(await applicationsOf(name)).to.equal(2)
  })

  it('never answers for the end of another session: sign-out ends each', async () => {
    const person = await newMember(shop.organization, 'owner')
    const key = randomUUID()
    for (const round of ['first', 'second']) {
      const session = clientOf(await signInMember(person, shop.organization))
      const gone = await session.post('/v1/auth/sign-out', undefined, key)
      expect([gone.status, replayed(gone)], round).to.deep.equal([204, false])
      expect(gone.headers['set-cookie'], round).to.contain('tessera.session=;')
      expect((await session.get('/v1/auth/session')).status, round).to.equal(401)
    }
    expect(await stateOf(key)).to.equal(undefined)
  })

  it('never keeps a member from choosing an organization again', async () => {
    const second = await newTenant()
    const person = await newMember(shop.organization, 'owner')
    const { db } = await operator()
    const user = await db('users').where({ email: person }).first<{ id: string }>('id')
    await db('members').insert({
      id: randomUUID(), organization_id: second.organization, user_id: user.id, role: 'viewer', created_at: new Date(),
    })
    const session = clientOf(await signInMember(person, shop.organization))
    const choose = async (organizationId: string) => {
      const chosen = await session.post('/v1/auth/organization/set-active', { organizationId }, `choose ${organizationId}`)
      expect([chosen.status, replayed(chosen)]).to.deep.equal([200, false])
      const { body } = await session.get('/v1/auth/session')
      return body['organization']?.['id']
    }
    const wanted = [shop.organization, second.organization, shop.organization, second.organization]
    const found: unknown[] = []
    for (const organization of wanted) found.push(await choose(organization))
    expect(found).to.deep.equal(wanted)
  })

  it('is forgotten after its window, and kept while its request runs', async () => {
    const [key, name] = [randomUUID(), unique('Window')]
    const send = (window: string) => shop.api.post('/v1/applications', { name }, withKey(key, { 'idempotency-window': window }))
    for (const window of ['0', '-1', '1.5', 'soon', '2592001', '']) {
      expect(verdict(await send(window)), window).to.equal('400 INVALID_REQUEST')
    }
    const first = await send('3600')
    expectReplay(first, await send('3600'), 201)
    const { db } = await operator()
    const { rows: [row] } = await db.raw<{ rows: { seconds: number }[] }>(
      'select extract(epoch from expires_at - created_at)::int as seconds from idempotency where key = ?', [key])
    expect(row?.seconds).to.equal(3600)
    await db('idempotency').where({ key }).update({ expires_at: new Date(0), state: 'running', lease_until: db.raw(`now() + interval '1 minute'`) })
    expect(verdict(await send('3600'))).to.equal('409 IDEMPOTENCY_IN_PROGRESS')
    await db('idempotency').where({ key }).update({ expires_at: new Date(0), state: 'done' })
    const later = await send('1')
    expect([later.status, replayed(later), await applicationsOf(name)]).to.deep.equal([201, false, 2])
  })

  it('is of no account for a member without an organization, whose writes are refused', async () => {
    const application = await newApplication(shop.organization)
    const homeless = clientOf(await signInMember(await newMember(shop.organization, 'owner')))
    const key = randomUUID()
    const answer = await homeless.patch(`/v1/applications/${application}`, { name: unique('No') }, key)
    expect(verdict(answer)).to.equal('403 AUTH_MISSING_ORG_ID')
    expect(await stateOf(key)).to.equal(undefined)
  })
})
