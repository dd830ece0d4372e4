import { randomBytes } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import { startBareSession, parseMessages, postJsonRpc } from '../../support/bridge/bridge-client.ts'
import {
  startTestBridge,
  FixtureApi,
  getRecordedHeader,
  sendProblem,
  sendReply,
  type TestBridge,
} from '../../support/bridge/bridge-fixture.ts'
import { sendModernRequest, parseError, parseResult } from '../../support/bridge/modern-client.ts'

const extension = 'io.modelcontextprotocol/tasks'
const capabilities = { extensions: { [extension]: {} } }
const created = '2026-07-28T10:00:00.000Z'
const updated = '2026-07-28T10:00:05.000Z'

const state = (completed: number, status = 'pending', more: object = {}) => ({
  id: 'j1',
  type: 'publish',
  status,
  total: 3,
  completed,
  failed: 0,
  result: null,
  errors: [],
  createdAt: created,
  updatedAt: updated,
  ...more,
})

type Task = Record<string, unknown> & { taskId: string }

describe('tools/call that starts a job, for a client with the capability tasks', () => {
  const api = new FixtureApi()
  const secret = randomBytes(32).toString('base64')
  let bridge: TestBridge

  const start = async () => {
    const made = await startTestBridge(api.url, { MCP_SECRET: secret })
    await made.ready
    return made
  }
  before(async () => {
    await api.start()
    bridge = await start()
  })
  after(async () => {
    await bridge.stop()
    await api.stop()
  })
  beforeEach(() => {
    api.clearRecords()
    api.setHandler('POST /v1/widgets/publish', (_, response) =>
      sendReply(response, 202, { jobId: 'j1', matched: 3 }, { location: '/v1/jobs/j1' }),
    )
    now(state(1))
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => sendProblem(response, 404, { detail: 'No.' }))
  })

  /** What the API says of the job from now on. */
  const now = (job: object) => api.setHandler('GET /v1/jobs/j1', (_, response) => sendReply(response, 200, job))

  const call = (more: object = {}, sending: object = {}) =>
    sendModernRequest(
      bridge.url,
      'tools/call',
      { name: 'publish_widgets', arguments: { filters: [] }, ...more },
      { capabilities, ...sending },
    )
  const begin = async () => parseResult<Task>(await call())
  const ask = (taskId: unknown, method = 'get', sending: object = {}, more: object = {}) =>
    sendModernRequest(bridge.url, `tasks/${method}`, { taskId, ...more }, { capabilities, ...sending })

  it('is declared by the bridge', async () => {
    expect(parseResult(await sendModernRequest(bridge.url, 'server/discover'))).to.have.deep.nested.property(
      'capabilities.extensions',
      { [extension]: {} },
    )
  })

  it('is a task, and what the call would have said when the job is over', async () => {
    const task = await begin()
    expect(task).to.deep.include({
      resultType: 'task',
      status: 'working',
      createdAt: created,
      lastUpdatedAt: updated,
      ttlMs: null,
      pollIntervalMs: 1000,
      statusMessage: '1 of 3 done, 0 failed; it cannot be stopped',
    })
    expect(task).not.to.have.any.keys('result', 'error', 'task', 'content', 'structuredContent')
    now(state(2))
    const working = parseResult<Task>(await ask(task.taskId))
    expect(working).to.deep.include({ resultType: 'complete', taskId: task.taskId, status: 'working' })
    expect(working).not.to.have.any.keys('result', 'error')
    now(state(3, 'completed', { result: { published: 3 } }))
    const over = parseResult<Task>(await ask(task.taskId))
    expect(over).to.deep.include({
      resultType: 'complete',
      status: 'completed',
      statusMessage: '3 of 3 done, 0 failed',
    })
    const ended = { jobId: 'j1', matched: 3, ...state(3, 'completed', { result: { published: 3 } }) }
    expect(over['result']).to.deep.include({ resultType: 'complete', structuredContent: ended })
    expect(over['result']).to.have.nested.property('content[0].text').that.contains('is completed: 3 of 3 done')
    expect(over['result']).to.have.nested.property('content[1].text', JSON.stringify(ended))
    expect(over['result']).to.deep.nested.include({
      'content[2].type': 'resource_link',
      'content[2].uri': `${api.url}/v1/jobs/j1`,
    })
    expect(over['result']).not.to.have.property('isError')
    expect(api.complaints).to.deep.equal([])
  })

  it('is completed with an error where the job failed', async () => {
    const { taskId } = await begin()
    now(state(0, 'failed', { failed: 3, errors: [{ line: 2, code: 'required', message: 'is missing' }] }))
    const over = parseResult<Task>(await ask(taskId))
    expect(over['status']).to.equal('completed')
    expect(over['result'])
      .to.include({ isError: true })
      .and.have.nested.property('content[0].text')
      .that.contains('2 required is missing')
  })

  it('is a plain result where the job was over at once', async () => {
    now(state(3, 'completed'))
    const result = parseResult(await call())
    expect(result).to.include({ resultType: 'complete' }).and.not.have.property('taskId')
    expect(result).to.have.nested.property('content[0].text').that.contains('is completed')
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(state(0))}\n\ndata: ${JSON.stringify(state(0, 'failed'))}\n\n`)
    })
    expect(parseResult(await call())).to.include({ resultType: 'complete', isError: true })
  })

  it('is a plain result where the caller cannot see the job', async () => {
    api.setHandler('GET /v1/jobs/j1', (_, response) => sendProblem(response, 403, { detail: 'No.' }))
    const result = parseResult(await call())
    expect(result).to.include({ resultType: 'complete' }).and.not.have.property('taskId')
    expect(result).to.have.nested.property('structuredContent.jobId', 'j1')
  })

  it('is a plain result for a client that does not take tasks, and in a session', async () => {
    const plain = parseResult(await call({ task: { ttl: 1000 } }, { capabilities: {} }))
    expect(plain).to.include({ resultType: 'complete' }).and.not.have.property('taskId')
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'publish_widgets', arguments: { filters: [] }, task: {} },
    }
    expect(parseMessages(await postJsonRpc(bridge.url, message, headers))[0]).to.have.nested.property(
      'result.structuredContent.jobId',
    )
    for (const method of ['tasks/get', 'tasks/list']) {
      const answer = await postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 2, method, params: { taskId: 'x' } }, headers)
      expect(parseMessages(answer)[0], method).to.have.nested.property('error.code', -32601)
    }
  })

  it('is a task and tells no progress where both were asked for', async () => {
    const answer = await call({}, { meta: { progressToken: 'p' } })
    expect(answer.text).not.to.contain('notifications/progress')
    expect(parseMessages(answer).at(-1)).to.have.nested.property('result.resultType', 'task')
  })

  it('is read with the credentials of who asks, and refused as the API refuses', async () => {
    const { taskId } = await begin()
    await ask(taskId, 'get', { headers: { 'x-api-key': 'another' } })
    expect(getRecordedHeader(api.lastRequest, 'x-api-key')).to.equal('another')
    for (const [status, code] of [
      [401, 401],
      [403, 403],
      [404, -32602],
      [429, 429],
      [500, -32603],
    ] as const) {
      api.setHandler('GET /v1/jobs/j1', (_, response) => sendProblem(response, status, { detail: 'No.' }))
      expect(parseError(await ask(taskId)), String(status)).to.include({ status: 200, code })
    }
    api.setHandler('GET /v1/jobs/j1', (_, response) => sendReply(response, 200, ['something else']))
    expect(parseError(await ask(taskId))).to.include({ code: -32603 })
  })

  it('goes on at another bridge, after any start, and for who has another key by now', async () => {
    const { taskId } = await begin()
    await bridge.stop()
    bridge = await start()
    now(state(3, 'completed'))
    const over = parseResult(await ask(taskId, 'get', { headers: { 'x-api-key': 'rotated' } }))
    expect(over).to.have.nested.property('result.structuredContent.matched', 3)
    const stranger = await startTestBridge(api.url, { MCP_SECRET: randomBytes(32).toString('base64') })
    await stranger.ready
    const foreign = await sendModernRequest(stranger.url, 'tasks/get', { taskId }, { capabilities })
    expect(parseError(foreign)).to.include({ status: 200, code: -32602 })
    await stranger.stop()
  })

  it('carries what the call answered only where it is short', async () => {
    const long = { jobId: 'j1', notes: 'n'.repeat(2000) }
    api.setHandler('POST /v1/widgets/publish', (_, response) =>
      sendReply(response, 202, long, { location: '/v1/jobs/j1' }),
    )
    const { taskId } = await begin()
    expect(taskId.length).to.be.below(500)
    now(state(3, 'completed'))
    const { structuredContent } = parseResult<{ result: CallToolResult }>(await ask(taskId)).result
    expect(structuredContent).to.deep.equal({ jobId: 'j1', ...state(3, 'completed') })
  })

  it('takes an answer or a wish to stop, and says nothing to it', async () => {
    const { taskId } = await begin()
    api.clearRecords()
    for (const [method, more] of [
      ['update', { inputResponses: { any: { action: 'accept' } } }],
      ['cancel', {}],
    ] as const) {
      const result = parseResult(await ask(taskId, method, {}, more))
      expect(
        Object.keys(result).filter((key) => key !== '_meta'),
        method,
      ).to.deep.equal(['resultType'])
    }
    expect(api.recordedRequests).to.deep.equal([])
    expect(parseError(await ask(taskId, 'update', {}, { inputResponses: 7 }))).to.include({ code: -32602 })
    expect(parseResult(await ask(taskId))).to.include({ status: 'working' })
  })

  it('has an id that nobody else makes', async () => {
    const { taskId } = await begin()
    api.clearRecords()
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const [version, body, mac] = taskId.split('.')
    const elsewhere = Buffer.from(
      Buffer.from(body ?? '', 'base64url')
        .toString()
        .replace('/v1/jobs/j1', '/v1/secrets'),
    ).toString('base64url')
    const strange = [
      'x',
      '',
      `${taskId}x`,
      `${version}.${elsewhere}.${mac}`,
      `${version}.${body}.`,
      headers['mcp-session-id'],
    ]
    for (const id of strange) {
      for (const method of ['get', 'update', 'cancel']) {
        const { code } = parseError(await ask(id, method, { headers: { 'mcp-name': String(id) } }))
        expect(code, `${method} ${String(id)}`).to.equal(-32602)
      }
    }
    expect(api.recordedRequests).to.deep.equal([])
  })

  it('is refused to a client that does not take tasks', async () => {
    const { taskId } = await begin()
    for (const method of ['get', 'update', 'cancel']) {
      const refused = parseError(await ask(taskId, method, { capabilities: {} }))
      expect(refused, method).to.include({ status: 400, code: -32021 })
      expect(refused.data).to.deep.equal({ requiredCapabilities: capabilities })
    }
    for (const method of ['list', 'result']) {
      expect(parseError(await ask(taskId, method)), method).to.include({ status: 404, code: -32601 })
    }
  })

  it('is known by its name in the header', async () => {
    const { taskId } = await begin()
    for (const headers of [{ 'mcp-name': 'other' }, { 'mcp-name': undefined }])
      expect(parseError(await ask(taskId, 'get', { headers }))).to.include({ status: 400, code: -32020 })
  })
})
