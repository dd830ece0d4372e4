import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import getPort from 'get-port'
import { expect } from 'chai'
import { FixtureApi, sendReply } from '../../support/bridge/bridge-fixture.ts'
import { BridgeProcess } from '../../support/bridge/bridge-process.ts'
import { sendModernRequest } from '../../support/bridge/modern-client.ts'
import type { Attack, AttackReport } from './hostile-bodies.attackers.ts'

/** The most milliseconds that 99 of 100 calls of others may take. */
const maxP99Ms = 500

/** Starts the attackers, in a process of their own, so that the figure is only the bridge's. */
async function startAttackers(): Promise<{ child: ChildProcess; attack: (attack: Attack) => Promise<number[]> }> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = fork(new URL('./hostile-bodies.attackers.ts', import.meta.url), {
    env: { PATH, NODE_COMPILE_CACHE, NODE_ENV: 'test' },
  })
  const readReport = async () => (await once(child, 'message'))[0] as AttackReport
  await readReport()
  const attack = async (what: Attack) => {
    const report = readReport()
    child.send(what)
    const ended = await report
    return 'statuses' in ended ? [...ended.statuses] : []
  }
  return { child, attack }
}

describe('Bridge: hostile bodies', function () {
  this.timeout(180_000)
  const api = new FixtureApi()
  let bridge: BridgeProcess
  let attackers: Awaited<ReturnType<typeof startAttackers>>

  before(async () => {
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true }))
    const env = { API_URL: await api.start(), MCP_CALLS_PER_MINUTE: '0', LOG_LEVEL: 'warn' }
    bridge = new BridgeProcess(await getPort(), env, true)
    await bridge.waitUntilReady()
    attackers = await startAttackers()
  })
  after(async () => {
    bridge.child.kill('SIGKILL')
    attackers.child.kill('SIGKILL')
    await api.stop()
  })

  it(`leave the p99 of other callers below ${maxP99Ms} ms: 16 of 14 MB at once`, async () => {
    const call = () =>
      sendModernRequest(
        bridge.url,
        'tools/call',
        { name: 'echo', arguments: { value: 'x' } },
        {
          headers: { 'x-api-key': 'other' },
        },
      )
    for (let index = 0; index < 20; index++) await call()
    let isOver = false
    const attack = attackers.attack({ url: bridge.url, times: 4 }).finally(() => {
      isOver = true
    })
    const durations: number[] = []
    while (!isOver || durations.length < 200) {
      const startedAt = performance.now()
      expect((await call()).status).to.equal(200)
      durations.push(performance.now() - startedAt)
    }
    durations.sort((a, b) => a - b)
    const p99 = durations[Math.floor(durations.length * 0.99)] ?? Infinity
    const statuses = await attack
    console.log(
      `16 hostile bodies of 14 MB (answered ${statuses.join()}): p99 of ${durations.length} other calls `
        + `${p99.toFixed(1)} ms, slowest ${durations.at(-1)?.toFixed(1)} ms`,
    )
    const countStatus = (status: number) => statuses.filter((one) => one === status).length
    expect([countStatus(200), countStatus(413)]).to.deep.equal([4, 12])
    expect(p99).to.be.below(maxP99Ms)
  })

  it('end after 30 s if they do not arrive', async () => {
    const startedAt = performance.now()
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(bridge.port, '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => (text += chunk.toString()))
      socket.on('error', reject)
      const drip = setInterval(() => socket.write(' '), 1_000)
      socket.on('close', () => {
        clearInterval(drip)
        resolve(text)
      })
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${bridge.port}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
      )
    })
    const seconds = (performance.now() - startedAt) / 1000
    console.log(`a body that drips was ended after ${seconds.toFixed(1)} s`)
    expect(answer)
      .to.match(/^HTTP\/1\.1 408 /)
      .and.contain('did not come in time')
    expect(seconds).to.be.within(29, 35)
  })
})
