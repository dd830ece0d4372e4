import { expect } from 'chai'
import '../../../core/app/registry.ts'
import { createIdentity } from '../../../core/features/identity/identity.ts'
import { hashSecret } from '../../../core/features/identity/keys/keys.ts'
import type { Context } from '../../../core/kernel/work.ts'
import { createFakeDatabase, listSent } from '../../support/values/fake-database.ts'

const [memberToken, buyerToken, goneToken] = ['m'.repeat(32), 'b'.repeat(32), 'g'.repeat(32)]
const key = `tsr_test_${'k'.repeat(40)}`

const row = {
  id: 's',
  userId: 'u',
  organization: null,
  role: null,
  application: null,
  applicationOrganization: null,
  email: null,
  phoneNumber: null,
  seenLongAgo: false,
}
const memberRow = { ...row, kind: 'member', organization: 'o', role: 'editor' }
const buyerRow = {
  ...row,
  kind: 'endUser',
  application: 'a',
  applicationOrganization: 'o',
  email: 'ada@people.example',
}
const member = { kind: 'member', session: 's', user: 'u', organization: 'o', role: 'editor' }
const buyer = {
  kind: 'endUser',
  session: 's',
  user: 'u',
  application: 'a',
  organization: 'o',
  email: 'ada@people.example',
  phoneNumber: null,
}
const nobody = { caller: { kind: 'anonymous' }, credential: null, cameInCookie: false }

/** The service on a database with these sessions by token, and one key. */
function hold(sessions: Record<string, object>, lastSeen: Error | readonly object[] = []) {
  const keyRow = { id: 'k', organization: 'o', permissions: '{}', expiresAt: null }
  const byHash = new Map(Object.entries(sessions).map(([token, found]) => [hashSecret(token), found]))
  const fake = createFakeDatabase(
    [/^\s*update sessions/, lastSeen],
    [/sessions/, ([hash]) => [byHash.get(String(hash)) ?? []].flat()],
    [/api_keys/, [keyRow]],
  )
  const listeners: string[] = []
  const warnings: object[] = []
  const identity = createIdentity({
    db: fake.db,
    clock: { now: () => new Date() },
    log: { warn: (values: object) => warnings.push(values) },
    notices: {
      subscribe: (channel: string) => {
        listeners.push(channel)
        return () => undefined
      },
    },
    messenger: {},
  } as unknown as Context)
  return { ...fake, identity, warnings, listeners }
}

describe('Authentication of a request', () => {
  const sessions = { [memberToken]: memberRow, [buyerToken]: buyerRow }
  const { identity, listeners } = hold(sessions)
  const cookies = `tessera.session=${memberToken}; tessera.user=${buyerToken}`

  it('finds nobody without a credential, and refuses a wrong one', async () => {
    expect(await identity.authenticate({})).to.deep.equal(nobody)
    for (const [headers, code] of [
      [{ 'x-api-key': 'wrong' }, 'AUTH_INVALID_API_KEY'],
      [{ authorization: `Bearer ${goneToken}` }, 'AUTH_UNAUTHENTICATED'],
    ] as const) {
      const { problem, ...rest } = await identity.authenticate(headers)
      expect([problem?.code, rest]).to.deep.equal([code, nobody])
    }
  })

  it('finds the caller of a key or of a Bearer token, of either kind', async () => {
    expect(await identity.authenticate({ 'x-api-key': key })).to.deep.equal({
      caller: { kind: 'key', id: 'k', organization: 'o', permissions: {} },
      credential: null,
      cameInCookie: false,
    })
    for (const [token, caller] of [
      [memberToken, member],
      [buyerToken, buyer],
    ] as const) {
      const found = await identity.authenticate({ authorization: `Bearer ${token}` })
      expect(found).to.deep.equal({ caller, credential: token, cameInCookie: false })
    }
  })

  it('takes of two cookies the kind that is preferred, and members unless told otherwise', async () => {
    const asMember = { caller: member, credential: memberToken, cameInCookie: true }
    const asBuyer = { caller: buyer, credential: buyerToken, cameInCookie: true }
    expect(await identity.authenticate({ cookie: cookies })).to.deep.equal(asMember)
    expect(await identity.authenticate({ cookie: cookies }, 'member')).to.deep.equal(asMember)
    expect(await identity.authenticate({ cookie: cookies }, 'endUser')).to.deep.equal(asBuyer)
    for (const prefers of ['member', 'endUser'] as const) {
      expect(await identity.authenticate({ cookie: `tessera.session=${memberToken}` }, prefers)).to.deep.equal(asMember)
      expect(await identity.authenticate({ cookie: `tessera.user=${buyerToken}` }, prefers)).to.deep.equal(asBuyer)
    }
  })

  it('finds nobody by a stale cookie, or by one of the other kind', async () => {
    for (const cookie of [
      `tessera.session=${goneToken}`,
      `tessera.session=${buyerToken}`,
      `tessera.user=${memberToken}`,
    ])
      expect(await identity.authenticate({ cookie }), cookie).to.deep.equal(nobody)
  })

  it('hears of ended credentials and of changed keys', () => {
    identity.onCredentialEnded(() => undefined)
    expect(listeners).to.deep.equal(['api_keys', 'credentials'])
  })
})

describe('Authentication of a request: the last use of a session', () => {
  const authorization = `Bearer ${memberToken}`

  it('is noted before the answer, where the last note is old, and not otherwise', async () => {
    for (const seenLongAgo of [true, false]) {
      const held = hold({ [memberToken]: { ...memberRow, seenLongAgo } })
      expect((await held.identity.authenticate({ authorization })).caller).to.deep.equal(member)
      const notes = listSent(held, /update sessions/)
      expect([notes.map(({ values }) => values), held.countRunning()]).to.deep.equal([seenLongAgo ? [['s']] : [], 0])
    }
  })

  it('is not needed: a database that takes no changes still serves', async () => {
    const held = hold({ [memberToken]: { ...memberRow, seenLongAgo: true } }, new Error('read-only'))
    expect((await held.identity.authenticate({ authorization })).caller).to.deep.equal(member)
    expect(held.warnings).to.have.length(1)
  })
})
