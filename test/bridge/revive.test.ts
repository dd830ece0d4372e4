import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { initializeOf, newState, openState, sealState } from '../../bridge/eras/session/revive.ts'
import { sealer } from '../../bridge/seal.ts'
import { bareSession, connect, messagesOf, post } from '../support/bridge-client.ts'
import { bridgeFor, FixtureApi, reply, type TestBridge } from '../support/bridge-fixture.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('a session id', () => {
  const sealing = sealer(new Uint8Array(32).fill(7))
  const stateWith = (capabilities: unknown) => newState('2025-11-25', { capabilities })

  it('carries all that makes its session', () => {
    const state = stateWith({ elicitation: {} })
    const id = sealState(sealing, state, 'owner')
    expect(id).to.match(/^[\x21-\x7e]{1,400}$/)
    expect(openState(sealing, id, 'owner')).to.deep.equal(state)
    expect(initializeOf(state)).to.have.nested.property('params.protocolVersion', '2025-11-25')
  })

  it('is another one each time', () => {
    const ids = Array.from({ length: 100 }, () => sealState(sealing, stateWith({}), 'owner'))
    expect(new Set(ids).size).to.equal(100)
  })

  it('opens for nobody else, with no other key, and not changed', () => {
    const id = sealState(sealing, stateWith({}), 'owner')
    expect(openState(sealing, id, 'other')).to.equal(null)
    expect(openState(sealer(new Uint8Array(32).fill(8)), id, 'owner')).to.equal(null)
    for (let at = 0; at < id.length; at++) {
      const changed = id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1)
      expect(openState(sealing, changed, 'owner'), String(at)).to.equal(null)
    }
    expect(openState(sealing, sealing.seal('task', { n: 'x', r: '2025-11-25', c: {}, u: 1e12 }, null, 'owner'), 'owner')).to.equal(null)
  })

  it('is over after a day, however much it is used', () => {
    const state = stateWith({})
    const now = Date.now() / 1000
    expect(state.until - now).to.be.within(24 * 3600 - 2, 24 * 3600 + 2)
    expect(openState(sealing, sealState(sealing, { ...state, until: now - 1 }, 'owner'), 'owner')).to.equal(null)
  })

  it('stays short: of large capabilities it carries those that count here', () => {
    const large = { experimental: { x: { y: 'z'.repeat(5000) } }, roots: { listChanged: true }, sampling: {} }
    for (const [elicitation, kept] of [[{ url: {} }, { url: {} }], [{ form: { x: 'x' } }, { form: {} }], [{}, {}]]) {
      const { capabilities } = stateWith({ ...large, elicitation })
      expect(capabilities).to.deep.equal({ elicitation: kept, sampling: {}, roots: {} })
    }
    expect(stateWith(7).capabilities).to.deep.equal({})
  })
})

describe('a session', () => {
  const api = new FixtureApi()
  const env = { MCP_SECRET: randomBytes(32).toString('base64') }
  let bridge: TestBridge

  const start = async (own: Record<string, string> = env, limits = { total: 100, each: 100, idle: 60_000 }) => {
    const made = await bridgeFor(api.url, own, limits)
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
    api.on('POST /v1/echo', (_, response) => reply(response, 200, { ok: true }))
    api.on('DELETE /v1/widgets/x', (_, response) => reply(response, 200, { id: 'x' }))
    bridge = await start()
  })
  after(async () => {
    await bridge.stop()
    await api.stop()
  })

  it('goes on when its bridge was started anew, with all that its client can do', async () => {
    let asked = 0
    const client = await connect(bridge.url, { 'x-api-key': 'k' }, {
      answering: () => {
        asked++
        return { action: 'accept', content: { confirm: true } }
      },
    })
    for (let turn = 1; turn <= 2; turn++) {
      await restart()
      expect(bridge.sessions()).to.equal(0)
      const result = await client.callTool({ name: 'delete_widget', arguments: { id: 'x' } })
      expect(result.structuredContent).to.deep.equal({ id: 'x' })
      expect(asked).to.equal(turn)
      expect(bridge.sessions()).to.equal(1)
    }
    await client.close()
  })

  it('keeps its revision', async () => {
    const { headers } = await bareSession(bridge.url, '2025-03-26')
    await restart()
    const batch = [ping, { ...ping, id: 2 }]
    expect(messagesOf(await post(bridge.url, batch, headers)).flat()).to.have.length(2)
  })

  it('is begun again once by requests that come at the same time', async () => {
    const { headers } = await bareSession(bridge.url, '2025-11-25')
    await restart()
    const answers = await Promise.all(Array.from({ length: 10 }, (_, id) => post(bridge.url, { ...ping, id }, headers)))
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 10 }, () => 200))
    expect(bridge.sessions()).to.equal(1)
  })

  it('that made room for another is there all the same', async () => {
    const small = await start(env, { total: 1, each: 1, idle: 60_000 })
    const [one, other] = [await bareSession(small.url, '2025-11-25'), await bareSession(small.url, '2025-11-25')]
    for (const { headers } of [one, other, one]) {
      expect((await post(small.url, ping, headers)).status).to.equal(200)
      expect(small.sessions()).to.equal(1)
    }
    await small.stop()
  })

  it('is not begun again where there is no room', async () => {
    const small = await start(env, { total: 1, each: 1, idle: 60_000 })
    const [one, other] = [await bareSession(small.url, '2025-11-25'), await bareSession(small.url, '2025-11-25')]
    const ended = new AbortController()
    await fetch(small.url, { headers: { ...one.headers, accept: 'text/event-stream' }, signal: ended.signal })
    const refused = await post(small.url, ping, other.headers)
    expect(refused.status).to.equal(503)
    expect(refused.headers['retry-after']).to.equal('5')
    ended.abort()
    await small.stop()
  })

  it('ends with its bridge where no secret was given, which is said', async () => {
    const alone = await start({})
    const { headers } = await bareSession(alone.url, '2025-11-25')
    expect(alone.logged.filter(({ msg }) => String(msg).startsWith('MCP_SECRET is not set'))).to.have.length(1)
    await alone.stop()
    expect((await post(bridge.url, ping, headers)).status).to.equal(404)
    expect(bridge.logged.filter(({ msg }) => String(msg).startsWith('REDIS_URL is not set'))).to.have.length(1)
  })

  it('passes over the wish for a task, of which it declares nothing', async () => {
    const { headers } = await bareSession(bridge.url, '2025-11-25')
    const params = { name: 'echo', arguments: { value: 'x' }, task: { ttl: 1000 } }
    const answer = await post(bridge.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
    expect(messagesOf(answer)[0]).to.have.nested.property('result.structuredContent.ok', true)
  })
})
