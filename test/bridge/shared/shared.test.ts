import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createClient } from 'redis'
import { createLocalState, ExpiringNames } from '../../../bridge/shared/shared-state.ts'
import { startBareSession, postJsonRpc, sendRawRequest, defaultHeaders } from '../../support/bridge/bridge-client.ts'
import { startTestBridge, FixtureApi, type TestBridge } from '../../support/bridge/bridge-fixture.ts'
import { waitUntil } from '../../support/processes.ts'
import { startRedisServer } from '../../support/database/redis-server.ts'
import { TcpProxy } from '../../support/bridge/request-balancer.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('Bridge: state shared over Redis, of one process', () => {
  it('holds for its time, and is new once in it', async () => {
    const marks = new ExpiringNames()
    expect([marks.set('a', 0.03), marks.set('a', 0.03), marks.has('a'), marks.has('b')]).to.deep.equal([
      true,
      false,
      true,
      false,
    ])
    await waitUntil('it is over', () => !marks.has('a'))
    expect(marks.set('a', 1)).to.equal(true)
  })

  it('stays within its number: what is over goes first, then the oldest', () => {
    const marks = new ExpiringNames(2)
    marks.set('long', 60)
    marks.set('over', 0)
    marks.set('new', 60)
    expect([marks.has('long'), marks.has('new')]).to.deep.equal([true, true])
    marks.set('newer', 60)
    expect([marks.has('long'), marks.has('new'), marks.has('newer')]).to.deep.equal([false, true, true])
  })

  it('is all there is where it is alone', async () => {
    const shared = createLocalState()
    const heard: unknown[] = []
    shared.onAnswer((message) => heard.push(message))
    await shared.endSession('s', 60)
    expect([await shared.isEnded('s'), await shared.isEnded('t')]).to.deep.equal([true, false])
    expect([await shared.claimOnce('n', 60), await shared.claimOnce('n', 60)]).to.deep.equal([true, false])
    expect([await shared.deliverAnswer(shared.processId, 1), await shared.deliverAnswer('another', 2)]).to.deep.equal([
      true,
      false,
    ])
    expect(heard).to.deep.equal([1])
  })
})

