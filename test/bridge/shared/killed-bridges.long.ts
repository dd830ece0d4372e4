import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import getPort from 'get-port'
import { expect } from 'chai'
import { connectClient } from '../../support/bridge/bridge-client.ts'
import { FixtureApi, getRecordedHeader, parseRecordedBody, sendReply } from '../../support/bridge/bridge-fixture.ts'
import { BridgeProcess } from '../../support/bridge/bridge-process.ts'
import { sendModernRequest, parseResult } from '../../support/bridge/modern-client.ts'
import { startRedisServer } from '../../support/database/redis-server.ts'
import { RequestBalancer } from '../../support/bridge/request-balancer.ts'

const clients = 20
const kills = 8
/** Milliseconds between two kills. */
const pause = 1_500
/** How long a client waits for an answer, in milliseconds. */
const timeoutMs = 4_000

const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

describe(`Bridge: three processes, killed one after the other ${kills} times`, () => {
  const api = new FixtureApi()
  const balancer = new RequestBalancer()
  const bridges: BridgeProcess[] = []
  const killed: number[] = []
  let redis: Awaited<ReturnType<typeof startRedisServer>>
  let common: Record<string, string>

  const start = async (port: number) => {
    const bridge = new BridgeProcess(port, common, true)
    await bridge.waitUntilReady()
    return bridge
  }

  before(async function () {
    this.timeout(60_000)
    ;[redis] = await Promise.all([startRedisServer(), api.start(), balancer.start()])
    const secret = randomBytes(32).toString('base64')
    common = {
      API_URL: api.url,
      MCP_SECRET: secret,
      REDIS_URL: redis.url,
      MCP_URL: balancer.url,
      MCP_CALLS_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
    }
    api.setHandler('POST /v1/echo', (seen, response) => {
      api.recordedRequests.length = 0
      const { value } = parseRecordedBody(seen) as { value: string }
      sendReply(response, 200, { value, key: getRecordedHeader(seen, 'x-api-key') })
    })
    api.setHandler('DELETE /v1/widgets/x', (_, response) => sendReply(response, 200, { id: 'x' }))
    api.setHandler('POST /v1/widgets/publish', (_, response) => sendReply(response, 202, { jobId: 'j1' }))
    api.setHandler('GET /v1/jobs/j1', (_, response) =>
      sendReply(response, 200, { id: 'j1', type: 'publish', status: 'pending' }),
    )
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => sendReply(response, 404, {}))
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
    const counts = { done: 0, questions: 0, broken: 0 }
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

    const connected = (key: string) =>
      connectClient(
        balancer.url,
        { 'x-api-key': key },
        {
          answerQuestion: () => {
            counts.questions++
            return { action: 'accept', content: { confirm: true } }
          },
        },
      )

    const inSession = async (client: Awaited<ReturnType<typeof connected>>, key: string) => {
      for (let turn = 0; going; turn++) {
        const value = `${key}-${turn}`
        const call = (name: string, args: object) =>
          client.callTool({ name, arguments: args as Record<string, unknown> }, undefined, { timeout: timeoutMs })
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
          const answer = await sendModernRequest(
            balancer.url,
            'tools/call',
            { name: 'echo', arguments: { value } },
            { headers },
          )
          expect(parseResult(answer)).to.deep.include({ structuredContent: { value, key } })
        })
        if (turn % 5 !== 0) continue
        await step('a task', async () => {
          taskId ??= parseResult(
            await sendModernRequest(
              balancer.url,
              'tools/call',
              { name: 'publish_widgets', arguments: { filters: [] } },
              { headers, capabilities },
            ),
          )['taskId']
          expect(
            parseResult(await sendModernRequest(balancer.url, 'tasks/get', { taskId }, { headers, capabilities })),
          ).to.include({
            status: 'working',
          })
        })
      }
    }

    const keys = Array.from({ length: clients }, (_, index) => `key-${index}`)
    const sessions = await Promise.all(
      keys.filter((_, index) => index % 2 === 0).map(async (key) => ({ key, client: await connected(key) })),
    )
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
      await bridge.waitForEnd()
      bridges[index] = await start(bridge.port)
    }
    await sleep(pause)
    going = false
    await Promise.all(working)
    process.stdout.write(
      `      ${counts.done} answered (${counts.questions} questions to people), ${counts.broken} were open at a bridge that was killed\n`,
    )
    expect([...new Set(strange)]).to.deep.equal([])
    expect(counts.broken).to.be.at.most(kills * clients)
    expect(counts.done).to.be.greaterThan(1000)
    expect(api.complaints).to.deep.equal([])
  })
})
