import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import {
  createInitializeRequest,
  createSessionState,
  openSessionState,
  sealSessionState,
} from '../../../../bridge/protocol/session/session-state.ts'
import { createSealer } from '../../../../bridge/shared/seal.ts'
import { startBareSession, connectClient, parseMessages, postJsonRpc } from '../../../support/bridge/bridge-client.ts'
import { startTestBridge, FixtureApi, sendReply, type TestBridge } from '../../../support/bridge/bridge-fixture.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('Bridge: the Mcp-Session-Id', () => {
  const sealing = createSealer(new Uint8Array(32).fill(7))
  const stateWith = (capabilities: unknown) => createSessionState('2025-11-25', { capabilities })

  it('carries all that makes its session', () => {
    const state = stateWith({ elicitation: {} })
    const id = sealSessionState(sealing, state, 'owner')
    expect(id).to.match(/^[\x21-\x7e]{1,400}$/)
    expect(openSessionState(sealing, id, 'owner')).to.deep.equal(state)
    expect(createInitializeRequest(state)).to.have.nested.property('params.protocolVersion', '2025-11-25')
  })

  it('is another one each time', () => {
    const ids = Array.from({ length: 100 }, () => sealSessionState(sealing, stateWith({}), 'owner'))
    expect(new Set(ids).size).to.equal(100)
  })

  it('opens for nobody else, with no other key, and not changed', () => {
    const id = sealSessionState(sealing, stateWith({}), 'owner')
    expect(openSessionState(sealing, id, 'other')).to.equal(null)
    expect(openSessionState(createSealer(new Uint8Array(32).fill(8)), id, 'owner')).to.equal(null)
    for (let at = 0; at < id.length; at++) {
      const changed = id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1)
      expect(openSessionState(sealing, changed, 'owner'), String(at)).to.equal(null)
    }
    expect(
      openSessionState(
        sealing,
        sealing.seal('task', { n: 'x', r: '2025-11-25', c: {}, u: 1e12 }, null, 'owner'),
        'owner',
      ),
    ).to.equal(null)
  })

  it('is over after a day, however much it is used', () => {
    const state = stateWith({})
    const now = Date.now() / 1000
    expect(state.expiresAtSeconds - now).to.be.within(24 * 3600 - 2, 24 * 3600 + 2)
    expect(
      openSessionState(sealing, sealSessionState(sealing, { ...state, expiresAtSeconds: now - 1 }, 'owner'), 'owner'),
    ).to.equal(null)
  })

  it('stays short: of large capabilities it carries those that count here', () => {
    const large = { experimental: { x: { y: 'z'.repeat(5000) } }, roots: { listChanged: true }, sampling: {} }
    for (const [elicitation, kept] of [
      [{ url: {} }, { url: {} }],
      [{ form: { x: 'x' } }, { form: {} }],
      [{}, {}],
    ]) {
      const { capabilities } = stateWith({ ...large, elicitation })
      expect(capabilities).to.deep.equal({ elicitation: kept, sampling: {}, roots: {} })
    }
    expect(stateWith(7).capabilities).to.deep.equal({})
  })
})

describe('Bridge: a session restored by another process', () => {
  const api = new FixtureApi()
  const env = { MCP_SECRET: randomBytes(32).toString('base64') }
  let bridge: TestBridge

  const start = async (
    own: Record<string, string> = env,
    limits = { maxSessions: 100, maxSessionsPerCaller: 100, maxIdleMs: 60_000 },
  ) => {
    const made = await startTestBridge(api.url, own, limits)
    await made.ready
    return made
  }
  const restart = async () => {
    const { port } = bridge
    await bridge.stop()
    bridge = await start({ ...env, BRIDGE_PORT: String(port) })
  }

  before(async () => {
    await api.start()
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true }))
    api.setHandler('DELETE /v1/widgets/x', (_, response) => sendReply(response, 200, { id: 'x' }))
    bridge = await start()
  })
  after(async () => {
    await bridge.stop()
    await api.stop()
  })

  it('goes on when its bridge was started anew, with all that its client can do', async () => {
    let questionCount = 0
    const client = await connectClient(
      bridge.url,
      { 'x-api-key': 'k' },
      {
        answerQuestion: () => {
          questionCount++
          return { action: 'accept', content: { confirm: true } }
        },
      },
    )
    for (let turn = 1; turn <= 2; turn++) {
      await restart()
      expect(bridge.countSessions()).to.equal(0)
      const result = await client.callTool({ name: 'delete_widget', arguments: { id: 'x' } })
      expect(result.structuredContent).to.deep.equal({ id: 'x' })
      expect(questionCount).to.equal(turn)
      expect(bridge.countSessions()).to.equal(1)
    }
    await client.close()
  })

  it('keeps its revision', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-03-26')
    await restart()
    const batch = [ping, { ...ping, id: 2 }]
    expect(parseMessages(await postJsonRpc(bridge.url, batch, headers)).flat()).to.have.length(2)
  })

  it('is begun again once by requests that come at the same time', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    await restart()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, id) => postJsonRpc(bridge.url, { ...ping, id }, headers)),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 10 }, () => 200))
    expect(bridge.countSessions()).to.equal(1)
  })

  it('finds a session again that made room for another one', async () => {
    const small = await start(env, { maxSessions: 1, maxSessionsPerCaller: 1, maxIdleMs: 60_000 })
    const [one, other] = [
      await startBareSession(small.url, '2025-11-25'),
      await startBareSession(small.url, '2025-11-25'),
    ]
    for (const { headers } of [one, other, one]) {
      expect((await postJsonRpc(small.url, ping, headers)).status).to.equal(200)
      expect(small.countSessions()).to.equal(1)
    }
    await small.stop()
  })

  it('is not begun again where there is no room', async () => {
    const small = await start(env, { maxSessions: 1, maxSessionsPerCaller: 1, maxIdleMs: 60_000 })
    const [one, other] = [
      await startBareSession(small.url, '2025-11-25'),
      await startBareSession(small.url, '2025-11-25'),
    ]
    const ended = new AbortController()
    await fetch(small.url, { headers: { ...one.headers, accept: 'text/event-stream' }, signal: ended.signal })
    const refused = await postJsonRpc(small.url, ping, other.headers)
    expect(refused.status).to.equal(503)
    expect(refused.headers['retry-after']).to.equal('5')
    ended.abort()
    await small.stop()
  })

  it('ends with its bridge where no secret was given, which is said', async () => {
    const alone = await start({})
    const { headers } = await startBareSession(alone.url, '2025-11-25')
    expect(alone.logEntries.filter(({ msg }) => String(msg).startsWith('MCP_SECRET is not set'))).to.have.length(1)
    await alone.stop()
    expect((await postJsonRpc(bridge.url, ping, headers)).status).to.equal(404)
    expect(bridge.logEntries.filter(({ msg }) => String(msg).startsWith('REDIS_URL is not set'))).to.have.length(1)
  })

  it('passes over the wish for a task, of which it declares nothing', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const params = { name: 'echo', arguments: { value: 'x' }, task: { ttl: 1000 } }
    const answer = await postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
    expect(parseMessages(answer)[0]).to.have.nested.property('result.structuredContent.ok', true)
  })
})
