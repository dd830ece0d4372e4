import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { addMember } from '../../../../core/features/identity/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { expireStoredKey, findStoredKey } from '../../../support/rows/http/idempotency-keys.ts'
import { getOperator, signInMember, createUniqueName } from '../../identity/people.ts'
import {
  buildApplication,
  buildKey,
  buildMember,
  buildOrganization,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { countApplications, expectReplay, isReplayed, readKeyState, createKeyHeaders } from './keys.ts'

/** A browser with this session, on our own pages. */
const clientOf = (cookie: string) => {
  const plain = createApiClient({ cookie })
  const origin = new URL(platform.api).origin
  const post = (path: string, body: unknown, key: string) => plain.post(path, body, createKeyHeaders(key, { origin }))
  return {
    ...plain,
    post,
    patch: (path: string, body: unknown, key: string) => plain.patch(path, body, createKeyHeaders(key, { origin })),
  }
}

describe('Idempotency-Key: one caller and others', function () {
  this.timeout(120_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('says nothing to another key of the same organization', async () => {
    const other = createApiClient((await buildKey(shop.organization, { application: ['create', 'read'] })).key)
    const [key, name] = [randomUUID(), createUniqueName('Callers')]
    const mine = await shop.api.post('/v1/applications', { name }, createKeyHeaders(key))
    const theirs = await other.post('/v1/applications', { name }, createKeyHeaders(key))
    expect([mine.status, theirs.status, isReplayed(theirs)]).to.deep.equal([201, 201, false])
    expect(theirs.body.id).not.to.equal(mine.body.id)
    expect(await countApplications(shop.api, name)).to.equal(2)
    expect(
      formatVerdict(await other.post('/v1/applications', { name: createUniqueName('Else') }, createKeyHeaders(key))),
    ).to.equal('422 IDEMPOTENCY_KEY_REUSED')
    expectReplay(mine, await shop.api.post('/v1/applications', { name }, createKeyHeaders(key)), 201)
  })

  it('says nothing to another member, and the same to the same member in another session', async () => {
    const people = [await buildMember(shop.organization, 'owner'), await buildMember(shop.organization, 'owner')]
    const sessions = []
    for (const person of [people[0], people[0], people[1]])
      sessions.push(clientOf(await signInMember(String(person), shop.organization)))
    const [key, name] = [randomUUID(), createUniqueName('Members')]
    const answers = []
    for (const session of sessions) answers.push(await session.post('/v1/applications', { name }, key))
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201])
    expect(answers.map(isReplayed)).to.deep.equal([false, true, false])
    expect(await countApplications(shop.api, name)).to.equal(2)
  })

  it('never answers for the end of another session: sign-out ends each', async () => {
    const person = await buildMember(shop.organization, 'owner')
    const key = randomUUID()
    for (const round of ['first', 'second']) {
      const session = clientOf(await signInMember(person, shop.organization))
      const gone = await session.post('/v1/auth/sign-out', undefined, key)
      expect([gone.status, isReplayed(gone)], round).to.deep.equal([204, false])
      expect(gone.headers['set-cookie'], round).to.contain('tessera.session=;')
      expect((await session.get('/v1/auth/session')).status, round).to.equal(401)
    }
    expect(await readKeyState(key)).to.equal(undefined)
  })

  it('never keeps a member from choosing an organization again', async () => {
    const second = await buildOrganization()
    const person = await buildMember(shop.organization, 'owner')
    await addMember(await getOperator(), second.organization, person, 'viewer')
    const session = clientOf(await signInMember(person, shop.organization))
    const choose = async (organizationId: string) => {
      const chosen = await session.post(
        '/v1/auth/organization/set-active',
        { organizationId },
        `choose ${organizationId}`,
      )
      expect([chosen.status, isReplayed(chosen)]).to.deep.equal([200, false])
      const { body } = await session.get('/v1/auth/session')
      return body['organization']?.['id']
    }
    const wanted = [shop.organization, second.organization, shop.organization, second.organization]
    const found: unknown[] = []
    for (const organization of wanted) found.push(await choose(organization))
    expect(found).to.deep.equal(wanted)
  })

  it('is forgotten after its window, and kept while its request runs', async () => {
    const [key, name] = [randomUUID(), createUniqueName('Window')]
    const send = (window: string) =>
      shop.api.post('/v1/applications', { name }, createKeyHeaders(key, { 'idempotency-window': window }))
    for (const window of ['0', '-1', '1.5', 'soon', '2592001', '']) {
      expect(formatVerdict(await send(window)), window).to.equal('400 INVALID_REQUEST')
    }
    const first = await send('3600')
    expectReplay(first, await send('3600'), 201)
    const { db } = await getOperator()
    const stored = await findStoredKey(db, key)
    expect(Number(stored?.expiresAt) - Number(stored?.createdAt)).to.equal(3_600_000)
    await expireStoredKey(db, key, 'running')
    expect(formatVerdict(await send('3600'))).to.equal('409 IDEMPOTENCY_IN_PROGRESS')
    await expireStoredKey(db, key, 'done')
    const later = await send('1')
    expect([later.status, isReplayed(later), await countApplications(shop.api, name)]).to.deep.equal([201, false, 2])
  })

  it('keeps a refusal, but none under a key with a window, so that a repaired request succeeds', async () => {
    for (const [window, repaired] of [
      [{}, '409 APPLICATION_SLUG_TAKEN'],
      [{ 'idempotency-window': '600' }, '201'],
    ] as const) {
      const [key, slug] = [randomUUID(), createUniqueName('slug').toLowerCase()]
      const holder = await shop.api.post('/v1/applications', { name: slug, slug })
      const send = () => shop.api.post('/v1/applications', { name: 'Again', slug }, createKeyHeaders(key, window))
      expect(formatVerdict(await send())).to.equal('409 APPLICATION_SLUG_TAKEN')
      const moved = await shop.api.patch(`/v1/applications/${holder.body['id']}`, { slug: `${slug}-moved` })
      expect(moved.status, moved.text).to.equal(200)
      const second = await send()
      expect(formatVerdict(second)).to.equal(repaired)
      expect(isReplayed(second)).to.equal(repaired.startsWith('409'))
      if (second.status === 201) expectReplay(second, await send(), 201)
    }
  })

  it('is of no account for a member without an organization, whose writes are refused', async () => {
    const application = await buildApplication(shop.organization)
    const homeless = clientOf(await signInMember(await buildMember(shop.organization, 'owner')))
    const key = randomUUID()
    const answer = await homeless.patch(`/v1/applications/${application}`, { name: createUniqueName('No') }, key)
    expect(formatVerdict(answer)).to.equal('403 AUTH_MISSING_ORG_ID')
    expect(await readKeyState(key)).to.equal(undefined)
  })
})
