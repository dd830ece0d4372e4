import type { ServerResponse } from 'node:http'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import { callMcpTool, connectClient, getResultText } from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, getRecordedHeader, sendProblem, sendReply } from '../../support/bridge/bridge-fixture.ts'
import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js'

const state = (completed: number, status = 'pending', more: object = {}) => ({
  id: 'j1',
  type: 'publish',
  status,
  total: 3,
  completed,
  failed: 0,
  result: null,
  errors: [],
  ...more,
})

const send = (response: ServerResponse, ...states: object[]) => {
  for (const one of states) response.write(`id: 1\ndata: ${JSON.stringify(one)}\n\n`)
}
const open = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

describe('tools/call that starts a job: progress and result', () => {
  const { api, bridge } = useFixtureBridge()
  let client: Client

  before(async () => {
    client = await connectClient(bridge.url, { 'x-api-key': 'k' })
  })
  after(() => client.close())
  beforeEach(() => {
    api.clearRecords()
    api.setHandler('POST /v1/widgets/publish', (_, response) =>
      sendReply(response, 202, { jobId: 'j1', matched: 3 }, { location: '/v1/jobs/j1' }),
    )
  })

  async function followed(): Promise<{ result: CallToolResult; progress: Progress[] }> {
    const progress: Progress[] = []
    const result = await client.callTool({ name: 'publish_widgets', arguments: { filters: {} } }, undefined, {
      onprogress: (one) => progress.push(one),
    })
    return { result: result as CallToolResult, progress }
  }

  it('returns at once where no progress is asked for', async () => {
    const result = await callMcpTool(client, 'publish_widgets', { filters: {} })
    expect(api.recordedRequests.map(({ url }) => url)).to.deep.equal(['/v1/widgets/publish'])
    expect(result.content.at(-1)).to.deep.include({ type: 'resource_link', uri: `${api.url}/v1/jobs/j1` })
    expect(result.structuredContent).to.deep.equal({ jobId: 'j1', matched: 3 })
  })

  it('tells each step forward and returns when the job is over', async () => {
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      open(response)
      response.write(':\n\n')
      send(response, state(0), state(1), state(1), state(3, 'completed'))
    })
    const { result, progress } = await followed()
    expect(progress.map(({ progress: done, total }) => [done, total])).to.deep.equal([
      [0, 3],
      [1, 3],
      [3, 3],
    ])
    const [sentence, text, ...others] = result.content
    expect(sentence).to.have.property('text', 'The publish job j1 is completed: 3 of 3 done, 0 failed.')
    expect(result.structuredContent).to.deep.equal({ jobId: 'j1', matched: 3, ...state(3, 'completed') })
    expect(JSON.parse(text?.type === 'text' ? text.text : '')).to.deep.equal(result.structuredContent)
    expect(others).to.have.length(1)
    expect(others[0]).to.include({ type: 'resource_link' })
    expect(JSON.stringify(result)).not.to.contain('pending')
    expect(getRecordedHeader(api.lastRequest, 'accept')).to.equal('text/event-stream')
    expect(getRecordedHeader(api.lastRequest, 'x-api-key')).to.equal('k')
    expect(api.complaints).to.deep.equal([])
  })

  it('says why a job failed', async () => {
    const errors = [{ line: 2, path: 'name', code: 'required', message: 'is missing' }]
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      open(response)
      send(response, state(0, 'failed', { failed: 3, errors }))
    })
    const { result } = await followed()
    expect(getResultText(result)).to.contain('is failed: 0 of 3 done, 3 failed.\n- 2 name required is missing')
  })

  it('takes a stream up again that broke off', async () => {
    let times = 0
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      open(response)
      if (++times === 1) {
        send(response, state(1))
        response.write('data: {"half')
        setTimeout(() => response.destroy(), 20)
      } else send(response, state(2), state(3, 'completed'))
    })
    const { progress } = await followed()
    expect(progress.map(({ progress: done }) => done)).to.deep.equal([1, 2, 3])
  })

  it('is answered without its steps where they may not be read', async () => {
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => sendProblem(response, 404, { detail: 'No.' }))
    const { result, progress } = await followed()
    expect(progress).to.deep.equal([])
    expect(result.isError).to.equal(undefined)
  })

  it('is followed under the place that the answer named, then under its number', async () => {
    api.setHandler('POST /v1/widgets/publish', (_, response) =>
      sendReply(response, 202, { jobId: 'j1' }, { location: `${api.url}/v1/widgets/publish/j1/status` }),
    )
    api.setHandler('GET /v1/widgets/publish/j1/status/sse', (_, response) =>
      sendProblem(response, 404, { detail: 'No.' }),
    )
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      open(response)
      send(response, state(3, 'completed'))
    })
    const { progress } = await followed()
    expect(progress.map(({ progress: done }) => done)).to.deep.equal([3])
    expect(api.recordedRequests.map(({ url }) => url)).to.deep.equal([
      '/v1/widgets/publish',
      '/v1/widgets/publish/j1/status/sse',
      '/v1/jobs/j1/sse',
    ])
  })
})
