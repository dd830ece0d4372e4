import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import {
  callMcpTool,
  connectClient,
  catchError,
  readResourceText,
  getResultText,
} from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, sendReply } from '../../support/bridge/bridge-fixture.ts'

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

  it('is whole up to 8 MiB', async () => {
    const whole = Buffer.from(JSON.stringify({ rows: 'x'.repeat(8 * mebibyte - 11) }))
    expect(whole.length).to.equal(8 * mebibyte)
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, whole))
    const result = await callMcpTool(client, 'echo', { value: 'x' })
    expect(result.structuredContent).to.deep.equal(JSON.parse(whole.toString()))
  })

  it('is not read into memory past 64 MiB, and can be read in ranges', async () => {
    const part = Buffer.alloc(mebibyte, 'x')
    const left: Promise<unknown>[] = []
    api.setHandler('GET /v1/widgets/w/log', (_, response) => {
      left.push(once(response, 'close'))
      response.writeHead(200, { 'content-type': 'text/csv' })
      const parts = Readable.from(Array.from({ length: 80 }, () => part))
      parts.pipe(response)
    })
    const uri = `${api.url}/v1/widgets/w/log`
    const refused = await catchError(client.readResource({ uri }))
    expect(refused.message).to.contain('larger than 67108864 bytes; read it in ranges (#bytes=<first>-<last>)')
    await left[0]
    expect(typeof api.lastRequest.abortedAtMs).to.equal('number')
    expect((await readResourceText(client, `${uri}#bytes=70000000-70000009`)).text).to.equal('x'.repeat(10))
  })
})
