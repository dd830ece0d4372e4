import { expect } from 'chai'
import '../../../../core/app/registry.ts'
import {
  createExpiredCookie,
  createSessionCookie,
  readCurrentSession,
  readSessionUser,
  signOut,
} from '../../../../core/features/identity/sessions.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import type { RequestDetails } from '../../../../core/kernel/operation.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { buyerCaller, keyCaller, memberCaller } from '../../../support/values/callers.ts'
import { createFakeDatabase, listSent } from '../../../support/values/fake-database.ts'

const nobody: Caller = { kind: 'anonymous' }
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    ({ code }: ProblemError) => code,
  )

describe('Session of the caller', () => {
  const user = { name: 'Ada', email: 'ada@people.example', phone_number: null }
  const hold = (...replies: Parameters<typeof createFakeDatabase>) => {
    const fake = createFakeDatabase(...replies)
    return { ...fake, context: { db: fake.db } as Context }
  }

  it('is none of a key, of nobody, and of a person who is gone', async () => {
    const { context } = hold()
    expect(await codeOf(readCurrentSession(context, keyCaller))).to.equal('AUTH_INSUFFICIENT_PERMISSIONS')
    expect(await codeOf(readCurrentSession(context, nobody))).to.equal('AUTH_UNAUTHENTICATED')
    expect(await codeOf(readCurrentSession(context, { ...memberCaller, organization: null }))).to.equal(
      'AUTH_UNAUTHENTICATED',
    )
  })

  it('is none of a buyer whose session ended since, or has no account', async () => {
    for (const rows of [[], [{ account: null }]]) {
      const fake = hold([/sessions/, rows], [/"users"/, [user]])
      expect(await codeOf(readCurrentSession(fake.context, buyerCaller))).to.equal('AUTH_UNAUTHENTICATED')
      expect(fake.statements).to.have.length(1)
    }
  })

  it('shows a member who acts for no organization, without looking for any', async () => {
    const fake = hold([/"users"/, [user]])
    const shown = await readCurrentSession(fake.context, { ...memberCaller, organization: null })
    expect(shown).to.deep.equal({
      user: { id: 'u', name: 'Ada', email: 'ada@people.example', phoneNumber: null },
      account: null,
      application: null,
      organization: null,
    })
    expect(listSent(fake, /members/)).to.deep.equal([])
  })

  it('shows the organization that is active, of several, and none that the member left', async () => {
    const rows = [{ id: 'n' }, { id: 'o' }]
    const shown = await readCurrentSession(hold([/members/, rows], [/users/, [user]]).context, memberCaller)
    expect(shown).to.have.property('organization').that.deep.equals({ id: 'o' })
    const left = await readCurrentSession(hold([/users/, [user]]).context, memberCaller)
    expect(left).to.have.property('organization', null)
  })

  it('names a person as the application does, or else as the person does, if at all', async () => {
    const nameOf = async (name: string, inApplication?: string | null) =>
      (await readSessionUser(hold([/users/, [{ ...user, name }]]).db, 'u', inApplication)).name
    expect(await nameOf('Ada')).to.equal('Ada')
    expect(await nameOf('')).to.equal(null)
    expect(await nameOf('Ada', 'Countess')).to.equal('Countess')
    expect(await nameOf('Ada', null)).to.equal(null)
    const fake = hold([/users/, [user]])
    await readSessionUser(fake.db, 'u')
    expect(fake.statements[0]?.text).to.contain('"name"')
  })
})

describe('Cookie of a session', () => {
  const contextAt = (baseUrl: string) => ({ settings: { baseUrl } }) as Context
  const context = contextAt('http://127.0.0.1:3333')
  const request = (cookie?: string) => ({ credential: null, headers: { cookie } }) as unknown as RequestDetails
  const goneMember = 'tessera.session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax'
  const goneBuyer = goneMember.replace('session', 'user')

  it('ends with the session, and goes back over https only where we are', () => {
    const at = new Date(Date.now() + 90_500).toISOString()
    expect(createSessionCookie(context, 'endUser', 'x', at)).to.match(
      /^tessera\.user=x; Path=\/; Max-Age=(90|8\d); HttpOnly; SameSite=Lax$/,
    )
    expect(createExpiredCookie(contextAt('https://tessera.example'), 'member')).to.equal(`${goneMember}; Secure`)
    expect(createExpiredCookie(contextAt('http://https:'), 'member')).to.equal(goneMember)
  })

  it('is taken back by its kind, also of somebody whose session has ended already', async () => {
    expect(await signOut(context, memberCaller, request())).to.equal(goneMember)
    expect(await signOut(context, buyerCaller, request())).to.equal(goneBuyer)
    expect(await signOut(context, nobody, request('a=1; tessera.session=x'))).to.equal(goneMember)
    expect(await signOut(context, nobody, request('tessera.user=x'))).to.equal(goneBuyer)
    expect(await signOut(context, nobody, request())).to.equal(goneBuyer)
    expect(await codeOf(signOut(context, keyCaller, request()))).to.equal('AUTH_INSUFFICIENT_PERMISSIONS')
  })
})
