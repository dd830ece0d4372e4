import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import {
  callMcpTool,
  connectClient,
  catchError,
  readResourceText,
  getResultText,
} from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, sendProblem, sendReply } from '../../support/bridge/bridge-fixture.ts'
import { parseResult, sendModernRequest } from '../../support/bridge/modern-client.ts'

const mebibyte = 1024 * 1024

describe('tools/call: an answer too large for a conversation', () => {
  const { api, bridge } = useFixtureBridge()
  const big = Buffer.from(JSON.stringify({ rows: 'x'.repeat(9 * mebibyte) }))
  let client: Client

  before(async () => {
    client = await connectClient(bridge.url)
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, big))
    api.setHandler('POST /v1/pack', (_, response) =>
      sendReply(response, 200, big, { 'content-type': 'application/zip' }),
    )
    api.setHandler('GET /v1/widgets/0198c0de-0000-7000-8000-000000000001/token', (_, response) =>
      sendReply(response, 200, big, { 'content-length': String(big.length) }),
    )
  })
  after(() => client.close())

  it('says of a change that it was made', async () => {
    for (const [name, args] of [
      ['echo', { value: 'x' }],
      ['pack', {}],
    ] as const) {
      const result = await callMcpTool(client, name, args)
      expect(result.isError, name).to.equal(undefined)
      expect(getResultText(result)).to.match(/^Done \(200\)\. The answer is larger than 8 MiB and is not shown\./)
      expect(JSON.stringify(result).length).to.be.below(1000)
    }
  })

  it('is shown by its first part where it was only read', async () => {
    const result = await callMcpTool(client, 'get_widget_token', { id: '0198c0de-0000-7000-8000-000000000001' })
    const [first, note] = result.content as { text: string }[]
    const [, shown, all] = /^The first (\d+) of (\d+) bytes\.$/.exec(note?.text ?? '') ?? []
    expect([Number(shown) > 192 * 1024, Number(shown) <= 256 * 1024, Number(all)]).to.deep.equal([
      true,
      true,
      big.length,
    ])
    expect(first?.text === big.subarray(0, Number(shown)).toString()).to.equal(true)
    expect(result.structuredContent).to.equal(undefined)
  })

  it('is not read into memory by a resource, whose first part names the rest', async () => {
    const part = Buffer.alloc(mebibyte, 'x')
    const left: Promise<unknown>[] = []
    api.setHandler('GET /v1/widgets/w/log', (_, response) => {
      left.push(once(response, 'close'))
      response.writeHead(200, { 'content-type': 'text/csv' })
      const parts = Readable.from(Array.from({ length: 80 }, () => part))
      parts.pipe(response)
    })
    const uri = `${api.url}/v1/widgets/w/log`
    const { contents } = await client.readResource({ uri })
    expect(contents.map((entry) => entry.uri)).to.deep.equal([`${uri}#bytes=0-262142`, `${uri}#bytes=262143-`])
    await left[0]
    expect(typeof api.lastRequest.abortedAtMs).to.equal('number')
    expect((await readResourceText(client, `${uri}#bytes=70000000-70000009`)).text).to.equal('x'.repeat(10))
  })
})

