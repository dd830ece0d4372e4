import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { createCallLimiter } from '../../../bridge/access/call-limiter.ts'
import { createLocalState } from '../../../bridge/shared/shared-state.ts'
import { RedisSharedState } from '../../../bridge/shared/redis-shared-state.ts'
import { startBareSession, postJsonRpc } from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, sendReply } from '../../support/bridge/bridge-fixture.ts'
import { waitUntil } from '../../support/processes.ts'
import { startRedisServer } from '../../support/database/redis-server.ts'

const echo = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { value: 'x' } } }

describe('Bridge: calls per minute (rate limit)', () => {
  const { api, bridge } = useFixtureBridge({ MCP_CALLS_PER_MINUTE: '12' })

  before(async () => {
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true }))
  })
  beforeEach(() => api.clearRecords())

  it('are counted for each caller alone, and past the limit nothing reaches the API', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25', { authorization: 'Bearer busy' })
    const answers = []
    for (let turn = 0; turn < 12; turn++) answers.push(await postJsonRpc(bridge.url, echo, headers))
    expect(answers.map(({ status }) => status)).to.deep.equal([...Array(10).fill(200), 429, 429])
    expect(api.recordedRequests).to.have.length(10)
    const refused = answers.at(-1)
    expect(Number(refused?.headers['retry-after'])).to.be.within(1, 60)
    expect(JSON.parse(refused?.text ?? '')).to.deep.include({ jsonrpc: '2.0', id: 1 })
    expect(refused?.text).to.match(/More than 12 calls in a minute\. Try again in \d+ s/)
    const other = await startBareSession(bridge.url, '2025-11-25', { authorization: 'Bearer calm' })
    expect((await postJsonRpc(bridge.url, echo, other.headers)).status).to.equal(200)
  })

  it('count each message of a batch, of which there is a largest', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-03-26', { authorization: 'Bearer batches' })
    const batch = (size: number) => Array.from({ length: size }, (_, id) => ({ ...echo, id }))
    expect((await postJsonRpc(bridge.url, batch(101), headers)).status).to.equal(400)
    expect((await postJsonRpc(bridge.url, batch(8), headers)).status).to.equal(200)
    expect((await postJsonRpc(bridge.url, batch(8), headers)).status).to.equal(429)
    expect(api.recordedRequests).to.have.length(8)
  })
})

describe('Bridge: calls per address (rate limit)', () => {
  const { bridge } = useFixtureBridge({ MCP_CALLS_PER_MINUTE: '1' })

  it('end for one that makes up a credential for each', async () => {
    const tell = (turn: number) => postJsonRpc(bridge.url, { ...echo, id: turn }, { 'x-api-key': `made up ${turn}` })
    const statuses = []
    for (let turn = 0; turn < 102; turn++) statuses.push((await tell(turn)).status)
    expect(statuses.indexOf(429)).to.equal(100)
  })
})

describe('Bridge: calls per IPv6 network (rate limit)', () => {
  const { bridge } = useFixtureBridge({ MCP_CALLS_PER_MINUTE: '1', TRUST_PROXY: 'true' })
  const call = async (address: string, headers: Record<string, string> = {}) =>
    (await postJsonRpc(bridge.url, echo, { 'x-forwarded-for': address, ...headers })).status

  it('are counted together for all addresses of a /64, with credentials or without', async () => {
    expect(await call('2001:db8:1:1::1')).not.to.equal(429)
    expect(await call('2001:DB8:1:1:ffff::2')).to.equal(429)
    expect(await call('2001:db8:1:2::1'), 'another network').not.to.equal(429)
    const statuses = []
    for (let turn = 0; turn < 102; turn++)
      statuses.push(await call(`2001:db8:2:1::${turn.toString(16)}`, { 'x-api-key': `made up ${turn}` }))
    expect(statuses.indexOf(429)).to.equal(100)
  })

  it('are counted for each IPv4 address alone, however it is written', async () => {
    expect(await call('192.0.2.1')).not.to.equal(429)
    expect(await call('192.0.2.2')).not.to.equal(429)
    expect(await call('::FFFF:192.0.2.2')).to.equal(429)
  })
})

describe('Bridge: counting of calls over several processes', () => {
  const log = pino({ level: 'silent' })

  it('have a limit of their own for an operation that cannot be undone', async () => {
    const limits = createCallLimiter(1_000, createLocalState(), log)
    for (let turn = 0; turn < 60; turn++) expect(await limits.countCalls('a', 'delete_widget')).to.equal(null)
    expect((await limits.countCalls('a', 'delete_widget'))?.retryAfter).to.be.within(1, 60)
    expect(await limits.countCalls('a', 'publish_widgets')).to.equal(null)
    expect(await limits.countCalls('b', 'delete_widget')).to.equal(null)
    expect(await limits.countCalls('a', null)).to.equal(null)
    limits.close()
  })

  it('is off at 0', async () => {
    const limits = createCallLimiter(0, createLocalState(), log)
    for (let turn = 0; turn < 2_000; turn++) expect(await limits.countCalls('a', null)).to.equal(null)
  })

  it('adds up what processes with one Redis let through, and goes on alone without it', async () => {
    const redis = await startRedisServer()
    const [one, other] = [new RedisSharedState(redis.url, log), new RedisSharedState(redis.url, log)]
    await Promise.all([one.started, other.started])
    const [first, second] = [createCallLimiter(100, one, log, 300), createCallLimiter(100, other, log, 300)]
    for (let turn = 0; turn < 90; turn++) expect(await first.countCalls('a', null)).to.equal(null)
    expect(await second.countCalls('a', null)).to.equal(null)
    // What the first let through is known to the second when it has told its own call.
    let more = 0
    await waitUntil('the other one is told', async () => {
      await sleep(100)
      return (await second.countCalls('a', null)) !== null || more++ > 120
    })
    expect(more).to.be.below(50)
    expect(await second.countCalls('b', null)).to.equal(null)
    await redis.stop()
    await waitUntil('it is seen that Redis is away', () => !other.isReady)
    for (let turn = 0; turn < 99; turn++) expect(await second.countCalls('b', null)).to.equal(null)
    expect((await second.countCalls('b', null))?.retryAfter).to.be.within(1, 60)
    first.close()
    second.close()
    await Promise.all([one.close(), other.close()])
  })
})
