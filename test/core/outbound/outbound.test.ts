import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { pino } from 'pino'
import { OutboundError, type FetchedResponse, type OutboundOptions } from '../../../core/kernel/ports/outbound.ts'
import { createOutbound } from '../../../core/outbound/outbound.ts'
import type { AddressLookup } from '../../../core/outbound/address-lookup.ts'
import { createAuthority, createCertificate, startSecureServer, type SecureServer } from '../../support/network/tls.ts'

type Route = (request: IncomingMessage, response: ServerResponse) => void

const json =
  (body: string | Buffer, headers: Record<string, string> = {}): Route =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(body)
  }
const to =
  (location: string, status = 302): Route =>
  (_, response) =>
    void response.writeHead(status, { location }).end('elsewhere')

/** Names that lead to the server; only the first two are allowed to be on this machine. */
const names = { good: 'good.example', other: 'other.example', private: 'private.example', wrong: 'wrong.example' }

describe('core/outbound: guarded fetches', () => {
  let server: SecureServer
  const usualAuthorities = getCACertificates('default')
  const routes: Record<string, Route> = {}
  const recordedRequests: { host: string; url: string; servername: string; headers: IncomingMessage['headers'] }[] = []

  before(async () => {
    const ca = await createAuthority()
    setDefaultCACertificates([...usualAuthorities, ca.cert])
    server = await startSecureServer(
      await createCertificate(ca, [names.good, names.other, names.private]),
      (request, response) => {
        const { headers, url = '/' } = request
        const socket = request.socket as unknown as { servername: string }
        recordedRequests.push({ host: String(headers.host), url, servername: socket.servername, headers })
        routes[url]?.(request, response)
      },
    )
  })

  beforeEach(() => {
    recordedRequests.length = 0
  })

  after(async () => {
    setDefaultCACertificates(usualAuthorities)
    await server.stop()
  })

  const lines: string[] = []
  const fetcher = (lookUp?: AddressLookup, allow: string[] = [names.good, names.other, names.wrong]) => {
    const outboundResolve = lookUp ? [] : Object.values(names).map((name) => `${name}=127.0.0.1:${server.port}`)
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    return createOutbound(
      { settings: { outboundAllow: allow, outboundResolve, dnsResolvers: [] }, log },
      ...(lookUp ? [lookUp] : []),
    )
  }

  const usual: OutboundOptions = { mediaTypes: ['application/json'], maxBytes: 1_000, timeoutMs: 3_000 }
  const get = (path: string, options: Partial<OutboundOptions> = {}): Promise<FetchedResponse> =>
    fetcher().get(path.startsWith('/') ? `https://${names.good}${path}` : path, { ...usual, ...options })

  /** Why nothing was fetched. */
  async function reason(fetching: Promise<FetchedResponse>): Promise<string> {
    try {
      const { status, body } = await fetching
      return `${status} ${body.toString()}`
    } catch (cause) {
      if (cause instanceof OutboundError) return cause.reason
      throw cause
    }
  }

  it('bring the body under the name that was asked for, with no credential and no cookie', async () => {
    routes['/plain?q=1'] = json('{"a":1}', { 'set-cookie': 'c=1', etag: '"x"' })
    for (let time = 0; time < 2; time++) {
      const { status, type, body, url, headers } = await get('/plain?q=1')
      expect([status, type, body.toString(), url]).to.deep.equal([
        200,
        'application/json',
        '{"a":1}',
        `https://${names.good}/plain?q=1`,
      ])
      expect(headers['etag']).to.equal('"x"')
    }
    for (const { host, servername, headers } of recordedRequests) {
      expect([host, servername]).to.deep.equal([names.good, names.good])
      expect(headers).to.have.all.keys('host', 'connection', 'accept', 'accept-encoding', 'user-agent')
    }
  })

  it('take packed bodies, and no more of them than was asked for', async () => {
    const text = JSON.stringify('x'.repeat(500))
    routes['/gzip'] = json(gzipSync(text), { 'content-encoding': 'gzip' })
    routes['/deflate'] = json(deflateSync(text), { 'content-encoding': 'deflate' })
    routes['/br'] = json(brotliCompressSync(text), { 'content-encoding': 'br' })
    for (const path of ['/gzip', '/deflate', '/br']) expect((await get(path)).body.toString()).to.equal(text)

    routes['/unknown'] = json('{}', { 'content-encoding': 'sdch' })
    routes['/twice'] = json(gzipSync(gzipSync('{}')), { 'content-encoding': 'gzip, gzip' })
    routes['/broken'] = json('not packed', { 'content-encoding': 'gzip' })
    for (const path of ['/unknown', '/twice', '/broken']) expect(await reason(get(path)), path).to.equal('content_type')
  })

  it('end at the size limit, whatever is announced, sent or unpacked', async () => {
    routes['/exact'] = json(' '.repeat(1_000))
    routes['/announced'] = (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1001' }).flushHeaders()
    routes['/endless'] = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, 32)));
      }
      response.on('drain', more)
      more()
    }
    // 4 GB, which took longer to unpack than there is time.
    const part = gzipSync(Buffer.alloc(1e6))
    const bomb = Buffer.concat(Array.from({ length: 4_000 }, () => part))
    routes['/bomb'] = json(bomb, { 'content-encoding': 'gzip' })
    const hollow = Buffer.concat(Array.from({ length: 20_000 }, () => gzipSync('')))
    routes['/hollow'] = json(hollow, { 'content-encoding': 'gzip' })
    expect((await get('/exact')).body).to.have.length(1_000)
    for (const path of ['/announced', '/endless', '/bomb', '/hollow'])
      expect(await reason(get(path)), path).to.equal('too_large')
    expect(await reason(get('/bomb', { maxBytes: bomb.length })), 'packed it is small enough').to.equal('too_large')
    routes['/heads'] = (_, response) => void response.writeHead(200, { 'x-long': 'x'.repeat(40_000) }).end()
    expect(await reason(get('/heads'))).to.equal('too_large')
  })

  it('take only the types that were asked for', async () => {
    routes['/html'] = json('{}', { 'content-type': 'text/html' })
    routes['/none'] = (_, response) => void response.writeHead(200).end('{}')
    expect(await reason(get('/html'))).to.equal('content_type')
    expect(await reason(get('/none'))).to.equal('content_type')
    expect((await get('/html', { mediaTypes: [] })).type).to.equal('text/html')
  })

  it('take only an answer of 200, or 304 where they asked whether something has changed', async () => {
    for (const status of [201, 204, 206, 300, 304, 401, 404, 500, 503]) {
      routes[`/${status}`] = (_, response) =>
        void response.writeHead(status, { 'content-type': 'application/json', location: '/plain' }).end()
      expect(await reason(get(`/${status}`)), `${status}`).to.equal('http_status')
    }
    expect(await reason(get('/304', { headers: { 'If-None-Match': '"x"' } }))).to.equal('304 ')
    expect(recordedRequests.at(-1)?.headers['if-none-match']).to.equal('"x"')
    routes['/nowhere'] = (_, response) => void response.writeHead(302).end()
    expect(await reason(get('/nowhere'))).to.equal('http_status')
  })

  it('end when time is over, while nothing, a head or a body is awaited', async () => {
    routes['/silent'] = () => undefined
    routes['/head'] = (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    routes['/drip'] = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    }
    routes['/slow-hops'] = (_, response) => {
      setTimeout(() => response.writeHead(302, { location: '/silent' }).end(), 200)
    }
    const began = Date.now()
    const paths = ['/silent', '/head', '/drip', '/slow-hops']
    const reasons = await Promise.all(paths.map((path) => reason(get(path, { timeoutMs: 400 }))))
    expect(reasons).to.deep.equal(paths.map(() => 'timeout'))
    const asleep = fetcher(() => sleep(100_000, { addresses: ['8.8.8.8'] }, { ref: false })).get('https://a.example/', {
      ...usual,
      timeoutMs: 200,
    })
    expect(await reason(asleep)).to.equal('timeout')
    expect(Date.now() - began).to.be.lessThan(60_000)
  })

  it('follow three redirects and no fourth', async () => {
    routes['/1'] = to('/2', 301)
    routes['/2'] = to(`https://${names.other}/3`, 307)
    routes['/3'] = to('4', 308)
    routes['/4'] = json('{"end":true}')
    const { url, body } = await get('/1')
    expect([url, body.toString()]).to.deep.equal([`https://${names.other}/4`, '{"end":true}'])
    expect(recordedRequests.map(({ host, servername }) => [host, servername])).to.deep.equal(
      [names.good, names.good, names.other, names.other].map((name) => [name, name]),
    )
    routes['/0'] = to('/1')
    expect(await reason(get('/0'))).to.equal('redirects')
    routes['/round'] = to('/round')
    expect(await reason(get('/round'))).to.equal('redirects')
  })

  it('never follow a redirect to where they may not go', async () => {
    const closed = [
      `https://${names.private}/plain?q=1`,
      `http://${names.private}/`,
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/latest',
      'https://2130706433/',
      'file:///etc/passwd',
      'gopher://good.example/',
      'https://public.example:8443/',
      `https://user:word@${names.good}/plain?q=1`,
      `//${names.private}/`,
    ]
    for (const [at, location] of closed.entries()) {
      routes[`/to-${at}`] = to(location)
      expect(await reason(get(`/to-${at}`)), location).to.equal('blocked_address')
    }
    expect(new Set(recordedRequests.map(({ host }) => host))).to.deep.equal(new Set([names.good]))
  })

  it('never reach a private address by a name, an address or another spelling', async () => {
    const { port } = server
    for (const url of [
      `https://${names.private}/`,
      `https://127.0.0.1:${port}/`,
      `https://127.1:${port}/`,
      `https://localhost:${port}/`,
      `http://127.0.0.1:${port}/`,
    ]) {
      expect(await reason(get(url)), url).to.equal('blocked_address')
    }
    expect(recordedRequests).to.deep.equal([])
  })

  it('look a name up once, and connect to what was judged though the name has changed since', async () => {
    let lookUps = 0
    const rebinding: AddressLookup = async () => ({
      addresses: [lookUps++ === 0 ? '8.8.8.8' : '127.0.0.1'],
      port: server.port,
    })
    const found = await reason(
      fetcher(rebinding, []).get(`https://${names.good}/plain?q=1`, { ...usual, timeoutMs: 1_000 }),
    )
    expect(['timeout', 'unreachable']).to.include(found)
    expect([lookUps, recordedRequests.length]).to.deep.equal([1, 0])

    routes['/again'] = to(`https://${names.other}/plain?q=1`)
    const later: AddressLookup = async (host) => {
      lookUps++
      return { addresses: ['127.0.0.1'], port: host === names.good ? server.port : 1 }
    }
    expect(await reason(fetcher(later, [names.good]).get(`https://${names.good}/again`, usual))).to.equal(
      'blocked_address',
    )
    expect([lookUps, recordedRequests.length]).to.deep.equal([3, 1])
  })

  it('say when a name has no address, when nobody answers, and when TLS fails', async () => {
    expect(await reason(get('https://nobody.invalid/'))).to.equal('dns_failed')
    const closed: AddressLookup = async () => ({ addresses: ['127.0.0.1'], port: 1 })
    expect(await reason(fetcher(closed).get(`https://${names.good}/`, usual))).to.equal('unreachable')
    expect(await reason(get(`https://${names.wrong}/`)), 'a certificate for others').to.equal('tls_failed')
    const known = getCACertificates('default')
    setDefaultCACertificates(usualAuthorities)
    expect(await reason(get('/plain?q=1')), 'an authority that nobody knows').to.equal('tls_failed')
    setDefaultCACertificates(known)
    routes['/cut'] = (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '10' })
        .write('x', () => response.destroy())
    expect(await reason(get('/cut'))).to.equal('unreachable')
    expect(recordedRequests.map(({ url }) => url)).to.deep.equal(['/cut'])
  })

  it('leave host and reason in the log, and nothing of path, query or credentials', async () => {
    lines.length = 0
    await reason(get(`https://user:word@${names.private}/path-secret?token=query-secret`))
    await reason(get(`https://${names.private}/path-secret?token=query-secret`))
    routes['/path-secret?token=query-secret'] = (_, response) => void response.writeHead(500).end('body-secret')
    await reason(get('/path-secret?token=query-secret'))
    expect(lines.map((line) => (JSON.parse(line) as { reason: string }).reason)).to.deep.equal([
      'blocked_address',
      'blocked_address',
      'http_status',
    ])
    expect(lines.join()).to.not.match(/secret|word/)
  })
})
