import { expect } from 'chai'
import { request } from 'undici'
import { platform } from '../../../support/platform.ts'
import { formatHead, openRawConnection } from '../../../support/network/raw.ts'

describe('Request line and headers', () => {
  const ask = async (text: string | Buffer) => {
    const { send, answer, closed } = await openRawConnection(platform.api)
    send(text)
    const answered = await answer()
    return { ...answered, closed }
  }

  it('answer 431 above 32 KiB, and are read below', async () => {
    const small = await ask(formatHead('GET', '/health/live', { 'X-Filler': 'x'.repeat(31 * 1024) }))
    expect(small.status).to.equal(200)
    const large = await ask(formatHead('GET', '/health/live', { 'X-Filler': 'x'.repeat(33 * 1024) }))
    expect(large.status).to.equal(431)
    expect(JSON.parse(large.body)).to.deep.include({
      type: `${platform.api}/problems/REQUEST_HEADERS_TOO_LARGE`,
      code: 'REQUEST_HEADERS_TOO_LARGE',
      status: 431,
      title: 'Head too large',
      requestId: large.headers['x-request-id'],
    })
    expect(large.headers['content-type']).to.equal('application/problem+json; charset=utf-8')
    await large.closed
  })

  it('answer 431 to megabytes while the client still sends, and never cut off before the answer', async () => {
    const filler = 'x'.repeat(4 * 1024 * 1024)
    for (let time = 0; time < 20; time++) {
      const { statusCode, body } = await request(`${platform.api}/health/live?filler=${filler}`)
      expect(statusCode).to.equal(431)
      expect(await body.json()).to.include({ code: 'REQUEST_HEADERS_TOO_LARGE' })
    }
  })

  it('answer 400 and end the connection for what is not HTTP, or has two lengths', async () => {
    const live = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n'
    for (const text of [
      'NONSENSE\r\n\r\n',
      'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
      `${live}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${live}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      `${live}Content-Length: -1\r\n\r\n`,
      `${live}Bad Name: 1\r\n\r\n`,
      `${live}Folded: a\r\n b\r\n\r\n`,
      `${live}Transfer-Encoding: gzip\r\n\r\n`,
      'GET /health/live HTTP/1.1\r\n\r\n',
      `${live}X: a\u0000b\r\n\r\n`,
    ]) {
      const { status, body, closed } = await ask(text)
      expect(status, JSON.stringify(text)).to.equal(400)
      expect((JSON.parse(body) as { code: string }).code).to.equal('INVALID_REQUEST')
      await closed
    }
  })

  it('may ask for any path: tricks lead nowhere', async () => {
    for (const path of [
      '/v1/../health/live',
      '/v1/%2e%2e/health/live',
      '//health/live',
      '/health/live/',
      '/HEALTH/live',
      '/health/live%00',
      '/health%2flive',
      '/.',
      '/v1/dpp/passports/..%2f..%2fopenapi.json',
      '/v1/applications/%',
      '/assets/../../package.json',
      '/assets/%2e%2e%2fpackage.json',
      '*',
      '/v1/applications/;x',
    ]) {
      const { status, body } = await ask(formatHead('GET', path, {}))
      expect(status, path).to.be.within(400, 404)
      expect(body, path).not.to.contain('"dependencies"')
    }
  })

  it('count by their path in absolute form, where it names the same host as Host', async () => {
    expect((await ask(formatHead('GET', 'http://localhost/health/live', {}))).status).to.equal(200)
    expect((await ask(formatHead('GET', 'http://LOCALHOST:80/health/live', {}))).status).to.equal(200)
  })

  it('answer 400 and end the connection for two hosts', async () => {
    const live = 'GET /health/live HTTP/1.1\r\n'
    for (const text of [
      `${live}Host: test\r\nHost: evil.example\r\n\r\n`,
      `${live}Host: test\r\nHost: test\r\n\r\n`,
      `${live}Host: test\r\nX: 1\r\nhOST: evil.example\r\n\r\n`,
      `GET /health/live HTTP/1.0\r\nHost: test\r\nHost: test\r\n\r\n`,
      `${live}Host: test\r\n Host: evil.example\r\n\r\n`,
      `${live}Host: test, evil.example\r\n\r\n`,
      `${live}Host: test evil.example\r\n\r\n`,
      `${live}Host: user@evil.example\r\n\r\n`,
      `${live}Host: evil.example/path\r\n\r\n`,
      `${live}Host: test:80:80\r\n\r\n`,
      `${live}Host:\r\n\r\n`,
      `${live}Host : test\r\n\r\n`,
      formatHead('GET', 'http://evil.example/health/live', {}),
      formatHead('GET', 'http://localhost:8080/health/live', {}),
      formatHead('GET', 'http://localhost@evil.example/health/live', {}),
      formatHead('GET', 'evil.example/health/live', {}),
    ]) {
      const { status, body, closed } = await ask(text)
      expect(status, JSON.stringify(text)).to.equal(400)
      expect((JSON.parse(body) as { code: string }).code).to.equal('INVALID_REQUEST')
      await closed
    }
  })

  it('answer 400 to two lengths of the body, or to an unknown transfer coding', async () => {
    const post = 'POST /v1/dpp/credentials/verify HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n'
    const chunk = '2\r\n{}\r\n0\r\n\r\n'
    for (const text of [
      `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
      `${post}Content-Length: 2, 2\r\n\r\n{}`,
      `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
      `${post}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n${chunk}`,
      `${post}Transfer-Encoding: chunked, identity\r\n\r\n${chunk}`,
      `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${chunk}`,
      `${post}Transfer-Encoding: chunked, chunked\r\n\r\n${chunk}`,
      `${post}Transfer-Encoding: xchunked\r\n\r\n${chunk}`,
      `${post}Transfer-Encoding:\r\n chunked\r\n\r\n${chunk}`,
      `${post}Content-Length: +2\r\n\r\n{}`,
      `${post}Content-Length: 0x2\r\n\r\n{}`,
    ]) {
      const { status, closed } = await ask(text)
      expect(status, JSON.stringify(text)).to.equal(400)
      await closed
    }
  })
})
