import { expect } from 'chai'
import { createIdentity, revokeApiKey } from '../../../core/features/identity/index.ts'
import type { Caller, EndUserCaller } from '../../../core/kernel/caller.ts'
import { waitUntil } from '../../support/processes.ts'
import { ageLastSeen, readLastSeen } from '../../support/rows/identity/sessions.ts'
import { buildKey, buildMember, buildOrganization, type Tenant } from '../../support/world.ts'
import { createEmail, getOperator, signInBuyer, signInMember } from './people.ts'

const goneToken = 'g'.repeat(32)
const nobody = { caller: { kind: 'anonymous' }, credential: null, cameInCookie: false }
const tokenOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1)

describe('Authentication of a request', () => {
  let tenant: Tenant
  let memberToken: string
  let buyerToken: string
  let email: string
  before(async () => {
    tenant = await buildOrganization()
    const editor = await buildMember(tenant.organization, 'editor')
    memberToken = tokenOf(await signInMember(editor, tenant.organization))
    email = createEmail('buyer')
    buyerToken = String((await signInBuyer(tenant.application, email)).body['token'])
  })

  const authenticate = async (headers: Record<string, string>, prefers?: 'member' | 'endUser') =>
    (await getOperator()).identity.authenticate(headers, prefers)
  const expectMember = (caller: Caller) =>
    expect(caller).to.include({ kind: 'member', organization: tenant.organization, role: 'editor' })
  const expectBuyer = (caller: Caller) => {
    const { session, user, ...rest } = caller as EndUserCaller
    expect([typeof session, typeof user]).to.deep.equal(['string', 'string'])
    const { application, organization } = tenant
    expect(rest).to.deep.equal({ kind: 'endUser', application, organization, email, phoneNumber: null })
  }

  it('finds nobody without a credential, and refuses a wrong one', async () => {
    expect(await authenticate({})).to.deep.equal(nobody)
    for (const [headers, code] of [
      [{ 'x-api-key': 'wrong' }, 'AUTH_INVALID_API_KEY'],
      [{ 'x-api-key': `tsr_test_${'k'.repeat(40)}` }, 'AUTH_INVALID_API_KEY'],
      [{ authorization: `Bearer ${goneToken}` }, 'AUTH_UNAUTHENTICATED'],
    ] as const) {
      const { problem, ...rest } = await authenticate(headers)
      expect([problem?.code, rest]).to.deep.equal([code, nobody])
    }
  })

  it('finds the caller of a key or of a Bearer token, of either kind', async () => {
    const { organization } = tenant
    const { id, key } = await buildKey(organization, {})
    expect(await authenticate({ 'x-api-key': key })).to.deep.equal({
      caller: { kind: 'key', id, organization, application: null, permissions: {} },
      credential: null,
      cameInCookie: false,
    })
    for (const [token, expectCaller] of [
      [memberToken, expectMember],
      [buyerToken, expectBuyer],
    ] as const) {
      const { caller, ...found } = await authenticate({ authorization: `Bearer ${token}` })
      expect(found).to.deep.equal({ credential: token, cameInCookie: false })
      expectCaller(caller)
    }
  })

  it('takes of two cookies the kind that is preferred, and members unless told otherwise', async () => {
    const [member, buyer] = [`tessera.session=${memberToken}`, `tessera.user=${buyerToken}`]
    const isMember = async (cookie: string, prefers?: 'member' | 'endUser') => {
      const { caller, ...found } = await authenticate({ cookie }, prefers)
      expect(found).to.deep.equal({ credential: memberToken, cameInCookie: true })
      expectMember(caller)
    }
    const isBuyer = async (cookie: string, prefers: 'member' | 'endUser') => {
      const { caller, ...found } = await authenticate({ cookie }, prefers)
      expect(found).to.deep.equal({ credential: buyerToken, cameInCookie: true })
      expectBuyer(caller)
    }
    await isMember(`${member}; ${buyer}`)
    await isMember(`${member}; ${buyer}`, 'member')
    await isBuyer(`${member}; ${buyer}`, 'endUser')
    for (const prefers of ['member', 'endUser'] as const) {
      await isMember(member, prefers)
      await isBuyer(buyer, prefers)
    }
  })

  it('finds nobody by a stale cookie, or by one of the other kind', async () => {
    for (const cookie of [
      `tessera.session=${goneToken}`,
      `tessera.session=${buyerToken}`,
      `tessera.user=${memberToken}`,
    ])
      expect(await authenticate({ cookie }), cookie).to.deep.equal(nobody)
  })

  it('hears of ended credentials and of changed keys', async () => {
    const context = await getOperator()
    const { id, key } = await buildKey(tenant.organization, {})
    const { caller } = await authenticate({ 'x-api-key': key })
    const { caller: other } = await authenticate({ 'x-api-key': tenant.key })
    let isListening = false
    let hasEnded = false
    const unsubscribe = context.identity.onCredentialEnded((concerns) => {
      // The first notice of a channel concerns everybody; a change before it would have no notice of its own.
      if (concerns(other)) isListening = true
      else hasEnded ||= concerns(caller)
    })
    try {
      await waitUntil('the channel is listened to', () => isListening)
      await revokeApiKey(context, id)
      await waitUntil('the end is heard of', () => hasEnded)
      // Well before the five seconds after which a key is looked up again.
      await waitUntil(
        'the key is refused',
        async () => (await authenticate({ 'x-api-key': key })).problem !== undefined,
        4_000,
      )
    } finally {
      unsubscribe()
    }
  })
})

describe('Authentication of a request: the last use of a session', () => {
  const signIn = async () => {
    const email = createEmail('member')
    return { email, authorization: `Bearer ${tokenOf(await signInMember(email))}` }
  }

  it('is noted before the answer, where the last note is old, and not otherwise', async () => {
    const { db, identity } = await getOperator()
    const { email, authorization } = await signIn()
    const fresh = await readLastSeen(db, email)
    expect((await identity.authenticate({ authorization })).caller.kind).to.equal('member')
    expect(await readLastSeen(db, email)).to.deep.equal(fresh)
    await ageLastSeen(db, email)
    const old = await readLastSeen(db, email)
    expect((await identity.authenticate({ authorization })).caller.kind).to.equal('member')
    expect((await readLastSeen(db, email)).getTime() - old.getTime()).to.be.greaterThan(60_000)
  })

  it('is not needed: a database that takes no changes still serves', async () => {
    const context = await getOperator()
    const { email, authorization } = await signIn()
    await ageLastSeen(context.db, email)
    const old = await readLastSeen(context.db, email)
    const { caller } = await context.db.transaction(
      (trx) => createIdentity({ ...context, db: trx }).authenticate({ authorization }),
      { readOnly: true },
    )
    expect(caller.kind).to.equal('member')
    expect(await readLastSeen(context.db, email)).to.deep.equal(old)
  })
})
