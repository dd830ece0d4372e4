import { expect } from 'chai'
import { RequestBuffer, type RequestEntry } from '../../../core/features/requests/requests.buffer.ts'

const createEntry = (organization: string, requestId: string): RequestEntry => ({
  organization,
  atMs: 0,
  operation: 'list_dpp_passports_v1',
  status: 200,
  code: null,
  ms: 1,
  requestId,
  kind: 'key',
  credential: 'k',
})

describe('Log of requests: what waits to be written', () => {
  const listIds = (entries: readonly RequestEntry[]) =>
    entries.map(({ organization, requestId }) => `${organization}${requestId}`)
  const addMany = (buffer: RequestBuffer, organization: string, from: number, count: number) => {
    for (let nth = 0; nth < count; nth++) buffer.add(createEntry(organization, String(from + nth)))
  }

  it('is taken once, in the order in which it came', () => {
    const buffer = new RequestBuffer(10)
    for (const [organization, id] of [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ] as const)
      buffer.add(createEntry(organization, id))
    expect(buffer.size).to.equal(3)
    expect(listIds(buffer.takeAll())).to.deep.equal(['a1', 'a3', 'b2'])
    expect(buffer.takeAll()).to.deep.equal([])
    expect(buffer.size).to.equal(0)
  })

  it('is the newest thousand of an organization, and the others are not missing', () => {
    const buffer = new RequestBuffer(5_000)
    addMany(buffer, 'a', 0, 2_500)
    expect(buffer.size).to.equal(1_000)
    const taken = listIds(buffer.takeAll())
    expect([taken.length, taken[0], taken.at(-1)]).to.deep.equal([1_000, 'a1500', 'a2499'])
    expect(buffer.dropped).to.equal(0)
  })

  it('never is more than there is room for: what comes then is dropped and counted', () => {
    const buffer = new RequestBuffer(1_500)
    for (const organization of ['a', 'b']) addMany(buffer, organization, 0, 1_000)
    addMany(buffer, 'c', 0, 1)
    expect([buffer.size, buffer.dropped]).to.deep.equal([1_500, 501])
    // The newest ones of an organization that is full take the place of its oldest ones.
    addMany(buffer, 'a', 1_000, 1)
    expect([buffer.size, buffer.dropped]).to.deep.equal([1_500, 501])
    const taken = listIds(buffer.takeAll())
    expect(taken).to.include('a1000').and.to.not.include('a0')
    addMany(buffer, 'c', 1, 1)
    expect(listIds(buffer.takeAll())).to.deep.equal(['c1'])
  })

  it('is put back before what came meanwhile, as far as there is room', () => {
    const buffer = new RequestBuffer(3)
    addMany(buffer, 'a', 0, 2)
    const taken = buffer.takeAll()
    addMany(buffer, 'a', 2, 1)
    addMany(buffer, 'b', 3, 1)
    buffer.putBack(taken)
    expect(listIds(buffer.takeAll())).to.deep.equal(['a0', 'a1', 'a2'])
    expect(buffer.dropped).to.equal(1)
  })
})
