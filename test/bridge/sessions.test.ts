import { expect } from 'chai'
import { Sessions, type Kept } from '../../bridge/sessions.ts'
import { bareSession, initialize, post } from '../support/bridge-client.ts'
import { bridgeFor, FixtureApi } from '../support/bridge-fixture.ts'
import { eventually } from '../support/processes.ts'

const session = (id: string, owner: string, open = 0): Kept & { closed: boolean } => {
  const made = {
    id,
    owner,
    open,
    closed: false,
    close: () => {
      made.closed = true
    },
  }
  return made
}

describe('sessions', () => {
  it('are found by their owner only', () => {
    const sessions = new Sessions()
    sessions.add(session('a', 'one'))
    expect(sessions.find('a', 'one')?.id).to.equal('a')
    expect(sessions.find('a', 'two')).to.equal(null)
    expect(sessions.find('b', 'one')).to.equal(null)
  })

  it('past their number make room by the longest unused idle one', () => {
    const sessions = new Sessions({ total: 3, each: 3, idle: 60_000 })
    const [a, b, c] = [session('a', 'one', 1), session('b', 'one'), session('c', 'two')]
    for (const one of [a, b, c]) sessions.add(one)
    sessions.find('b', 'one')
    expect(sessions.makeRoom('three')).to.equal(true)
    expect([a.closed, b.closed, c.closed]).to.deep.equal([false, false, true])
  })

  it('past the number of one owner push out none of another', () => {
    const sessions = new Sessions({ total: 10, each: 2, idle: 60_000 })
    const [a, b, c] = [session('a', 'one'), session('b', 'two'), session('c', 'two')]
    for (const one of [a, b, c]) sessions.add(one)
    expect(sessions.makeRoom('two')).to.equal(true)
    expect([a.closed, b.closed, c.closed]).to.deep.equal([false, true, false])
    expect(sessions.makeRoom('one')).to.equal(true)
    expect(sessions.size).to.equal(2)
  })

  it('that are all busy leave no room', () => {
    const sessions = new Sessions({ total: 1, each: 1, idle: 60_000 })
    sessions.add(session('a', 'one', 1))
    expect(sessions.makeRoom('two')).to.equal(false)
    expect(sessions.makeRoom('one')).to.equal(false)
  })

  it('end when they were idle for too long', async () => {
    const sessions = new Sessions({ total: 10, each: 10, idle: 30 })
    const [idle, busy] = [session('a', 'one'), session('b', 'one', 1)]
    sessions.add(idle)
    sessions.add(busy)
    await eventually('the idle one ends', () => idle.closed)
    expect([idle.closed, busy.closed]).to.deep.equal([true, false])
    sessions.closeAll()
    expect(busy.closed).to.equal(true)
  })

  it('of a bridge stay within their number', async () => {
    const api = new FixtureApi()
    await api.start()
    const bridge = await bridgeFor(api.url, {}, { total: 5, each: 3, idle: 60_000 })
    await bridge.ready
    const first = await bareSession(bridge.url, '2025-11-25', { 'x-api-key': 'a' })
    for (let turn = 0; turn < 20; turn++) await bareSession(bridge.url, '2025-11-25', { 'x-api-key': 'b' })
    expect(bridge.sessions()).to.equal(4)
    expect((await post(bridge.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, first.headers)).status).to.equal(200)
    await bridge.stop()
    await api.stop()
  })

  it('of a bridge that are all busy are answered with when to come back', async () => {
    const api = new FixtureApi()
    await api.start()
    const bridge = await bridgeFor(api.url, {}, { total: 1, each: 1, idle: 60_000 })
    await bridge.ready
    const { headers } = await bareSession(bridge.url, '2025-11-25')
    const ended = new AbortController()
    await fetch(bridge.url, { headers: { ...headers, accept: 'text/event-stream' }, signal: ended.signal })
    const refused = await post(bridge.url, initialize('2025-11-25'))
    expect(refused.status).to.equal(503)
    expect(refused.headers['retry-after']).to.equal('5')
    ended.abort()
    await bridge.stop()
    await api.stop()
  })
})
