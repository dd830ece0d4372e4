import { connect as openSocket } from 'node:net'
import { expect } from 'chai'
import { startBareSession, callMcpTool, connectClient, postJsonRpc } from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, getRecordedHeader, sendReply } from '../../support/bridge/bridge-fixture.ts'
import { sendModernRequest, createModernRequest } from '../../support/bridge/modern-client.ts'

/** Whether an answer is there to its end, of a server that states lengths or closes. */
function isWhole(answer: string): boolean {
  const [, length] = /^content-length: (\d+)\r$/im.exec(answer) ?? []
  const body = answer.indexOf('\r\n\r\n') + 4
  return length !== undefined && body >= 4 && answer.length >= body + Number(length)
}

/** Sends bytes and reads the answer, or until the other side is silent. */
async function socket(port: number, bytes: Buffer | string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const connection = openSocket(port, '127.0.0.1', () => connection.write(bytes))
    connection.on('data', (chunk) => {
      chunks.push(chunk)
      if (isWhole(Buffer.concat(chunks).toString('latin1'))) connection.destroy()
    })
    connection.on('error', reject)
    connection.setTimeout(10_000, () => connection.destroy())
    connection.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })
}

describe('Bridge: requests forwarded to the API', () => {
  const { api, bridge } = useFixtureBridge()

  before(async () => {
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true }))
    api.setHandler('GET /v1/widgets', (_, response) => sendReply(response, 200, { data: [], total: 0 }))
  })
  after(async () => {
    expect(api.complaints).to.deep.equal([])
  })
  beforeEach(() => api.recordedRequests.splice(0))

  const echo = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { value: 'x' } } }
  const bytesOf = (message: unknown) => Buffer.from(JSON.stringify(message))

  /** A request as bytes, so that nothing corrects it on the way. */
  const wire = (headers: readonly string[], body: Buffer, port: number) =>
    Buffer.concat([
      Buffer.from(
        [
          `POST /mcp HTTP/1.1`,
          `Host: 127.0.0.1:${port}`,
          'Content-Type: application/json',
          'Accept: application/json, text/event-stream',
          ...headers,
          '',
          '',
        ].join('\r\n'),
        'latin1',
      ),
      body,
    ])

  it('are the headers of the caller that the API needs unchanged, our own, and no other', async () => {
    const credentials = {
      authorization: 'Bearer a.b-c_d~e+f/g==',
      'x-api-key': 'tsr key',
      cookie: 'a=1; tessera.session="x,y"; b=%20',
    }
    const { headers } = await startBareSession(bridge.url, '2025-11-25', credentials)
    const noise = {
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-host': 'evil',
      'x-forwarded-proto': 'https',
      forwarded: 'for=6.6.6.6',
      traceparent: '00-evil-evil-01',
      'idempotency-key': 'i',
      'idempotency-window': '60',
      tracestate: 'a=1',
      'x-request-id': 'r',
      'user-agent': 'u',
      'if-match': '"1"',
      'accept-language': 'de',
      te: 'trailers',
      'x-http-method-override': 'DELETE',
    }
    await postJsonRpc(bridge.url, echo, { ...headers, ...noise })
    const sent = Object.fromEntries(api.lastRequest.headers)
    expect(Object.keys(sent).sort()).to.deep.equal([
      'accept',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'cookie',
      'host',
      'idempotency-key',
      'idempotency-window',
      'mcp-session-id',
      'traceparent',
      'x-api-key',
      'x-forwarded-for',
    ])
    expect(sent).to.include({
      ...credentials,
      'mcp-session-id': headers['mcp-session-id'],
      'idempotency-key': 'i',
      'idempotency-window': '60',
      host: new URL(api.url).host,
      'x-forwarded-for': '127.0.0.1',
      accept: 'application/json, application/problem+json',
      'content-type': 'application/json',
    })
    expect(sent['traceparent'])
      .to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
      .and.not.contain('evil')
  })

  it('is no credential where the caller has none', async () => {
    const client = await connectClient(bridge.url)
    await callMcpTool(client, 'echo', { value: 'x' })
    for (const name of ['authorization', 'x-api-key', 'cookie'])
      expect(getRecordedHeader(api.lastRequest, name)).to.equal(null)
    await client.close()
  })

  it('keeps bytes beyond ASCII in a header as they came', async () => {
    const cookie = Buffer.from('a=ü😀').toString('latin1')
    const { headers } = await startBareSession(bridge.url, '2025-11-25', { cookie })
    await postJsonRpc(bridge.url, echo, headers)
    expect(getRecordedHeader(api.lastRequest, 'cookie')).to.equal(cookie)
  })

  it('has a new trace for every request', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    for (let turn = 0; turn < 3; turn++) await postJsonRpc(bridge.url, echo, headers)
    expect(new Set(api.recordedRequests.map((seen) => getRecordedHeader(seen, 'traceparent'))).size).to.equal(3)
  })

  it('continues the trace of the caller, in any revision, unless it is malformed', async () => {
    const [traceId, parentId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const sendEcho = {
      '2025-11-25': (traceparent: string | string[]) => postJsonRpc(bridge.url, echo, { ...headers, traceparent }),
      '2026-07-28': (traceparent: string | string[]) =>
        sendModernRequest(bridge.url, 'tools/call', echo.params, { headers: { traceparent } }),
    }
    const record = async (revision: keyof typeof sendEcho, traceparent: string | string[]) => {
      expect((await sendEcho[revision](traceparent)).status).to.equal(200)
      return String(getRecordedHeader(api.lastRequest, 'traceparent')).split('-')
    }
    for (const revision of ['2025-11-25', '2026-07-28'] as const) {
      for (const flags of ['00', '01', '03']) {
        const [version, trace, span, sent] = await record(revision, `00-${traceId}-${parentId}-${flags}`)
        expect([version, trace, sent], revision).to.deep.equal(['00', traceId, flags])
        expect(span)
          .to.match(/^[0-9a-f]{16}$/)
          .and.not.equal(parentId)
      }
      expect((await record(revision, `cc-${traceId}-${parentId}-00-later`))[1]).to.equal(traceId)
      for (const malformed of [
        `00-${traceId}-${parentId}-01-later`,
        `00-${traceId.toUpperCase()}-${parentId}-01`,
        `00-${'0'.repeat(32)}-${parentId}-01`,
        `00-${traceId}-${'0'.repeat(16)}-01`,
        `ff-${traceId}-${parentId}-01`,
        `00-${traceId}-${parentId}-1`,
        `${traceId}-${parentId}-01`,
        [`00-${traceId}-${parentId}-01`, `00-${traceId}-${parentId}-01`],
      ]) {
        const [version, trace, , flags] = await record(revision, malformed)
        expect([version, flags], String(malformed)).to.deep.equal(['00', '01'])
        expect(trace)
          .to.match(/^[0-9a-f]{32}$/)
          .and.not.match(new RegExp(traceId, 'i'))
      }
    }
  })

  it('never carries an argument outside of path, query and body', async () => {
    const client = await connectClient(bridge.url, { authorization: 'Bearer mine' })
    for (const value of [
      'a\r\nX-Evil: 1',
      '\r\n\r\nDELETE /v1/widgets/1 HTTP/1.1\r\nHost: x\r\n\r\n',
      '\u0000',
      'Authorization: Bearer theirs',
    ]) {
      await callMcpTool(client, 'echo', { value })
      expect(JSON.parse(api.lastRequest.body.toString())).to.deep.equal({ value })
      expect(getRecordedHeader(api.lastRequest, 'authorization')).to.equal('Bearer mine')
    }
    await client.readResource({ uri: `${api.url}/v1/widgets?filters=${encodeURIComponent('a\r\nX-Evil: 1')}` })
    expect(api.lastRequest.url).to.equal('/v1/widgets?filters=a%0D%0AX-Evil%3A%201')
    expect(
      api.recordedRequests.every(({ url }) => url.startsWith('/v1/echo') || url.startsWith('/v1/widgets?')),
    ).to.equal(true)
    await client.close()
  })

  const modernEcho = createModernRequest('tools/call', echo.params)
  const eras = [
    {
      revision: '2025-11-25',
      message: echo as unknown,
      lines: async () => {
        const { headers } = await startBareSession(bridge.url, '2025-11-25', { authorization: 'Bearer one' })
        return [`Mcp-Session-Id: ${headers['mcp-session-id']}`]
      },
    },
    {
      revision: '2026-07-28',
      message: modernEcho.message,
      lines: async () =>
        Object.entries(modernEcho.headers)
          .filter(([name]) => name.startsWith('mcp-'))
          .map(([name, value]) => `${name}: ${value}`),
    },
  ]
  for (const { revision, message, lines } of eras)
    describe(`HTTP request smuggling, in revision ${revision}`, () => {
      let session: string[]
      before(async () => {
        session = ['Authorization: Bearer one', ...(await lines())]
      })
      const length = (body: Buffer) => `Content-Length: ${body.length}`

      it('refuses a header that may come once and comes twice', async () => {
        const body = bytesOf(message)
        for (const line of [
          'Authorization: Bearer two',
          'Cookie: a=1\r\nCookie: b=2',
          'X-Api-Key: a\r\nX-Api-Key: b',
          'Host: evil.example',
          ...session.slice(1),
        ]) {
          expect(await socket(bridge.port, wire([...session, line, length(body)], body, bridge.port)), line).to.match(
            /^HTTP\/1\.1 400 /,
          )
        }
        expect(api.recordedRequests).to.deep.equal([])
      })

      it('refuses Content-Length beside Transfer-Encoding', async () => {
        const body = Buffer.from('0\r\n\r\nPOST /mcp HTTP/1.1\r\n\r\n')
        expect(
          await socket(bridge.port, wire([...session, length(body), 'Transfer-Encoding: chunked'], body, bridge.port)),
        ).to.match(/^HTTP\/1\.1 400 /)
        for (const strange of [
          'Transfer-Encoding: xchunked',
          'Transfer-Encoding: chunked, identity',
          'Content-Length: 5\r\nContent-Length: 6',
        ]) {
          expect(
            await socket(bridge.port, wire([...session, strange], Buffer.from('5\r\nhello\r\n0\r\n\r\n'), bridge.port)),
            strange,
          ).to.match(/^HTTP\/1\.1 (400|501) /)
        }
        expect(api.recordedRequests).to.deep.equal([])
      })

      it('takes a chunked body and does not forward its framing', async () => {
        const body = bytesOf(message)
        const chunked = Buffer.concat([
          Buffer.from(`${body.length.toString(16)}\r\n`),
          body,
          Buffer.from('\r\n0\r\nX-Trailer: 1\r\n\r\n'),
        ])
        expect(
          await socket(
            bridge.port,
            wire(
              [...session, 'Transfer-Encoding: chunked', 'Connection: keep-alive, Authorization'],
              chunked,
              bridge.port,
            ),
          ),
        ).to.match(/^HTTP\/1\.1 200 /)
        expect(getRecordedHeader(api.lastRequest, 'transfer-encoding')).to.equal(null)
        expect(getRecordedHeader(api.lastRequest, 'authorization')).to.equal('Bearer one')
        expect(getRecordedHeader(api.lastRequest, 'connection')).to.equal('keep-alive')
      })

      it('refuses a line break or a NUL in a header', async () => {
        const body = bytesOf(message)
        for (const line of [
          'Cookie: a=1\rX-Evil: 1',
          'Cookie: a=1\nX-Evil: 1',
          'Cookie: a=\u0000',
          'Cookie : a=1',
          ' folded',
        ]) {
          const answer = await socket(bridge.port, wire([...session, line, length(body)], body, bridge.port))
          expect(answer, JSON.stringify(line)).to.match(/^HTTP\/1\.1 40[04] /)
        }
        expect(api.recordedRequests).to.deep.equal([])
      })

      it('ignores another host in the request line', async () => {
        const body = bytesOf(message)
        const absolute = Buffer.from(
          wire([...session, length(body)], body, bridge.port)
            .toString('latin1')
            .replace('POST /mcp', 'POST http://evil.example/mcp'),
          'latin1',
        )
        expect(await socket(bridge.port, absolute)).to.match(/^HTTP\/1\.1 404 /)
        expect(api.recordedRequests).to.deep.equal([])
      })
    })

  it('leaves no credential and no text of a caller in the log, in any revision', async () => {
    const credentials = { authorization: 'Bearer canary-1', 'x-api-key': 'canary-2', cookie: 'a=canary-3' }
    const client = await connectClient(bridge.url, credentials)
    await callMcpTool(client, 'echo', { value: 'canary-4' })
    await callMcpTool(client, 'echo', { wrong: 'canary-5' })
    await client.callTool({ name: 'canary-6' }).catch(() => null)
    await client.readResource({ uri: `${api.url}/v1/canary-7` }).catch(() => null)
    await client.close()
    const newest = (method: string, params: Record<string, unknown>, headers: Record<string, string> = {}) =>
      sendModernRequest(bridge.url, method, params, {
        headers: { ...credentials, ...headers },
        meta: { 'example.org/canary-8': 1 },
      })
    await newest('tools/call', { name: 'echo', arguments: { value: 'canary-9' } })
    await newest(
      'tools/call',
      { name: 'echo', arguments: { wrong: 'canary-10' } },
      { 'mcp-param-canary-11': 'canary-12' },
    )
    await newest(
      'tools/call',
      { name: 'echo', arguments: {}, requestState: 'canary-13' },
      { 'mcp-session-id': 'canary-14' },
    )
    await newest('tools/call', { name: 'canary-15' }, { 'mcp-name': 'canary-16' })
    await newest('tasks/get', { taskId: 'canary-17' })
    await newest('canary/18', {})
    await postJsonRpc(bridge.url, echo, { ...credentials, 'mcp-session-id': 'canary-19' })
    await postJsonRpc(`${bridge.url}?toolsets=canary-20`, echo, credentials)
    expect(bridge.logEntries.length).to.be.above(0)
    expect(JSON.stringify(bridge.logEntries)).not.to.contain('canary')
  })
})
