import { expect } from 'chai'
import '../../../../core/app/registry.ts'
import { createExpiredCookie, createSessionCookie, signOut } from '../../../../core/features/identity/sessions.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import type { RequestDetails } from '../../../../core/kernel/operation.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { buyerCaller, keyCaller, memberCaller } from '../../../support/values/callers.ts'

const nobody: Caller = { kind: 'anonymous' }

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
    const refusal = await signOut(context, keyCaller, request()).catch(({ code }: ProblemError) => code)
    expect(refusal).to.equal('AUTH_INSUFFICIENT_PERMISSIONS')
  })
})
