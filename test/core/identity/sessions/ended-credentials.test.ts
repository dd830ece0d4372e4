import { expect } from 'chai'
import { onCredentialEnded } from '../../../../core/features/identity/sessions/ended-credentials.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import type { Notices } from '../../../../core/kernel/ports/notices.ts'
import { buyerCaller, keyCaller, memberCaller } from '../../../support/values/callers.ts'

const callers: Record<string, Caller> = {
  key: keyCaller,
  member: memberCaller,
  buyer: buyerCaller,
  nobody: { kind: 'anonymous' },
}

/** Sends a notice. @returns the callers whom it concerns */
function tell(payload: object | ''): string[] {
  const found: string[] = []
  const notices = {
    subscribe: (channel: string, listener: (payload: string) => void) => {
      expect(channel).to.equal('credentials')
      listener(payload === '' ? '' : JSON.stringify(payload))
      return () => undefined
    },
  } as unknown as Notices
  onCredentialEnded(notices, (concerns) => {
    for (const [name, caller] of Object.entries(callers)) if (concerns(caller)) found.push(name)
  })
  return found
}

describe('Notice of an ended credential', () => {
  it('concerns the caller with this key', () => {
    expect(tell({ kind: 'key', application: null, id: 'k' })).to.deep.equal(['key'])
    expect(tell({ kind: 'key', application: null, id: 's' })).to.deep.equal([])
  })

  it('concerns members and buyers with this session', () => {
    expect(tell({ kind: 'session', id: 's' })).to.deep.equal(['member', 'buyer'])
    expect(tell({ kind: 'session', id: 'k' })).to.deep.equal([])
  })

  it('concerns the member whose membership it was, in this organization alone', () => {
    expect(tell({ kind: 'member', id: 'u', organization: 'o' })).to.deep.equal(['member'])
    expect(tell({ kind: 'member', id: 'u', organization: 'x' })).to.deep.equal([])
    expect(tell({ kind: 'member', id: 'x', organization: 'o' })).to.deep.equal([])
  })

  it('concerns all callers of a deleted organization', () => {
    expect(tell({ kind: 'organization', id: 'o' })).to.deep.equal(['key', 'member', 'buyer'])
    expect(tell({ kind: 'organization', id: 'x' })).to.deep.equal([])
  })

  it('concerns everybody with a credential when notices were lost', () => {
    expect(tell('')).to.deep.equal(['key', 'member', 'buyer'])
  })

  it('comes until the listener is taken away', () => {
    const unsubscribe = () => undefined
    const notices = { subscribe: () => unsubscribe } as unknown as Notices
    expect(onCredentialEnded(notices, () => undefined)).to.equal(unsubscribe)
  })
})
