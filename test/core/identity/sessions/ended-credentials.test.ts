import { expect } from 'chai'
import { onCredentialEnded } from '../../../../core/features/identity/sessions/ended-credentials.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import type { Notices } from '../../../../core/kernel/ports/notices.ts'

const callers: Record<string, Caller> = {
  anonymous: { kind: 'anonymous' },
  key: { kind: 'key', id: 'k1', organization: 'o1', permissions: {} },
  member: { kind: 'member', session: 's1', user: 'u1', organization: 'o1', role: 'owner' },
  elsewhere: { kind: 'member', session: 's2', user: 'u1', organization: 'o2', role: 'owner' },
  buyer: {
    kind: 'endUser',
    session: 's3',
    user: 'u1',
    application: 'a1',
    organization: 'o1',
    email: null,
    phoneNumber: null,
  },
}

describe('Notices of ended credentials', () => {
  /** Passes on one notice, as PostgreSQL sends it. @returns for each call of the listener, the callers it concerns */
  function hear(payload: string): string[][] {
    const calls: string[][] = []
    const notices = {
      subscribe: (_channel: string, listener: (payload: string) => void) => {
        listener(payload)
        return () => undefined
      },
    } as unknown as Notices
    onCredentialEnded(notices, (concerns) => {
      calls.push(Object.keys(callers).filter((name) => concerns(callers[name] as Caller)))
    })
    return calls
  }

  it('concern the callers with that key or session, or with that role in that organization', () => {
    expect(hear('{"kind":"key","id":"k1"}')).to.deep.equal([['key']])
    expect(hear('{"kind":"session","id":"s2"}')).to.deep.equal([['elsewhere']])
    expect(hear('{"kind":"session","id":"s3"}')).to.deep.equal([['buyer']])
    expect(hear('{"kind":"member","id":"u1","organization":"o1"}')).to.deep.equal([['member']])
    expect(hear('{"kind":"key","id":"s1"}')).to.deep.equal([[]])
    expect(hear('{"kind":"session","id":"k1"}')).to.deep.equal([[]])
  })

  it('concern everybody with a credential when some may have been missed', () => {
    expect(hear('')).to.deep.equal([['key', 'member', 'elsewhere', 'buyer']])
  })
})