describe('Bridge: several processes during an outage of Redis', () => {
  const api = new FixtureApi()
  const secret = randomBytes(32).toString('base64')
  let redis: Awaited<ReturnType<typeof startRedisServer>>
  let wires: TcpProxy[]
  let addresses: string[]
  let bridges: TestBridge[]

  before(async () => {
    ;[redis] = await Promise.all([startRedisServer(), api.start()])
    wires = [0, 1].map(() => new TcpProxy(Number(new URL(redis.url).port)))
    addresses = await Promise.all(
      wires.map(async (wire) => Object.assign(new URL(redis.url), { port: await wire.start() }).href),
    )
    bridges = await Promise.all(
      addresses.map((url) => startTestBridge(api.url, { MCP_SECRET: secret, REDIS_URL: url })),
    )
    await Promise.all(bridges.map(({ ready }) => ready))
  })
  after(async () => {
    await Promise.all(bridges.map((one) => one.stop()))
    await Promise.all(wires.map((wire) => wire.stop()))
    await Promise.all([api.stop(), redis.stop()])
  })

  const [one, other] = [() => bridges[0] as TestBridge, () => bridges[1] as TestBridge]
  const state = async (bridge: TestBridge) =>
    (await sendRawRequest(bridge.url.replace('/mcp', '/health/ready'), { method: 'GET' })).text
  const said = (bridge: TestBridge, text: string) =>
    bridge.logEntries.filter(({ msg }) => String(msg).includes(text)).length
  const works = async (bridge: TestBridge, headers: Record<string, string>) =>
    (await postJsonRpc(bridge.url, ping, headers)).status

  it('keep in it nothing of a caller, and nothing without an end', async () => {
    const { headers } = await startBareSession(one().url, '2025-11-25', { 'x-api-key': 'canary-key' })
    await works(other(), headers)
    await sendRawRequest(one().url, { method: 'DELETE', headers })
    const client = createClient({ url: redis.url })
    await client.connect()
    const keys = await client.keys('*')
    expect(keys.filter((key) => key.startsWith('mcp:ended:'))).to.have.length(1)
    for (const key of keys) {
      expect(await client.ttl(key), key).to.be.greaterThan(0)
      const kept = `${key} ${(await client.type(key)) === 'string' ? await client.get(key) : ''}`
      expect(kept).not.to.contain('canary').and.not.to.contain(headers['mcp-session-id'])
    }
    client.destroy()
  })

  it('go on each by itself, say so once, and find each other again', async () => {
    const { headers } = await startBareSession(one().url, '2025-11-25')
    const gone = await startBareSession(one().url, '2025-11-25')
    expect([await works(other(), headers), await works(other(), gone.headers)]).to.deep.equal([200, 200])
    // A slow answer in an earlier test may have been taken for an outage as well.
    const countNotices = (bridge: TestBridge) => [said(bridge, 'Redis is away'), said(bridge, 'Redis is back')]
    const before = new Map(bridges.map((bridge) => [bridge, countNotices(bridge)]))
    const countNewNotices = (bridge: TestBridge) =>
      countNotices(bridge).map((count, at) => count - (before.get(bridge)?.[at] ?? 0))
    for (const wire of wires) wire.cut()
    for (const bridge of bridges) await waitUntil('it notices', async () => (await state(bridge)).includes('redis'))
    for (const bridge of bridges) {
      expect(await state(bridge)).to.equal('{"status":"degraded","parts":["redis"]}')
      expect(await works(bridge, headers)).to.equal(200)
    }
    const fresh = await startBareSession(one().url, '2025-11-25')
    expect(await works(other(), fresh.headers)).to.equal(200)
    // What one ended alone the other learns when they meet again.
    expect((await sendRawRequest(one().url, { method: 'DELETE', headers: gone.headers })).status).to.equal(200)
    expect([await works(one(), gone.headers), await works(other(), gone.headers)]).to.deep.equal([404, 200])
    for (const bridge of bridges) expect(countNewNotices(bridge)).to.deep.equal([1, 0])
    for (const wire of wires) wire.restore()
    for (const bridge of bridges) {
      await waitUntil('it is back', async () => (await state(bridge)) === '{"status":"ok"}')
      expect(countNewNotices(bridge)).to.deep.equal([1, 1])
    }
    await waitUntil('the other knows', async () => (await works(other(), gone.headers)) === 404)
    expect(await works(other(), headers)).to.equal(200)
    expect((await sendRawRequest(one().url, { method: 'DELETE', headers })).status).to.equal(200)
    await waitUntil('they hear each other', async () => (await works(other(), headers)) === 404)
  })

  it('know that a session has ended when Redis has forgotten it', async () => {
    const { headers } = await startBareSession(one().url, '2025-11-25')
    expect(await works(other(), headers)).to.equal(200)
    expect((await sendRawRequest(one().url, { method: 'DELETE', headers })).status).to.equal(200)
    await waitUntil('the other knows', async () => (await works(other(), headers)) === 404)
    const client = createClient({ url: redis.url })
    await client.connect()
    await client.flushAll()
    client.destroy()
    for (const bridge of bridges) expect(await works(bridge, headers)).to.equal(404)
  })

  it('do not wait for one that is silent', async () => {
    const { headers } = await startBareSession(one().url, '2025-11-25')
    for (const wire of wires) wire.setSilent(true)
    expect(await works(other(), headers)).to.equal(200)
    for (let turn = 0; turn < 20; turn++) {
      const next = await startBareSession(one().url, '2025-11-25')
      expect(await works(other(), next.headers)).to.equal(200)
    }
    expect(await state(other())).to.contain('redis')
    for (const wire of wires) wire.setSilent(false)
    await waitUntil(
      'it is back',
      async () => (await works(other(), headers)) === 200 && (await state(other())) === '{"status":"ok"}',
    )
  })

  it('learn afterwards what ended while one of them heard nothing', async () => {
    const { headers } = await startBareSession(one().url, '2025-11-25')
    expect(await works(other(), headers)).to.equal(200)
    wires[1]?.cut()
    await waitUntil('it notices', async () => (await state(other())).includes('redis'))
    expect((await sendRawRequest(one().url, { method: 'DELETE', headers })).status).to.equal(200)
    expect(await works(other(), headers)).to.equal(200)
    wires[1]?.restore()
    await waitUntil('it knows', async () => (await works(other(), headers)) === 404)
  })

  it('learn afterwards what ended while it was silent and kept its connections', async () => {
    const { headers } = await startBareSession(one().url, '2025-11-25')
    expect(await works(other(), headers)).to.equal(200)
    for (const wire of wires) wire.setSilent(true)
    expect((await sendRawRequest(one().url, { method: 'DELETE', headers })).status).to.equal(200)
    expect([await works(one(), headers), await works(other(), headers)]).to.deep.equal([404, 200])
    for (const wire of wires) wire.setSilent(false)
    await waitUntil('it knows', async () => (await works(other(), headers)) === 404)
  })

  it('let go of a session whose client left while it was silent', async () => {
    const env = { MCP_SECRET: secret, REDIS_URL: addresses[0] ?? '' }
    const idle = await startTestBridge(api.url, env, { maxSessions: 9, maxSessionsPerCaller: 9, maxIdleMs: 300 })
    await idle.ready
    const { headers } = await startBareSession(idle.url, '2025-11-25')
    expect(idle.countSessions()).to.equal(1)
    wires[0]?.setSilent(true)
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'elsewhere' } }
    const sent = request(idle.url, { method: 'POST', headers: { ...defaultHeaders, ...headers }, agent: false })
    sent.on('error', () => undefined)
    sent.end(JSON.stringify(cancelled))
    await sleep(50)
    sent.destroy()
    await sleep(300)
    wires[0]?.setSilent(false)
    await waitUntil('it has ended', () => idle.countSessions() === 0)
    await idle.stop()
  })

  it('start without it', async () => {
    const late = await startTestBridge(api.url, {
      MCP_SECRET: secret,
      REDIS_URL: `redis://127.0.0.1:${new URL(redis.url).port}`,
    })
    await late.ready
    const { headers } = await startBareSession(late.url, '2025-11-25')
    expect(await works(late, headers)).to.equal(200)
    // It has no password, so it is never let in.
    expect(await state(late)).to.contain('redis')
    expect(said(late, 'Redis is away')).to.equal(1)
    expect(JSON.stringify(late.logEntries)).not.to.contain(new URL(redis.url).password)
    await late.stop()
  })
})
