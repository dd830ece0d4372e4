import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { pino } from 'pino'
import {
  OutboundError,
  type OutboundStreamOptions,
  type StreamedResponse,
} from '../../../core/kernel/ports/outbound.ts'
import { createOutbound } from '../../../core/outbound/outbound.ts'
import { createAuthority, createCertificate, startSecureServer, type SecureServer } from '../../support/network/tls.ts'

const mebibyte = 1024 * 1024
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('core/outbound: streamed fetches', () => {
  let server: SecureServer
  const usual = getCACertificates('default')
  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {}
  let closed: Promise<void>[] = []

  before(async () => {
    const ca = await createAuthority()
    setDefaultCACertificates([...usual, ca.cert])
    server = await startSecureServer(
      await createCertificate(ca, ['good.example', 'hidden.example']),
      (request, response) => {
        closed.push(new Promise((resolve) => request.socket.once('close', () => resolve())))
        routes[request.url ?? '']?.(request, response)
      },
    )
  })
  after(async () => {
    setDefaultCACertificates(usual)
    await server.stop()
  })
  beforeEach(() => {
    closed = []
  })

  const outbound = () =>
    createOutbound({
      settings: {
        outboundAllow: ['good.example'],
        outboundResolve: ['good.example', 'hidden.example'].map((name) => `${name}=127.0.0.1:${server.port}`),
        dnsResolvers: [],
      },
      log: pino({ level: 'silent' }),
    })
  const options: OutboundStreamOptions = {
    mediaTypes: ['text/csv'],
    maxBytes: 100 * mebibyte,
    idleTimeoutMs: 2_000,
    timeoutMs: 10_000,
  }
  const stream = <T>(
    path: string,
    take: (answer: StreamedResponse) => Promise<T>,
    more: Partial<OutboundStreamOptions> = {},
  ) => outbound().stream(path.startsWith('/') ? `https://good.example${path}` : path, { ...options, ...more }, take)
  const all = async ({ body }: StreamedResponse): Promise<Buffer> => {
    const chunks: Buffer[] = []
    for await (const chunk of body ?? []) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const reason = (work: Promise<unknown>) =>
    work.then(
      () => 'taken',
      (cause: unknown) => {
        if (cause instanceof OutboundError) return cause.reason
        throw cause
      },
    )
  const csv = { 'content-type': 'text/csv' }

  it("give every byte in its order, packed or not, with the answer's head", async () => {
    const bytes = randomBytes(5 * mebibyte)
    routes['/a'] = (_, response) => void response.writeHead(200, { ...csv, etag: '"1"' }).end(bytes)
    routes['/z'] = (_, response) =>
      void response.writeHead(200, { ...csv, 'content-encoding': 'gzip' }).end(gzipSync(bytes))
    expect(
      await stream('/a', async (answer) => [answer.headers['etag'], answer.type, digest(await all(answer))]),
    ).to.deep.equal(['"1"', 'text/csv', digest(bytes)])
    expect(await stream('/z', async (answer) => digest(await all(answer)))).to.equal(digest(bytes))
  })

  it('end at the limit, whatever is announced, sent or unpacked', async () => {
    routes['/a'] = (_, response) => void response.writeHead(200, csv).end(Buffer.alloc(3 * mebibyte))
    routes['/told'] = (_, response) =>
      void response.writeHead(200, { ...csv, 'content-length': '3145728' }).flushHeaders()
    const packed = gzipSync(Buffer.alloc(50 * mebibyte))
    routes['/z'] = (_, response) => void response.writeHead(200, { ...csv, 'content-encoding': 'gzip' }).end(packed)
    for (const path of ['/a', '/told', '/z']) {
      let taken = 0
      expect(
        await reason(
          stream(
            path,
            async ({ body }) => {
              for await (const chunk of body ?? []) taken += chunk.length
            },
            { maxBytes: 2 * mebibyte },
          ),
        ),
        path,
      ).to.equal('too_large')
      expect(taken).to.be.at.most(2 * mebibyte)
    }
    await Promise.all(closed)
  })

  it('end when nothing comes for too long: no answer, no body, or no more of it', async () => {
    routes['/never'] = () => undefined
    routes['/head'] = (_, response) => void response.writeHead(200, csv).flushHeaders()
    routes['/half'] = (_, response) => void response.writeHead(200, csv).write('a')
    for (const path of ['/never', '/head', '/half']) {
      const began = performance.now()
      expect(await reason(stream(path, all, { idleTimeoutMs: 200 })), path).to.equal('timeout')
      expect(performance.now() - began).to.be.at.least(150)
    }
    routes['/drip'] = (_, response) => {
      response.writeHead(200, csv)
      const drip = setInterval(() => response.write('a'), 50)
      response.once('close', () => clearInterval(drip))
    }
    expect(await reason(stream('/drip', all, { idleTimeoutMs: 200, timeoutMs: 600 }))).to.equal('timeout')
    await Promise.all(closed)
  })

  it('do not blame the source for a reader that is slow', async () => {
    routes['/a'] = (_, response) => void response.writeHead(200, csv).end(Buffer.alloc(mebibyte))
    const size = await stream(
      '/a',
      async ({ body }) => {
        let bytes = 0
        for await (const chunk of body ?? []) {
          if (bytes === 0) await sleep(2_500)
          bytes += chunk.length
        }
        return bytes
      },
      { idleTimeoutMs: 2_000 },
    )
    expect(size).to.equal(mebibyte)
  })

  it('throw what the reader throws, and end the connection', async () => {
    routes['/a'] = (_, response) => void response.writeHead(200, csv).write(Buffer.alloc(mebibyte))
    const own = new Error('my own')
    let thrown: unknown
    await stream('/a', async ({ body }) => {
      for await (const _ of body ?? []) throw own
    }).catch((cause: unknown) => {
      thrown = cause
    })
    expect(thrown).to.equal(own)
    await Promise.all(closed)
  })

  it('end when they are called off, with the reason that was given', async () => {
    routes['/half'] = (_, response) => void response.writeHead(200, csv).write('a')
    routes['/never'] = () => undefined
    for (const path of ['/half', '/never']) {
      const called = new AbortController()
      const abortReason = new Error('called off')
      setTimeout(() => called.abort(abortReason), 100)
      expect(await stream(path, all, { signal: called.signal }).catch((cause: unknown) => cause), path).to.equal(
        abortReason,
      )
    }
    await Promise.all(closed)
  })

  it('say when the body breaks off or is not what its head says', async () => {
    routes['/cut'] = (_, response) => {
      response.writeHead(200, { ...csv, 'content-length': '100' }).write('a')
      setTimeout(() => response.destroy(), 20)
    }
    routes['/bad'] = (_, response) =>
      void response.writeHead(200, { ...csv, 'content-encoding': 'gzip' }).end('no gzip')
    routes['/html'] = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('x')
    routes['/gone'] = (_, response) => void response.writeHead(410).end('x')
    expect(await reason(stream('/cut', all))).to.equal('unreachable')
    expect(await reason(stream('/bad', all))).to.equal('content_type')
    expect(await reason(stream('/html', all))).to.equal('content_type')
    expect(await reason(stream('/gone', all))).to.equal('http_status')
    expect(await stream('/gone', all).catch(({ status }: OutboundError) => status)).to.equal(410)
  })

  it('go no further than they may, and say nothing has changed where that was asked', async () => {
    routes['/to'] = (_, response) => void response.writeHead(302, { location: 'https://hidden.example/a' }).end()
    routes['/same'] = ({ headers }, response) =>
      void response.writeHead(headers['if-none-match'] === '"1"' ? 304 : 500).end()
    expect(await reason(stream('/to', all))).to.equal('blocked_address')
    expect(await stream('/same', async ({ body }) => body, { headers: { 'if-none-match': '"1"' } })).to.equal(null)
  })

  it('know without asking anybody which addresses they will never fetch', async () => {
    const { findObjection } = outbound()
    for (const fine of ['https://example.com/a?b', 'http://good.example/x', 'https://8.8.8.8/', 'https://8.8.8.8:443/'])
      expect(findObjection(fine), fine).to.equal(undefined)
    for (const never of [
      'http://example.com/',
      'https://a:b@example.com/',
      'https://10.0.0.1/',
      'https://[::1]/',
      'ftp://example.com/',
      'x',
      'https://example.com:8443/',
      'http://good.example:8080/x',
      'https://8.8.8.8:80/',
      'https://localhost/',
      'https://a.localhost./',
    ]) {
      expect(findObjection(never), never).to.be.a('string')
    }
  })
})
