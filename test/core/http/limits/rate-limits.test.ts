import { expect } from 'chai'
import { pino } from 'pino'
import { createRateLimits, type RateLimits } from '../../../../core/http/limits/rate-limits.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import { ProblemError } from '../../../../core/kernel/problem.ts'

const anonymous: Caller = { kind: 'anonymous' }
const createKey = (id: string): Caller => ({ kind: 'key', application: null, id, organization: 'o', permissions: {} })
const createMember = (session: string): Caller => ({
  kind: 'member',
  session,
  user: 'u',
  organization: 'o',
  role: 'owner',
})

/** Limits of a process without Redis. */
const createLimits = (maxPerKey: number, maxPerAddress: number) =>
  createRateLimits({ maxPerKey, maxPerAddress, log: pino({ level: 'silent' }) })

/** Counts a request. @returns the number of requests that are left, 'refused', or undefined if it is not counted */
async function count(limits: RateLimits, caller: Caller, address = '192.0.2.1') {
  try {
    const { RateLimit: left, ...others } = await limits.countRequest(caller, () => address)
    return left === undefined ? undefined : { left: left.replace(/;t=\d+$/, ''), ...others }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return error.code
  }
}
const left = (requests: number, max: number) => ({
  left: `"default";r=${requests}`,
  'RateLimit-Policy': `"default";q=${max};w=60`,
})

describe('Rate limit of one process', () => {
  it('is counted for each key and each session', async () => {
    const limits = await createLimits(2, 1)
    for (const create of [createKey, createMember]) {
      const [one, other] = [create('one'), create('other')]
      expect([await count(limits, one), await count(limits, one), await count(limits, one)]).to.deep.equal([
        left(1, 2),
        left(0, 2),
        'RATE_LIMITED',
      ])
      expect(await count(limits, other)).to.deep.equal(left(1, 2))
    }
    expect(await count(limits, anonymous)).to.deep.equal(left(0, 1))
  })

  it('is counted for each address of an anonymous caller, and for each /64 of IPv6', async () => {
    for (const [first, same, other] of [
      ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
      ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:db8:0:2::1'],
    ]) {
      const limits = await createLimits(5, 1)
      expect([
        await count(limits, anonymous, first),
        await count(limits, anonymous, same),
        await count(limits, anonymous, other),
      ]).to.deep.equal([left(0, 1), 'RATE_LIMITED', left(0, 1)])
    }
  })

  it('says in its refusal when to come back', async () => {
    const limits = await createLimits(1, 0)
    await count(limits, createKey('one'))
    const refused = await limits.countRequest(createKey('one'), () => '').catch((error: ProblemError) => error)
    const { headers, detail } = refused as ProblemError
    const seconds = Number(headers?.['Retry-After'])
    expect(seconds).to.be.within(1, 60)
    expect(detail).to.equal(`More than 1 requests in a minute. Try again in ${seconds} s.`)
    expect(headers).to.include({
      'RateLimit-Policy': '"default";q=1;w=60',
      RateLimit: `"default";r=0;t=${seconds}`,
    })
  })

  it('may be turned off for either, whose requests are not counted then', async () => {
    const [withoutKeys, withoutAddresses] = [await createLimits(0, 1), await createLimits(1, 0)]
    for (let time = 0; time < 3; time++) {
      expect(await count(withoutKeys, createKey('one'))).to.equal(undefined)
      expect(await count(withoutAddresses, anonymous)).to.equal(undefined)
    }
    expect([await count(withoutKeys, anonymous), await count(withoutAddresses, createKey('one'))]).to.deep.equal([
      left(0, 1),
      left(0, 1),
    ])
    expect(withoutKeys.isReady()).to.equal(true)
    await withoutKeys.close()
  })
})
