import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import { connectClient, catchError, readResourceText } from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, sendProblem, sendReply } from '../../support/bridge/bridge-fixture.ts'

describe('resources/read', () => {
  const { api, bridge } = useFixtureBridge()
  let client: Client

  before(async () => {
    client = await connectClient(bridge.url, { authorization: 'Bearer key' })
  })
  after(() => client.close())
  beforeEach(() => api.clearRecords())

  for (const [kind, mediaType, body] of [
    [
      'JSON with its own spacing and numbers',
      'application/json; charset=utf-8',
      '{ "a" : 1.0, "big": 12345678901234567890, "ü": "\\u00fc" }\n',
    ],
    ['a table with a byte order mark', 'text/csv; charset=utf-8', '\ufeffname;n\r\n"a ""b""";1\r\n'],
    ['an empty body', 'text/csv', ''],
  ] as const) {
    it(`hands on ${kind} byte for byte`, async () => {
      api.setHandler('GET /v1/widgets/x/log', (_, response) =>
        sendReply(response, 200, body, { 'content-type': mediaType }),
      )
      expect(await readResourceText(client, `${api.url}/v1/widgets/x/log`)).to.deep.equal({
        mimeType: mediaType,
        text: body,
      })
    })
  }

  it('hands on a picture of 256 KiB byte for byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 262_144 }, (_, index) => (index * 7) % 256))
    api.setHandler('GET /v1/widgets/x/image', (_, response) =>
      sendReply(response, 200, bytes, { 'content-type': 'image/png' }),
    )
    const { contents } = await client.readResource({ uri: `${api.url}/v1/widgets/x/image?format=png` })
    expect(contents).to.deep.equal([
      { uri: `${api.url}/v1/widgets/x/image?format=png`, mimeType: 'image/png', blob: bytes.toString('base64') },
    ])
    expect(api.lastRequest.url).to.equal('/v1/widgets/x/image?format=png')
  })

  for (const [kind, mediaType, body] of [
    ['a picture', 'image/png', Buffer.from(Array.from({ length: 700_000 }, (_, index) => (index * 7) % 256))],
    ['a table', 'text/csv', Buffer.from('a;ü;😀\n'.repeat(60_000))],
    ['JSON in one line', 'application/json', Buffer.from(JSON.stringify({ rows: '😀'.repeat(150_000) }))],
  ] as const) {
    it(`answers ${kind} of more than 256 KiB by its first part, and names the rest, which leads to the end`, async () => {
      api.setHandler('GET /v1/widgets/x/log', (_, response) =>
        sendReply(response, 200, body, { 'content-type': mediaType }),
      )
      const parts: Buffer[] = []
      for (let uri: string | undefined = `${api.url}/v1/widgets/x/log`; uri !== undefined;) {
        const { contents } = await client.readResource({ uri })
        const [part, rest] = contents
        if (!part) throw new Error('There is no part')
        const bytes = 'text' in part ? Buffer.from(part.text) : Buffer.from(part.blob, 'base64')
        expect(bytes.length).to.be.within(1, 256 * 1024)
        expect(part.mimeType).to.equal(mediaType)
        const first = Buffer.concat(parts).length
        parts.push(bytes)
        const end = first + bytes.length
        if (rest) expect(part.uri).to.equal(`${api.url}/v1/widgets/x/log#bytes=${first}-${end - 1}`)
        if (rest) expect(rest).to.include({ uri: `${api.url}/v1/widgets/x/log#bytes=${end}-`, mimeType: 'text/plain' })
        uri = rest?.uri
      }
      expect(Buffer.concat(parts).equals(body)).to.equal(true)
      expect(parts).to.have.length(Math.ceil(body.length / (256 * 1024)))
    })
  }

  it('hands on any part of a body by its range, and the parts make the whole', async () => {
    const body = 'a;ü;😀\n'.repeat(1000)
    api.setHandler('GET /v1/widgets/x/log', (_, response) =>
      sendReply(response, 200, body, { 'content-type': 'text/csv' }),
    )
    const parts: Buffer[] = []
    for (let first = 0; first < Buffer.byteLength(body); first += 777) {
      const {
        contents: [part],
      } = await client.readResource({ uri: `${api.url}/v1/widgets/x/log#bytes=${first}-${first + 776}` })
      if (part) parts.push('text' in part ? Buffer.from(part.text) : Buffer.from(part.blob, 'base64'))
    }
    expect(Buffer.concat(parts).toString()).to.equal(body)
    expect((await readResourceText(client, `${api.url}/v1/widgets/x/log#bytes=999999-`)).text).to.equal('')
  })

  it('takes filters as an object by field', async () => {
    api.setHandler('GET /v1/widgets', (_, response) => sendReply(response, 200, { data: [], total: 0 }))
    await readResourceText(
      client,
      `${api.url}/v1/widgets?pageSize=5&filters=${encodeURIComponent('{"status":{"eq":"draft"}}')}`,
    )
    expect(api.lastRequest.url).to.equal('/v1/widgets?pageSize=5&filters%5Bstatus%5D%5Beq%5D=draft')
  })

  it('answers something absent with the protocol error, with the problem', async () => {
    api.setHandler('GET /v1/widgets/none', (_, response) =>
      sendProblem(response, 404, { code: 'NOT_FOUND', detail: 'There is none.' }),
    )
    const error = await catchError(client.readResource({ uri: `${api.url}/v1/widgets/none` }))
    expect(error.code).to.equal(-32002)
    expect(error.message).to.contain('404 NOT_FOUND: There is none.')
    expect(error.data).to.deep.include({
      uri: `${api.url}/v1/widgets/none`,
      status: 404,
      code: 'NOT_FOUND',
      requestId: 'r1',
    })
  })

  for (const [status, code] of [
    [400, -32602],
    [422, -32602],
    [401, -32010],
    [403, -32010],
    [429, -32010],
    [500, -32603],
    [503, -32603],
  ] as const) {
    it(`answers with error ${code} and the problem where the API answers ${status}`, async () => {
      api.setHandler('GET /v1/widgets', (_, response) => sendProblem(response, status, { detail: 'No.' }))
      const error = await catchError(client.readResource({ uri: `${api.url}/v1/widgets` }))
      expect(error.code).to.equal(code)
      expect(error.data).to.deep.include({ status, detail: 'No.' })
    })
  }

  it('sends nothing for an unknown address', async () => {
    for (const uri of [
      `${api.url}/v1/widgets/secret`,
      `${api.url}/v1/widgets/../llm/chat`,
      `${api.url}/v1/widgets?colour=red`,
      'file:///etc/passwd',
      'x',
    ]) {
      const error = await catchError(client.readResource({ uri }))
      expect(error.code, uri).to.equal(-32002)
      expect(error.data).to.deep.equal({ uri })
    }
    expect(api.recordedRequests).to.deep.equal([])
  })

  it('shows the full schema of what a tool shows shortened', async () => {
    const { tools } = await client.listTools()
    const [uri] = /tessera:[^ "]*/.exec(JSON.stringify(tools.find(({ name }) => name === 'create_widget'))) ?? []
    const { mimeType, text } = await readResourceText(client, uri ?? '')
    expect(mimeType).to.equal('application/schema+json')
    expect(JSON.parse(text)).to.have.nested.property('properties.member19')
    expect(api.recordedRequests).to.deep.equal([])
  })
})
