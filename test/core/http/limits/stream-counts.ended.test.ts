import { expect } from 'chai'
import { StreamCounts } from '../../../../core/http/limits/counts.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import { keyCaller, memberCaller } from '../../../support/values/callers.ts'

const address = () => '192.0.2.1'

describe('Event streams (SSE): the count of those that have ended', () => {
  it('is 0 again, so that as many as before can be opened, each time', () => {
    const counts = new StreamCounts({ eventStreamsPerKey: 1, eventStreamsPerOrganization: 1, eventStreamsPerBuyer: 1 })
    for (let round = 0; round < 3; round++) {
      const end = counts.addStream(keyCaller, address)
      expect(() => counts.addStream(keyCaller, address)).to.throw('1 event streams of this key')
      end()
      end()
    }
  })

  it('goes down by one where several are open', () => {
    const counts = new StreamCounts({ eventStreamsPerKey: 2, eventStreamsPerOrganization: 2, eventStreamsPerBuyer: 2 })
    const [end] = [counts.addStream(keyCaller, address), counts.addStream(keyCaller, address)]
    end?.()
    counts.addStream(keyCaller, address)
    expect(() => counts.addStream(keyCaller, address)).to.throw('2 event streams of this key')
  })

  it('is not shared by members who have chosen no organization', () => {
    const counts = new StreamCounts({ eventStreamsPerKey: 1, eventStreamsPerOrganization: 1, eventStreamsPerBuyer: 1 })
    const member = (user: string): Caller => ({ ...memberCaller, user, organization: null, role: null })
    for (const user of ['ada', 'eve']) counts.addStream(member(user), address)
    expect(() => counts.addStream(member('ada'), address)).to.throw('1 event streams of yours')
  })
})
