import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import getPort from 'get-port'
import { expect } from 'chai'
import { connect } from '../support/bridge-client.ts'
import { FixtureApi, headerOf, jsonOf, reply } from '../support/bridge-fixture.ts'
import { BridgeProcess } from '../support/bridge-process.ts'
import { modern, resultOf } from '../support/modern-client.ts'
import { startRedisServer } from '../support/redis-server.ts'
import { RequestBalancer } from '../support/request-balancer.ts'

const clients = 20
const kills = 8
/** Milliseconds between two kills. */
const pause = 1_500
/** How long a client waits for an answer, in milliseconds. */
const patience = 4_000

const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

describe(`three bridges, of which one after the other is killed ${kills} times`, () => {
  const api = new FixtureApi()
  const balancer = new RequestBalancer()
  const bridges: BridgeProcess[] = []
  const killed: number[] = []
  let redis: Awaited<ReturnType<typeof startRedisServer>>
  let common: Record<string, string>

  const start = async (port: number) => {
    const bridge = new BridgeProcess(port, common, true)
    await bridge.ready()
    return bridge
  }

  before(async function () {
    this.timeout(60_000)
    ;[redis] = await Promise.all([startRedisServer(), api.start(), balancer.start()])
    const secret = randomBytes(32).toString('base64')
    common = { API_URL: api.url, MCP_SECRET: secret, REDIS_URL: redis.url, MCP_URL: balancer.url, MCP_CALLS_PER_MINUTE: '0', LOG_LEVEL: 'warn' }
    api.on('POST /v1/echo', (seen, response) => {
      api.seen.length = 0
      const { value } = jsonOf(seen) as { value: string }
      reply(response, 200, { value, key: headerOf(seen, 'x-api-key') })
    })
    api.on('DELETE /v1/widgets/x', (_, response) => reply(response, 200, { id: 'x' }))
    api.on('POST /v1/widgets/publish', (_, response) => reply(response, 202, { jobId: 'j1' }))
    api.on('GET /v1/jobs/j1', (_, response) => reply(response, 200, { id: 'j1', type: 'publish', status: 'pending' }))
    api.on('GET /v1/jobs/j1/sse', (_, response) => reply(response, 404, {}))
    bridges.push(...(await Promise.all((await Promise.all([0, 1, 2].map(() => getPort()))).map(start))))
    balancer.targets = bridges.map(({ url }) => url)
  })
  after(async () => {
    for (const { child } of bridges) child.kill('SIGKILL')
    await balancer.stop()
    await Promise.all([api.stop(), redis.stop()])
  })

  it('lose nothing but what was open at the one that was killed', async function () {
    this.timeout(120_000)
    const counts = { done: 0, asked: 0, broken: 0 }
    const strange: string[] = []
    let going = true

    /** One step of a client. What fails has to have been open when a bridge was killed. */
    const step = async (what: string, work: () => Promise<void>) => {
      const began = Date.now()
      try {
        await work()
        counts.done++
      } catch (cause) {
        // What comes in the moment of a death is taken by the machine, and answered by nobody.
        const wasOpen = killed.some((at) => at >= began - 200 && at <= Date.now())
        if (wasOpen) counts.broken++
        else strange.push(`${what}: ${String(cause)}`)
      }
    }

    const connected = (key: string) => connect(balancer.url, { 'x-api-key': key }, {
      answering: () => {
        counts.asked++
        return { action: 'accept', content: { confirm: true } }
      },
    })

    const inSession = async (client: Awaited<ReturnType<typeof connected>>, key: string) => {
      for (let turn = 0; going; turn++) {
        const value = `${key}-${turn}`
        const call = (name: string, args: object) =>
          client.callTool({ name, arguments: args as Record<string, unknown> }, undefined, { timeout: patience })
        await step('a call of a session', async () => {
          expect((await call('echo', { value })).structuredContent).to.deep.equal({ value, key })
        })
        if (turn % 5 === 0)
          await step('a call that asks', async () => {
            expect((await call('delete_widget', { id: 'x' })).structuredContent).to.deep.equal({ id: 'x' })
          })
      }
      await client.close()
    }

    const withoutSession = async (key: string) => {
      const headers = { 'x-api-key': key }
      let taskId: unknown = null
      for (let turn = 0; going; turn++) {
        const value = `${key}-${turn}`
        await step('a call without a session', async () => {
          const answer = await modern(balancer.url, 'tools/call', { name: 'echo', arguments: { value } }, { headers })
          expect(resultOf(answer)).to.deep.include({ structuredContent: { value, key } })
        })
        if (turn % 5 !== 0) continue
        await step('a task', async () => {
          taskId ??= resultOf(await modern(balancer.url, 'tools/call', { name: 'publish_widgets' }, { headers, capabilities }))['taskId']
          expect(resultOf(await modern(balancer.url, 'tasks/get', { taskId }, { headers, capabilities }))).to.include({ status: 'working' })
        })
      }
    }

    const keys = Array.from({ length: clients }, (_, index) => `key-${index}`)
    const sessions = await Promise.all(keys.filter((_, index) => index % 2 === 0).map(async (key) => ({ key, client: await connected(key) })))
    const working = [
      ...sessions.map(({ client, key }) => inSession(client, key)),
      ...keys.filter((_, index) => index % 2 === 1).map(withoutSession),
    ]
    for (let turn = 0; turn < kills; turn++) {
      await sleep(pause)
      const index = turn % bridges.length
      const bridge = bridges[index]
      if (!bridge) throw new Error('There is no such bridge')
      killed.push(Date.now())
      bridge.child.kill('SIGKILL')
      await bridge.ended()
      bridges[index] = await start(bridge.port)
    }
    await sleep(pause)
    going = false
    await Promise.all(working)
    process.stdout.write(`      ${counts.done} answered (${counts.asked} questions to people), ${counts.broken} were open at a bridge that was killed\n`)
    expect([...new Set(strange)]).to.deep.equal([])
    expect(counts.broken).to.be.at.most(kills * clients)
    expect(counts.done).to.be.greaterThan(1000)
    expect(api.complaints).to.deep.equal([])
  })
})
