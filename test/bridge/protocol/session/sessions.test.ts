import { expect } from 'chai'
import { SessionCache, type StoredSession } from '../../../../bridge/shared/session-cache.ts'
import { startBareSession, createInitializeRequest, postJsonRpc } from '../../../support/bridge/bridge-client.ts'
import { startTestBridge, FixtureApi } from '../../../support/bridge/bridge-fixture.ts'
import { waitUntil } from '../../../support/processes.ts'

const session = (id: string, owner: string, open = 0): StoredSession & { closed: boolean } => {
  const made = {
    id,
    callerHash: owner,
    openRequestCount: open,
    closed: false,
    close: () => {
      made.closed = true
    },
  }
  return made
}

describe('Bridge: sessions in memory', () => {
  it('are found by their owner only', () => {
    const sessions = new SessionCache()
    sessions.add(session('a', 'one'))
    expect(sessions.find('a', 'one')?.id).to.equal('a')
    expect(sessions.find('a', 'two')).to.equal(null)
    expect(sessions.find('b', 'one')).to.equal(null)
  })

  it('give the place of the longest unused idle one to a new one', () => {
    const sessions = new SessionCache({ maxSessions: 3, maxSessionsPerCaller: 3, maxIdleMs: 60_000 })
    const [a, b, c] = [session('a', 'one', 1), session('b', 'one'), session('c', 'two')]
    for (const one of [a, b, c]) sessions.add(one)
    sessions.find('b', 'one')
    expect(sessions.makeRoom('three')).to.equal(true)
    expect([a.closed, b.closed, c.closed]).to.deep.equal([false, false, true])
  })

  it('leave those of another owner in place past the number of one owner', () => {
    const sessions = new SessionCache({ maxSessions: 10, maxSessionsPerCaller: 2, maxIdleMs: 60_000 })
    const [a, b, c] = [session('a', 'one'), session('b', 'two'), session('c', 'two')]
    for (const one of [a, b, c]) sessions.add(one)
    expect(sessions.makeRoom('two')).to.equal(true)
    expect([a.closed, b.closed, c.closed]).to.deep.equal([false, true, false])
    expect(sessions.makeRoom('one')).to.equal(true)
    expect(sessions.size).to.equal(2)
  })

  it('leave no room while all are busy', () => {
    const sessions = new SessionCache({ maxSessions: 1, maxSessionsPerCaller: 1, maxIdleMs: 60_000 })
    sessions.add(session('a', 'one', 1))
    expect(sessions.makeRoom('two')).to.equal(false)
    expect(sessions.makeRoom('one')).to.equal(false)
  })

  it('end when they were idle for too long', async () => {
    const sessions = new SessionCache({ maxSessions: 10, maxSessionsPerCaller: 10, maxIdleMs: 30 })
    const [idle, busy] = [session('a', 'one'), session('b', 'one', 1)]
    sessions.add(idle)
    sessions.add(busy)
    await waitUntil('the idle one ends', () => idle.closed)
    expect([idle.closed, busy.closed]).to.deep.equal([true, false])
    sessions.closeAll()
    expect(busy.closed).to.equal(true)
  })

  it('stay within the maximum of a bridge', async () => {
    const api = new FixtureApi()
    await api.start()
    const bridge = await startTestBridge(api.url, {}, { maxSessions: 5, maxSessionsPerCaller: 3, maxIdleMs: 60_000 })
    await bridge.ready
    const first = await startBareSession(bridge.url, '2025-11-25', { 'x-api-key': 'a' })
    for (let turn = 0; turn < 20; turn++) await startBareSession(bridge.url, '2025-11-25', { 'x-api-key': 'b' })
    expect(bridge.countSessions()).to.equal(4)
    expect((await postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, first.headers)).status).to.equal(
      200,
    )
    await bridge.stop()
    await api.stop()
  })

  it('answer with Retry-After while all of a bridge are busy', async () => {
    const api = new FixtureApi()
    await api.start()
    const bridge = await startTestBridge(api.url, {}, { maxSessions: 1, maxSessionsPerCaller: 1, maxIdleMs: 60_000 })
    await bridge.ready
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const ended = new AbortController()
    await fetch(bridge.url, { headers: { ...headers, accept: 'text/event-stream' }, signal: ended.signal })
    const refused = await postJsonRpc(bridge.url, createInitializeRequest('2025-11-25'))
    expect(refused.status).to.equal(503)
    expect(refused.headers['retry-after']).to.equal('5')
    ended.abort()
    await bridge.stop()
    await api.stop()
  })
})
