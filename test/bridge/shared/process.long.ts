import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import getPort from 'get-port'
import { expect } from 'chai'
import {
  startBareSession,
  connectClient,
  parseMessages,
  postJsonRpc,
  sendRawRequest,
} from '../../support/bridge/bridge-client.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { FixtureApi, sendReply } from '../../support/bridge/bridge-fixture.ts'
import { BridgeProcess } from '../../support/bridge/bridge-process.ts'
import { sendModernRequest, parseResult } from '../../support/bridge/modern-client.ts'
import { RequestBalancer } from '../../support/bridge/request-balancer.ts'

describe('Bridge: the process', () => {
  const running: BridgeProcess[] = []
  const api = new FixtureApi()

  async function start(env: Record<string, string>, ipc = true): Promise<BridgeProcess> {
    const made = new BridgeProcess(await getPort(), env, ipc)
    running.push(made)
    return made
  }
  before(() => api.start())
  after(() => api.stop())
  afterEach(async () => {
    for (const one of running.splice(0)) {
      one.child.kill('SIGKILL')
      await one.waitForEnd()
    }
    api.document = createBridgeDocument()
    api.etag = '"1"'
  })

  const ready = async ({ port }: BridgeProcess) =>
    await sendRawRequest(`http://127.0.0.1:${port}/health/ready`, { method: 'GET' })

  it('does not start with a wrong setting, and names it', async () => {
    const wrong = await start({ API_URL: 'ftp://secret-part/' }, false)
    expect(await wrong.waitForEnd()).to.equal(1)
    expect(wrong.output)
      .to.contain('API_URL is not allowed: it must be an http or https address')
      .and.not.contain('secret-part')
  })

  it('tells its parent when it is ready, and stops in order when the parent is gone', async () => {
    const bridge = await start({ API_URL: api.url })
    expect(await bridge.waitUntilReady()).to.deep.equal({ ready: true })
    expect((await ready(bridge)).status).to.equal(200)
    bridge.child.disconnect()
    expect(await bridge.waitForEnd()).to.equal(0)
  })

  it('waits for an API that is away, and is ready when it comes', async () => {
    const port = await getPort()
    const late = new FixtureApi()
    const bridge = await start({ API_URL: `http://127.0.0.1:${port}` })
    await bridge.waitForLine('cannot be loaded')
    expect((await ready(bridge)).status).to.equal(503)
    expect((await postJsonRpc(bridge.url, {})).status).to.equal(503)
    await late.start(port)
    await bridge.waitUntilReady()
    expect((await ready(bridge)).text).to.equal('{"status":"ok"}')
    expect(bridge.findLines('cannot be loaded')).to.have.length(1)
    await late.stop()
  })

  it('takes a new document on SIGHUP, keeps the last good one when it is no use, and says so in one line', async () => {
    const bridge = await start({ API_URL: api.url })
    await bridge.waitUntilReady()
    const client = await connectClient(bridge.url)
    const count = async () => {
      const { tools } = parseResult<{ tools: unknown[] }>(await sendModernRequest(bridge.url, 'tools/list'))
      expect((await client.listTools()).tools).to.have.length(tools.length)
      return tools.length
    }
    const before = await count()
    const changed = createBridgeDocument()
    delete changed.paths['/v1/echo']
    api.document = changed
    api.etag = '"2"'
    bridge.child.kill('SIGHUP')
    while (bridge.findLines('document loaded').length < 2) await sleep(10)
    expect(await count()).to.equal(before - 1)
    api.document = { ...changed, paths: {} }
    api.etag = '"3"'
    for (let turn = 0; turn < 3; turn++) {
      bridge.child.kill('SIGHUP')
      await bridge.waitForLine('cannot be used')
      await sleep(50)
    }
    expect(await count()).to.equal(before - 1)
    expect(bridge.findLines('cannot be used')).to.have.length(1)
    expect(bridge.findLines('cannot be used')[0]).to.match(/no operation in it.*the last good one stays/)
    expect((await ready(bridge)).text).to.equal('{"status":"degraded","parts":["api"]}')
    await client.close()
  })

  it('shows the same bytes after every start', async () => {
    const lists: string[] = []
    for (let turn = 0; turn < 2; turn++) {
      const bridge = await start({ API_URL: api.url })
      await bridge.waitUntilReady()
      const { headers } = await startBareSession(bridge.url, '2025-11-25')
      const list = await postJsonRpc(
        `${bridge.url}?schemas=full`,
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers,
      )
      lists.push(list.text)
    }
    expect(lists[0]).to.contain('create_widget')
    expect(lists[1]).to.equal(lists[0])
  })

  it('finishes what is in hand on SIGTERM, and ends what only listens', async () => {
    api.setHandler('POST /v1/wait', async (_, response) => {
      await sleep(400)
      sendReply(response, 200, { done: true })
    })
    const bridge = await start({ API_URL: api.url }, false)
    await bridge.waitForLine('document loaded')
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const listening = await fetch(bridge.url, { headers: { ...headers, accept: 'text/event-stream' } })
    api.clearRecords()
    const answer = postJsonRpc(
      bridge.url,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } },
      headers,
    )
    while (api.recordedRequests.length === 0) await sleep(5)
    bridge.child.kill('SIGTERM')
    expect(await listening.text()).to.equal('')
    expect(parseMessages(await answer)[0]).to.have.nested.property('result.structuredContent.done', true)
    expect(await bridge.waitForEnd()).to.equal(0)
  })

  it('is one of several: when it is killed, another goes on with its sessions and tasks', async () => {
    const balancer = await new RequestBalancer().start()
    const common = { API_URL: api.url, MCP_SECRET: randomBytes(32).toString('base64'), MCP_URL: balancer.url }
    const [first, second] = await Promise.all([start(common), start(common)])
    await Promise.all([first.waitUntilReady(), second.waitUntilReady()])
    balancer.targets = [first.url, second.url]
    api.setHandler('POST /v1/widgets/publish', (_, response) => sendReply(response, 202, { jobId: 'j1' }))
    api.setHandler('GET /v1/jobs/j1', (_, response) =>
      sendReply(response, 200, { id: 'j1', type: 'publish', status: 'pending' }),
    )
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => sendReply(response, 404, {}))
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    balancer.onlyTarget = 0
    const client = await connectClient(balancer.url)
    const { taskId } = parseResult(
      await sendModernRequest(
        balancer.url,
        'tools/call',
        { name: 'publish_widgets', arguments: { filters: [] } },
        { capabilities },
      ),
    )
    await client.listTools()
    balancer.onlyTarget = null
    first.child.kill('SIGKILL')
    await first.waitForEnd()
    for (let turn = 0; turn < 4; turn++) {
      expect((await client.listTools()).tools).not.to.deep.equal([])
      expect(parseResult(await sendModernRequest(balancer.url, 'tasks/get', { taskId }, { capabilities }))).to.include({
        status: 'working',
      })
    }
    await client.close()
    await balancer.stop()
  })

  it('ends with its reason when its port is taken', async () => {
    const port = await getPort()
    const other = new FixtureApi()
    await other.start(port)
    const bridge = await start({ API_URL: api.url, BRIDGE_PORT: String(port) }, false)
    expect(await bridge.waitForEnd()).to.equal(1)
    expect(bridge.output).to.contain(`BRIDGE_PORT ${port} is taken on 127.0.0.1`)
    await other.stop()
  })
})
