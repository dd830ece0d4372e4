import { expect } from 'chai'
import { parseMessages, sendRawRequest } from '../../../support/bridge/bridge-client.ts'
import { useFixtureBridge, sendReply } from '../../../support/bridge/bridge-fixture.ts'
import {
  connectModernClient,
  sendModernRequest,
  createModernRequest,
  parseResult,
} from '../../../support/bridge/modern-client.ts'

const job = (status: string, completed: number) =>
  `data: ${JSON.stringify({ id: 'j1', type: 'publish', status, total: 4, completed, failed: 0 })}\n\n`

describe('Revision 2026-07-28: progress', () => {
  const { api, bridge } = useFixtureBridge()

  before(() => {
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true }))
    api.setHandler('POST /v1/widgets/publish', (_, response) =>
      sendReply(response, 202, { jobId: 'j1' }, { location: '/v1/jobs/j1' }),
    )
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end([job('pending', 0), job('pending', 2), job('completed', 4)].join(''))
    })
  })

  const publish = { name: 'publish_widgets', arguments: { filters: [] } }
  const meta = { progressToken: 'p-1' }

  it('is told on the stream of the call, which ends with the answer', async () => {
    const answer = await sendModernRequest(bridge.url, 'tools/call', publish, { id: 'c', meta })
    expect(answer.status).to.equal(200)
    expect(answer.headers).to.include({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    const messages = parseMessages(answer)
    const last = messages.pop()
    const createProgress = (progress: number, status: string) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p-1', progress, total: 4, message: `publish job ${status}` },
    })
    expect(messages).to.deep.equal([
      createProgress(0, 'pending'),
      createProgress(2, 'pending'),
      createProgress(4, 'completed'),
    ])
    expect(last).to.include({ id: 'c' }).and.to.have.nested.property('result.resultType', 'complete')
    expect(answer.text).not.to.match(/^id:/m)
  })

  it('reaches the reference client', async () => {
    const client = await connectModernClient(bridge.url)
    const progressValues: number[] = []
    await client.callTool(publish, { onprogress: ({ progress }) => progressValues.push(progress) })
    expect(progressValues).to.deep.equal([0, 2, 4])
    await client.close()
  })

  it('is not told to who did not ask, or takes no stream', async () => {
    for (const sending of [{}, { meta, headers: { accept: 'application/json' } }]) {
      const answer = await sendModernRequest(bridge.url, 'tools/call', publish, sending)
      expect(answer.headers['content-type']).to.equal('application/json')
      expect(parseResult(answer)).to.have.nested.property('structuredContent.jobId', 'j1')
    }
  })

  it('takes no stream where there is nothing to tell', async () => {
    for (const params of [
      { name: 'echo', arguments: { value: 'x' } },
      { name: 'echo', arguments: {} },
      { name: 'nothing' },
    ]) {
      const answer = await sendModernRequest(bridge.url, 'tools/call', params, { meta })
      expect(answer.headers['content-type']).to.equal('application/json')
    }
    expect((await sendModernRequest(bridge.url, 'tools/list', {}, { meta })).headers['content-type']).to.equal(
      'application/json',
    )
  })

  it('comes as one message a line of data, whatever stands in it', async () => {
    const body = '{"jobId":\n"j1",\r\n"note":"a\\nb"}'
    api.setHandler('POST /v1/widgets/publish', (_, response) =>
      sendReply(response, 202, body, { location: '/v1/jobs/j1' }),
    )
    const { message, headers } = createModernRequest('tools/call', publish, { meta })
    const answer = await sendRawRequest(bridge.url, { headers, body: JSON.stringify(message) })
    const { result } = parseMessages(answer).at(-1) as { result: { structuredContent: unknown } }
    expect(result.structuredContent).to.deep.include({ jobId: 'j1', note: 'a\nb', status: 'completed' })
  })
})
