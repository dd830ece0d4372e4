import { expect } from 'chai'
import {
  useFixtureBridge,
  getRecordedHeader,
  parseRecordedBody,
  sendProblem,
  sendReply,
} from '../../../support/bridge/bridge-fixture.ts'
import {
  connectModernClient,
  sendModernRequest,
  parseError,
  parseResult,
} from '../../../support/bridge/modern-client.ts'

const png = Buffer.from('89504e470d0a1a0a', 'hex')

interface Called {
  readonly content: { type: string; text?: string; data?: string; mimeType?: string; uri?: string }[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly resultType: string
  readonly _meta: Record<string, unknown>
}

describe('Revision 2026-07-28: tool calls (tools/call)', () => {
  const { api, bridge } = useFixtureBridge()

  before(() => {
    api.setHandler('POST /v1/echo', (seen, response) => sendReply(response, 200, { back: parseRecordedBody(seen) }))
    api.setHandler('POST /v1/check', (_, response) => sendReply(response, 200, [1, 2]))
    api.setHandler('GET /v1/widgets/7c0f5a3e-1b1b-4b8e-9b6a-0a2f0c6f4c11/token', (_, response) =>
      sendReply(response, 200, '"secret"'),
    )
    api.setHandler('POST /v1/draw', (_, response) => sendReply(response, 200, png, { 'content-type': 'image/png' }))
    api.setHandler('POST /v1/widgets/publish', (_, response) =>
      sendReply(response, 202, { jobId: 'j1' }, { location: '/v1/jobs/j1' }),
    )
    api.setHandler('POST /v1/refuse', (_, response) =>
      sendProblem(response, 409, { code: 'TAKEN', detail: 'It is taken.' }),
    )
  })
  beforeEach(() => api.clearRecords())

  const call = async (name: string, args?: object, headers: Record<string, string> = {}) =>
    parseResult<Called>(
      await sendModernRequest(bridge.url, 'tools/call', { name, ...(args && { arguments: args }) }, { headers }),
    )

  it('answer with what the API said', async () => {
    const result = await call('echo', { value: 'x' })
    expect(result).to.deep.include({ structuredContent: { back: { value: 'x' } }, resultType: 'complete' })
    expect(result.content).to.deep.equal([{ type: 'text', text: '{"back":{"value":"x"}}' }])
    expect(result).to.not.have.any.keys('isError', 'ttlMs', 'cacheScope')
    expect(result._meta).to.have.property('io.modelcontextprotocol/serverInfo')
  })

  it('leave structured content as it is, whatever kind of JSON that is', async () => {
    expect((await call('check', { body: {} })).structuredContent).to.deep.equal([1, 2])
    expect((await call('get_widget_token', { id: '7c0f5a3e-1b1b-4b8e-9b6a-0a2f0c6f4c11' })).structuredContent).to.equal(
      'secret',
    )
  })

  it('send images as images, and link the job that they started', async () => {
    expect((await call('draw')).content).to.deep.equal([
      { type: 'image', data: png.toString('base64'), mimeType: 'image/png' },
    ])
    expect((await call('publish_widgets', { filters: [] })).content.map(({ uri }) => uri)).to.include(
      `${api.url}/v1/jobs/j1`,
    )
  })

  it('say wrong arguments and refusals of the API in the result', async () => {
    const wrong = await call('echo', { value: 7 })
    expect(wrong).to.include({ isError: true, resultType: 'complete' })
    expect(wrong.content[0]?.text).to.contain('value')
    expect(api.recordedRequests).to.have.length(0)
    const refused = await call('refuse', { as: 'x' })
    expect(refused.content[0]?.text).to.match(/^409 TAKEN: It is taken\./)
    expect(refused._meta).to.have.nested.property('problem.code', 'TAKEN')
    expect(refused._meta).to.have.property('io.modelcontextprotocol/serverInfo')
  })

  it('answer an unknown tool with an error', async () => {
    expect(parseError(await sendModernRequest(bridge.url, 'tools/call', { name: 'nothing' }))).to.include({
      status: 200,
      code: -32602,
    })
    expect(parseError(await sendModernRequest(bridge.url, 'tools/call', {}))).to.include({ status: 200, code: -32602 })
  })

  it('hand on the credentials of each request, and nothing else of it', async () => {
    await call(
      'echo',
      { value: 'x' },
      { authorization: 'Bearer a', 'x-api-key': 'k', cookie: 'c=1', 'mcp-session-id': 's' },
    )
    const named = ['authorization', 'x-api-key', 'cookie', 'mcp-session-id'].map((name) =>
      getRecordedHeader(api.lastRequest, name),
    )
    expect(named).to.deep.equal(['Bearer a', 'k', 'c=1', 's'])
    expect(api.complaints).to.deep.equal([])
    await call('echo', { value: 'y' })
    expect(getRecordedHeader(api.lastRequest, 'authorization')).to.equal(null)
  })

  it('are a part of the trace that the client names, where that is one', async () => {
    const trace = 'af'.repeat(16)
    for (const [traceparent, taken] of [
      [`00-${trace}-${'b7'.repeat(8)}-01`, true],
      [`00-${'0'.repeat(32)}-${'b7'.repeat(8)}-01`, false],
      [`00-${trace}-${'0'.repeat(16)}-01`, false],
      [`ff-${trace}-${'b7'.repeat(8)}-01`, false],
      [`00-${trace}-${'b7'.repeat(8)}-01\r\nx-api-key: k`, false],
      [trace, false],
      [7, false],
    ] as const) {
      await sendModernRequest(bridge.url, 'tools/call', { name: 'draw' }, { meta: { traceparent } })
      const sent = getRecordedHeader(api.lastRequest, 'traceparent') ?? ''
      expect(sent, String(traceparent)).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
      expect(sent.includes(trace), String(traceparent)).to.equal(taken)
      expect(sent).not.to.contain('b7'.repeat(8))
    }
    expect(api.complaints).to.deep.equal([])
  })

  it('give back the id of the request as it came', async () => {
    for (const id of [0, -7, 'a "b" \u2028', '']) {
      const answer = await sendModernRequest(bridge.url, 'tools/call', { name: 'draw' }, { id })
      expect(JSON.parse(answer.text)).to.have.property('id', id)
    }
  })

  it('work with the reference client', async () => {
    const client = await connectModernClient(bridge.url, { 'x-api-key': 'k' })
    const { structuredContent } = await client.callTool({ name: 'check', arguments: { body: {} } })
    expect(structuredContent).to.deep.equal([1, 2])
    await client.close()
  })
})

describe('Revision 2026-07-28: resource reads (resources/read)', () => {
  const { api, bridge } = useFixtureBridge()

  before(() => {
    api.setHandler('GET /v1/widgets/x', (_, response) => sendReply(response, 200, ' {"id": "x"}\n'))
    api.setHandler('GET /v1/widgets/x/image', (_, response) =>
      sendReply(response, 200, png, { 'content-type': 'image/png' }),
    )
    for (const status of [400, 401, 403, 404, 409, 422, 429, 500, 503])
      api.setHandler(`GET /v1/widgets/${status}`, (_, response) =>
        sendProblem(response, status, { code: 'WHY', detail: 'Not so.' }),
      )
  })

  const read = (path: string) => sendModernRequest(bridge.url, 'resources/read', { uri: api.url + path })

  it('answer with the body, which only the reader may keep, and not for long', async () => {
    const { contents, ...rest } = parseResult(await read('/v1/widgets/x'))
    expect(contents).to.deep.equal([
      { uri: `${api.url}/v1/widgets/x`, mimeType: 'application/json', text: ' {"id": "x"}\n' },
    ])
    expect(rest).to.include({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
    const image = parseResult<{ contents: object[] }>(await read('/v1/widgets/x/image'))
    expect(image.contents[0]).to.include({ blob: png.toString('base64'), mimeType: 'image/png' })
  })

  it('let everybody keep a schema of the document', async () => {
    expect(parseResult(await read('/openapi.json#/components/schemas/Part'))).to.include({
      ttlMs: 60_000,
      cacheScope: 'public',
    })
  })

  const codes = {
    400: -32602,
    401: 401,
    403: 403,
    404: -32602,
    409: 409,
    422: -32602,
    429: 429,
    500: -32603,
    503: -32603,
  }
  for (const [status, code] of Object.entries(codes).map(([key, one]) => [Number(key), one] as const))
    it(`answer with the error ${code} where the API answers ${status}`, async () => {
      const refusal = parseError(await read(`/v1/widgets/${status}`))
      expect(refusal).to.include({ status: 200, code })
      expect(refusal.data).to.include({ status, code: 'WHY' })
      if (status === 404) expect(refusal.data).to.include({ uri: `${api.url}/v1/widgets/404` })
    })

  it('answer an unknown address with an error that names it', async () => {
    for (const uri of [`${api.url}/nowhere`, 'https://elsewhere.example/x', 'x']) {
      const refusal = parseError(await sendModernRequest(bridge.url, 'resources/read', { uri }))
      expect(refusal).to.include({ status: 200, code: -32602 })
      expect(refusal.data).to.deep.equal({ uri })
    }
  })
})