const limit = 256 * 1024
const countBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe('tools/call: an answer larger than 256 KiB', () => {
  const { api, bridge } = useFixtureBridge()
  const readTools = () => `${bridge.url}?read=tools`
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: index, name: `Widget ${index}` }))
  const list = { data: rows, total: 20_000, note: 'x'.repeat(2 * limit), nextCursor: 'abc' }
  let client: Client

  before(async () => {
    client = await connectClient(readTools())
  })
  after(() => client.close())
  beforeEach(() => api.setHandler('GET /v1/widgets', (_, response) => sendReply(response, 200, list)))

  interface Cut {
    path: string
    shown: number
    of: number
  }

  function assertCutList(result: { structuredContent?: unknown; content: unknown; _meta?: object | undefined }): void {
    expect(countBytes(result.structuredContent)).to.be.within(limit - 4096, limit)
    const shown = result.structuredContent as typeof list
    expect(shown).to.include({ total: 20_000, nextCursor: 'abc' })
    expect(shown.data).to.deep.equal(rows.slice(0, shown.data.length))
    const { cuts } = result._meta as { cuts: Cut[] }
    expect(cuts.map(({ path, shown: kept, of }) => [path, kept, of])).to.deep.equal([
      ['data', shown.data.length, 20_000],
      ['note', shown.note.length, 2 * limit],
    ])
    const [first, note, link] = result.content as { text: string; uri: string }[]
    expect(Buffer.byteLength(first?.text ?? '')).to.be.within(limit - 65536, limit)
    expect(note?.text).to.contain(`structuredContent has the first ${shown.data.length} of 20000 entries of data`)
    expect(link?.uri).to.equal(`${api.url}/v1/widgets#bytes=${Buffer.byteLength(first?.text ?? '')}-`)
  }

  it('has a cut list as structured content in a session, says so and links the rest', async () => {
    assertCutList(await callMcpTool(client, 'list_widgets'))
  })

  it('has a cut list as structured content in the modern era, says so and links the rest', async () => {
    const answer = await sendModernRequest(readTools(), 'tools/call', { name: 'list_widgets', arguments: {} })
    assertCutList(parseResult(answer))
  })

  it('links what was changed or made after a change', async () => {
    api.setHandler('PATCH /v1/widgets/w', (_, response) => sendReply(response, 200, list))
    api.setHandler('POST /v1/widgets', (_, response) => sendReply(response, 201, list, { location: '/v1/widgets/w' }))
    const changed = await callMcpTool(client, 'update_widget', { id_path: 'w', note: 'x' })
    expect(changed.isError, getResultText(changed)).to.equal(undefined)
    const made = await callMcpTool(client, 'create_widget', { name: 'x', status: 'draft' })
    for (const result of [changed, made]) {
      expect(countBytes(result.structuredContent)).to.be.at.most(limit)
      expect(result.content.at(-1)).to.include({ type: 'resource_link', uri: `${api.url}/v1/widgets/w` })
    }
  })

  it('is at most 256 KiB of text where its characters have to be made visible', async () => {
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { a: '\u00ad'.repeat(120_000) }))
    const [first] = (await callMcpTool(client, 'echo', { value: 'x' })).content
    expect(Buffer.byteLength(first?.type === 'text' ? first.text : '')).to.be.within(limit - 100, limit)
  })

  it('is cut and says so in a failure, as a result and as an error', async () => {
    const errors = Array.from({ length: 20_000 }, (_, index) => ({ path: `rows[${index}]`, message: 'is wrong' }))
    const problem = { code: 'VALIDATION_FAILED', detail: 'Not valid.', errors }
    api.setHandler('POST /v1/refuse', (_, response) => sendProblem(response, 422, problem))
    api.setHandler('GET /v1/widgets/stats', (_, response) => sendProblem(response, 422, problem))
    const result = await callMcpTool(client, 'refuse', { as: 'x' })
    expect(Buffer.byteLength(getResultText(result))).to.be.within(limit - 16384, limit)
    expect(getResultText(result)).to.match(/The first \d+ of \d+ bytes\.\nCorrect the call/)
    expect(countBytes(result._meta)).to.be.at.most(limit)
    expect(result._meta).to.have.nested.property('problem.cuts[0].of', 20_000)
    const error = await catchError(client.readResource({ uri: `${api.url}/v1/widgets/stats` }))
    expect(countBytes(error.data)).to.be.at.most(limit)
    expect(error.data).to.have.nested.property('cuts[0].path', 'errors')
  })

  it('has a final state of a job that is cut, with the link to the job', async () => {
    const job = { id: 'j1', type: 'publish', status: 'completed', total: 1, completed: 1, failed: 0, errors: [] }
    api.setHandler('POST /v1/widgets/publish', (_, response) => sendReply(response, 202, { jobId: 'j1' }))
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify({ ...job, result: { rows } })}\n\n`)
    })
    const params = { name: 'publish_widgets', arguments: { filters: [] } }
    const result = (await client.callTool(params, undefined, { onprogress: () => undefined })) as CallToolResult
    expect(result.structuredContent).to.include({ status: 'completed', jobId: 'j1' })
    expect(countBytes(result.structuredContent)).to.be.within(limit - 4096, limit)
    expect(result._meta).to.have.nested.property('cuts[0].path', 'result.rows')
    const links = result.content.filter(({ type }) => type === 'resource_link')
    expect(links).to.have.length(1)
    expect(links[0]).to.include({ uri: `${api.url}/v1/jobs/j1` })
  })
})
