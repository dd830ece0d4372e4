import { connect as openSocket } from 'node:net'
import { expect } from 'chai'
import {
  startBareSession,
  createInitializeRequest,
  postJsonRpc,
  sendRawRequest,
  defaultHeaders,
} from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'

const hello = createInitializeRequest('2025-11-25')

describe('Bridge: refusal of invalid HTTP requests', () => {
  const { bridge } = useFixtureBridge({
    MCP_URL: 'https://mcp.example.org/mcp',
    MCP_ALLOWED_HOSTS: 'bridge.internal:8080',
    MCP_ALLOWED_ORIGINS: 'https://app.example.org',
  })

  const status = async (headers: Record<string, string | string[]>) =>
    (await postJsonRpc(bridge.url, hello, headers)).status

  it('takes its own names, the one of its address and those that were allowed', async () => {
    const { port } = bridge
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      `[::1]:${port}`,
      'mcp.example.org',
      'bridge.internal:8080',
    ]) {
      expect(await status({ host }), host).to.equal(200)
    }
  })

  it('refuses any other Host, as a name that was bound again would send', async () => {
    for (const host of [
      'evil.example.org',
      `evil.example.org:${bridge.port}`,
      '127.0.0.1',
      `127.0.0.1:${bridge.port + 1}`,
      `127.0.0.1:${bridge.port}.evil.example`,
      'bridge.internal',
    ]) {
      expect(await status({ host }), host).to.equal(403)
    }
  })

  it('takes pages of its own origin and of those that were allowed', async () => {
    for (const origin of [
      `http://127.0.0.1:${bridge.port}`,
      `http://localhost:${bridge.port}`,
      'https://mcp.example.org',
      'https://app.example.org',
    ]) {
      expect(await status({ origin }), origin).to.equal(200)
    }
  })

  it('refuses pages of any other origin, with a cookie or without', async () => {
    for (const origin of [
      'https://evil.example.org',
      'null',
      'http://app.example.org',
      'https://app.example.org.evil.example',
      'http://127.0.0.1:1',
    ]) {
      expect(await status({ origin, cookie: 'tessera.session=s' }), origin).to.equal(403)
      expect(
        (await sendRawRequest(bridge.url, { method: 'GET', headers: { origin, accept: 'text/event-stream' } })).status,
        origin,
      ).to.equal(403)
      expect((await sendRawRequest(bridge.url, { method: 'DELETE', headers: { origin } })).status, origin).to.equal(403)
    }
  })

  it('refuses what a page of another site loads or navigates to without saying its origin', async () => {
    const opened = async (site: string) =>
      (
        await sendRawRequest(bridge.url, {
          method: 'GET',
          headers: { 'sec-fetch-site': site, cookie: 'tessera.session=s' },
        })
      ).status
    for (const site of ['cross-site', 'same-site']) expect(await opened(site), site).to.equal(403)
    for (const site of ['none', 'same-origin']) expect(await opened(site), site).to.equal(400)
    expect(await status({ origin: 'https://app.example.org', 'sec-fetch-site': 'cross-site' })).to.equal(200)
  })

  it('lets allowed pages read the answer, never with credentials of the browser', async () => {
    const preflightAnswer = await sendRawRequest(bridge.url, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.org', 'access-control-request-method': 'POST' },
    })
    expect(preflightAnswer.status).to.equal(204)
    expect(preflightAnswer.headers).to.include({
      'access-control-allow-origin': 'https://app.example.org',
      vary: 'Origin',
    })
    const answer = await postJsonRpc(bridge.url, hello, { origin: 'https://app.example.org' })
    expect(answer.headers).to.include({
      'access-control-allow-origin': 'https://app.example.org',
      'access-control-expose-headers': 'Mcp-Session-Id',
    })
    for (const { headers } of [preflightAnswer, answer])
      expect(headers).not.to.have.property('access-control-allow-credentials')
    expect(
      (await sendRawRequest(bridge.url, { method: 'OPTIONS', headers: { origin: 'https://evil.example.org' } }))
        .headers,
    ).not.to.have.property('access-control-allow-origin')
  })

  it('takes application/json only', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'multipart/form-data; boundary=application/json',
      '',
    ]) {
      expect(await status({ 'content-type': type }), type).to.equal(415)
    }
    expect(await status({ 'content-type': 'Application/JSON; charset=utf-8' })).to.equal(200)
    expect(await status({ 'content-encoding': 'gzip' })).to.equal(415)
  })

  for (const name of ['authorization', 'x-api-key', 'mcp-session-id', 'origin', 'content-type', 'x-mcp-readonly']) {
    it(`refuses a request with two ${name} headers`, async () => {
      const value =
        name === 'origin' ? `http://127.0.0.1:${bridge.port}` : name === 'content-type' ? 'application/json' : 'a=b'
      expect(await status({ [name]: [value, value] })).to.equal(400)
    })
  }

  it('takes what the endpoint takes, and nothing larger than it should', async () => {
    expect((await sendRawRequest(bridge.url, { method: 'PUT', headers: defaultHeaders, body: '{}' })).status).to.equal(
      405,
    )
    expect(
      (await sendRawRequest(bridge.url.replace('/mcp', '/other'), { headers: defaultHeaders, body: '{}' })).status,
    ).to.equal(404)
    expect(
      (await sendRawRequest(bridge.url.replace('/mcp', '/mcp/../mcp'), { headers: defaultHeaders, body: '{}' })).status,
    ).to.be.oneOf([200, 400, 404])
    expect(
      (await sendRawRequest(bridge.url, { headers: { ...defaultHeaders, 'content-length': String(17 * 1024 * 1024) } }))
        .status,
    ).to.equal(413)
  })

  describe('answers a client that still sends', () => {
    const sending = async (head: string, part: Buffer, parts: number, end = '') =>
      await new Promise<string>((resolve, reject) => {
        const socket = openSocket(bridge.port, '127.0.0.1')
        let answer = ''
        socket.setEncoding('latin1').on('data', (text: string) => {
          answer += text
        })
        // It reads when it has sent everything.
        socket
          .pause()
          .on('error', reject)
          .on('end', () => socket.end())
          .on('close', () => resolve(answer))
        socket.write(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${bridge.port}\r\n${head}`)
        let left = parts
        const more = () => {
          while (left > 0 && socket.writable) {
            left--
            if (!socket.write(part)) return void socket.once('drain', more)
          }
          if (socket.writable) socket.write(end)
          socket.resume()
        }
        more()
      })

    it('refuses a head of megabytes', async () => {
      const answer = await sending('', Buffer.from(`X-More: ${'x'.repeat(60_000)}\r\n`), 300)
      expect(answer)
        .to.match(/^HTTP\/1\.1 431 /)
        .and.contain('The headers are larger than 32 KiB')
    })

    it('refuses a body of megabytes, with Content-Length or without', async () => {
      const chunk = Buffer.alloc(1024 * 1024, 'x')
      const stated = `Content-Type: application/json\r\nContent-Length: ${17 * chunk.length}\r\n\r\n`
      const open = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
      const framed = Buffer.concat([Buffer.from('100000\r\n'), chunk, Buffer.from('\r\n')])
      for (const answer of [await sending(stated, chunk, 17), await sending(open, framed, 18, '0\r\n\r\n')])
        expect(answer)
          .to.match(/^HTTP\/1\.1 413 /)
          .and.contain('must not be larger than 16777216 bytes')
    })

    it('refuses what is not HTTP', async () => {
      expect(await sending('no header\r\n\r\n', Buffer.from('x'), 1)).to.match(/^HTTP\/1\.1 400 /)
    })
  })

  it('tells anyone whether the process is well', async () => {
    const base = bridge.url.replace('/mcp', '')
    expect(
      (await sendRawRequest(`${base}/health/live`, { method: 'GET', headers: { host: '10.0.0.1' } })).text,
    ).to.equal('{"status":"ok"}')
    expect((await sendRawRequest(`${base}/health/ready`, { method: 'GET' })).text).to.equal('{"status":"ok"}')
  })

  it('needs the same credentials for a whole session', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25', { authorization: 'Bearer one', cookie: 'a=1' })
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await postJsonRpc(bridge.url, ping, headers)).status).to.equal(200)
    const anonymous = { 'mcp-session-id': headers['mcp-session-id'] }
    for (const foreign of [
      { ...headers, authorization: 'Bearer two' },
      { ...headers, 'x-api-key': 'k' },
      { ...headers, cookie: 'a=2' },
      anonymous,
    ]) {
      const answer = await postJsonRpc(bridge.url, ping, foreign)
      expect(answer.status).to.equal(404)
      expect(answer.text).to.equal(
        (await postJsonRpc(bridge.url, ping, { ...foreign, 'mcp-session-id': 'nobody' })).text,
      )
      expect((await sendRawRequest(bridge.url, { method: 'DELETE', headers: foreign })).status).to.equal(404)
      expect(
        (await sendRawRequest(bridge.url, { method: 'GET', headers: { ...foreign, accept: 'text/event-stream' } }))
          .status,
      ).to.equal(404)
    }
    expect((await postJsonRpc(bridge.url, ping, headers)).status).to.equal(200)
  })
})
