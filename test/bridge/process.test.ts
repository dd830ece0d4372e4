import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import getPort from 'get-port'
import { expect } from 'chai'
import { bareSession, connect, messagesOf, post, raw } from '../support/bridge-client.ts'
import { bridgeDocument } from '../support/bridge-document.ts'
import { FixtureApi, reply } from '../support/bridge-fixture.ts'

const entry = new URL('../../bridge/server.ts', import.meta.url).pathname

/** The bridge as a process of its own, with everything it wrote. */
class Process {
  readonly child: ChildProcess
  readonly port: number
  output = ''

  constructor(port: number, env: Record<string, string>, ipc: boolean) {
    this.port = port
    const full = { PATH: process.env['PATH'] ?? '', NODE_ENV: 'test', BRIDGE_PORT: String(port), ...env }
    this.child = ipc
      ? fork(entry, { env: full, silent: true })
      : spawn(process.execPath, [entry], { env: full, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
      })
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  async ready(): Promise<unknown> {
    return (await once(this.child, 'message'))[0] as unknown
  }

  /** The lines of the log that say this. */
  lines(text: string): string[] {
    return this.output.split('\n').filter((line) => line.includes(text))
  }

  async says(text: string): Promise<void> {
    for (let turn = 0; this.lines(text).length === 0; turn++) {
      if (turn > 1000) throw new Error(`It did not say ${text}: ${this.output}`)
      await sleep(10)
    }
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode
    return (await once(this.child, 'exit'))[0] as number | null
  }
}

describe('the process of the bridge', () => {
  const running: Process[] = []
  const api = new FixtureApi()

  async function start(env: Record<string, string>, ipc = true): Promise<Process> {
    const made = new Process(await getPort(), env, ipc)
    running.push(made)
    return made
  }
  before(() => api.start())
  after(() => api.stop())
  afterEach(async () => {
    for (const one of running.splice(0)) {
      one.child.kill('SIGKILL')
      await one.ended()
    }
    api.document = bridgeDocument()
    api.etag = '"1"'
  })

  const ready = async ({ port }: Process) => await raw(`http://127.0.0.1:${port}/health/ready`, { method: 'GET' })

  it('does not start with a wrong setting, and names it', async () => {
    const wrong = await start({ API_URL: 'ftp://secret-part/' }, false)
    expect(await wrong.ended()).to.equal(1)
    expect(wrong.output)
      .to.contain('API_URL is not allowed: it must be an http or https address')
      .and.not.contain('secret-part')
  })

  it('tells its parent when it is ready, and stops in order when the parent is gone', async () => {
    const bridge = await start({ API_URL: api.url })
    expect(await bridge.ready()).to.deep.equal({ ready: true })
    expect((await ready(bridge)).status).to.equal(200)
    bridge.child.disconnect()
    expect(await bridge.ended()).to.equal(0)
  })

  it('waits for an API that is away, and is ready when it comes', async () => {
    const port = await getPort()
    const late = new FixtureApi()
    const bridge = await start({ API_URL: `http://127.0.0.1:${port}` })
    await bridge.says('cannot be loaded')
    expect((await ready(bridge)).status).to.equal(503)
    expect((await post(bridge.url, {})).status).to.equal(503)
    await late.start(port)
    await bridge.ready()
    expect((await ready(bridge)).text).to.equal('{"status":"ok"}')
    expect(bridge.lines('cannot be loaded')).to.have.length(1)
    await late.stop()
  })

  it('takes a new document on SIGHUP, keeps the last good one when it is no use, and says so in one line', async () => {
    const bridge = await start({ API_URL: api.url })
    await bridge.ready()
    const client = await connect(bridge.url)
    const count = async () => (await client.listTools()).tools.length
    const before = await count()
    const changed = bridgeDocument()
    delete changed.paths['/v1/echo']
    api.document = changed
    api.etag = '"2"'
    bridge.child.kill('SIGHUP')
    while ((await count()) !== before - 1) await sleep(10)
    api.document = { ...changed, components: { schemas: {} } }
    api.etag = '"3"'
    for (let turn = 0; turn < 3; turn++) {
      bridge.child.kill('SIGHUP')
      await bridge.says('cannot be used')
      await sleep(50)
    }
    expect(await count()).to.equal(before - 1)
    expect(bridge.lines('cannot be used')).to.have.length(1)
    expect(bridge.lines('cannot be used')[0]).to.match(/names nothing.*the last good one stays/)
    expect((await ready(bridge)).text).to.equal('{"status":"degraded","parts":["api"]}')
    await client.close()
  })

  it('shows the same bytes after every start', async () => {
    const lists: string[] = []
    for (let turn = 0; turn < 2; turn++) {
      const bridge = await start({ API_URL: api.url })
      await bridge.ready()
      const { headers } = await bareSession(bridge.url, '2025-11-25')
      const list = await post(`${bridge.url}?schemas=full`, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
      lists.push(list.text)
    }
    expect(lists[0]).to.contain('create_widget')
    expect(lists[1]).to.equal(lists[0])
  })

  it('finishes what is in hand on SIGTERM, and ends what only listens', async () => {
    api.on('POST /v1/wait', async (_, response) => {
      await sleep(400)
      reply(response, 200, { done: true })
    })
    const bridge = await start({ API_URL: api.url }, false)
    await bridge.says('document loaded')
    const { headers } = await bareSession(bridge.url, '2025-11-25')
    const listening = await fetch(bridge.url, { headers: { ...headers, accept: 'text/event-stream' } })
    api.forget()
    const answer = post(bridge.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } }, headers)
    while (api.seen.length === 0) await sleep(5)
    bridge.child.kill('SIGTERM')
    expect(await listening.text()).to.equal('')
    expect(messagesOf(await answer)[0]).to.have.nested.property('result.structuredContent.done', true)
    expect(await bridge.ended()).to.equal(0)
  })

  it('ends with its reason when its port is taken', async () => {
    const port = await getPort()
    const other = new FixtureApi()
    await other.start(port)
    const bridge = await start({ API_URL: api.url, BRIDGE_PORT: String(port) }, false)
    expect(await bridge.ended()).to.equal(1)
    expect(bridge.output).to.contain('EADDRINUSE')
    await other.stop()
  })
})
