import { expect } from 'chai'
import { StreamCounts } from '../../../../core/http/limits/counts.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'

const limits = { eventStreamsPerKey: 2, eventStreamsPerOrganization: 3, eventStreamsPerBuyer: 1 }
const createKey = (id: string, organization = 'o'): Caller => ({
  kind: 'key',
  application: null,
  id,
  organization,
  permissions: {},
})
const createMember = (user: string, organization: string | null = 'o'): Caller => ({
  kind: 'member',
  session: 's',
  user,
  organization,
  role: organization === null ? null : 'owner',
})
const createBuyer = (user: string, application = 'a'): Caller => ({
  kind: 'endUser',
  session: 's',
  user,
  application,
  organization: 'o',
  email: null,
  phoneNumber: null,
})
const anonymous: Caller = { kind: 'anonymous' }

describe('Event streams (SSE): their number', () => {
  /** Opens a stream. @returns the function that ends it, or the owner that has too many by the refusal */
  const open = (counts: StreamCounts, caller: Caller, address = '192.0.2.1') => {
    try {
      return counts.addStream(caller, () => address)
    } catch (error) {
      const { code, detail, headers } = error as ProblemError
      expect([code, headers]).to.deep.equal(['RATE_LIMITED', { 'Retry-After': '10' }])
      return /^(\d) event streams of (.*) are open already\. /.exec(detail)?.slice(1).join(' ')
    }
  }
  const openAll = (callers: readonly (Caller | [Caller, string])[]) => {
    const counts = new StreamCounts(limits)
    return callers.map((each) => {
      const [caller, address] = Array.isArray(each) ? each : [each]
      const opened = open(counts, caller, address)
      return typeof opened === 'function' ? 'open' : opened
    })
  }

  it('is limited for each key and member, and for their organization', () => {
    const [one, other] = [createKey('one'), createKey('other')]
    expect(openAll([one, one, one, other, other])).to.deep.equal([
      'open',
      'open',
      '2 this key',
      'open',
      '3 your organization',
    ])
    const [ada, eve] = [createMember('ada'), createMember('eve')]
    expect(openAll([ada, ada, ada, eve, eve])).to.deep.equal(['open', 'open', '2 yours', 'open', '3 your organization'])
    expect(openAll([one, one, ada, ada, createKey('foreign', 'p')])).to.deep.equal([
      'open',
      'open',
      'open',
      '3 your organization',
      'open',
    ])
    const homeless = createMember('ada', null)
    expect(openAll([one, one, ada, homeless, homeless])).to.deep.equal(['open', 'open', 'open', 'open', '2 yours'])
  })

  it('is limited for each buyer of an application, apart from their organization', () => {
    const one = createKey('one')
    expect(
      openAll([
        one,
        one,
        createKey('other'),
        createBuyer('b'),
        createBuyer('b'),
        createBuyer('c'),
        createBuyer('b', 'z'),
      ]),
    ).to.deep.equal(['open', 'open', 'open', 'open', '1 yours', 'open', 'open'])
  })

  it('is limited for each network of anonymous callers', () => {
    expect(
      openAll([
        [anonymous, '192.0.2.1'],
        [anonymous, '192.0.2.1'],
        [anonymous, '192.0.2.2'],
        [anonymous, '2001:db8::1'],
        [anonymous, '2001:db8::2'],
      ]),
    ).to.deep.equal(['open', '1 your address', 'open', 'open', '1 your address'])
  })

  it('is one less for each stream that ends, once', () => {
    const counts = new StreamCounts(limits)
    const key = createKey('one')
    const [first] = [open(counts, key), open(counts, key)]
    for (let time = 0; time < 2; time++) (first as () => void)()
    expect([typeof open(counts, key), open(counts, key)]).to.deep.equal(['function', '2 this key'])
    expect(typeof open(counts, createKey('other'))).to.equal('function')
  })

  it('is not limited where the limit is 0', () => {
    const counts = new StreamCounts({ ...limits, eventStreamsPerKey: 0, eventStreamsPerOrganization: 0 })
    for (let time = 0; time < 10; time++) expect(typeof open(counts, createKey('one'))).to.equal('function')
  })
})
