import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { createJsonPoster, createRpc } from '../../../core/chains/evm/rpc/rpc.ts'

const json = { 'content-type': 'application/json' }
const limits = { timeoutMs: 300, maxBytes: 1_000 }

describe('JSON-RPC calls to a node', () => {
  let server: Server
  let listener: RequestListener
  let url: string
  before(async () => {
    server = createServer((request, response) => listener(request, response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })

  /** What comes of asking a node that answers this. */
  const postWithAnswer = async (status: number, body: string | Buffer, headers: Record<string, string> = json) => {
    listener = (_, response) => {
      response.writeHead(status, headers).end(body)
    }
    return createJsonPoster(url, limits)({}).catch((cause: Error) => `${cause.name}: ${cause.message}`)
  }

  it('posts JSON, with the name and password of its address, and reads JSON', async () => {
    let heard: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string }) | undefined
    listener = (request, response) => {
      void text(request).then((body) => {
        const { method, url, headers } = request
        heard = { method, url, headers, body }
        response.writeHead(200, json).end('{"answer": "ja, größer"}')
      })
    }
    const answer = await createJsonPoster(
      `${url.replace('//', '//user:pass%40@')}/v2/key?x=1`,
      limits,
    )({ method: 'größer' })
    expect(answer).to.deep.equal({ answer: 'ja, größer' })
    expect(heard).to.deep.include({ method: 'POST', url: '/v2/key?x=1', body: '{"method":"größer"}' })
    expect(heard?.headers).to.include({
      'content-type': 'application/json',
      'content-length': '21',
      authorization: `Basic ${btoa('user:pass@')}`,
    })
  })

  it('keeps the connection for what comes next', async () => {
    const ports = new Set<number | undefined>()
    listener = ({ socket }, response) => {
      ports.add(socket.remotePort)
      response.writeHead(200, json).end('1')
    }
    const post = createJsonPoster(url, limits)
    for (let times = 0; times < 3; times++) expect(await post({})).to.equal(1)
    expect(ports.size).to.equal(1)
  })

  it('reads what is packed, and no more of it than it may', async () => {
    const packed = { ...json, 'content-encoding': 'gzip' }
    expect(await postWithAnswer(200, gzipSync('[1,2]'), packed)).to.deep.equal([1, 2])
    expect(await postWithAnswer(200, gzipSync(JSON.stringify('x'.repeat(2_000))), packed)).to.equal(
      'PostError: ERR_BUFFER_TOO_LARGE',
    )
    expect(await postWithAnswer(200, JSON.stringify('x'.repeat(2_000)))).to.equal('PostError: ERR_BUFFER_TOO_LARGE')
    expect(await postWithAnswer(200, 'not packed', packed)).to.equal('PostError: Z_DATA_ERROR')
  })

  it('takes an error of the node for an answer, whatever the status, and nothing else', async () => {
    const error = { id: 0, error: { code: 429, message: 'slowly' } }
    expect(await postWithAnswer(429, JSON.stringify(error))).to.deep.equal(error)
    expect(await postWithAnswer(503, '<html>')).to.equal('PostError: HTTP 503')
    expect(await postWithAnswer(500, '{"error": "text"}')).to.equal('PostError: HTTP 500')
    expect(await postWithAnswer(401, 'null')).to.equal('PostError: HTTP 401')
    expect(await postWithAnswer(200, '<html>')).to.equal('PostError: SyntaxError')
  })

  it('says in a word why there is no answer', async () => {
    listener = () => undefined
    const silent = await createJsonPoster(url, { ...limits, timeoutMs: 30 })({}).catch((cause: Error) => cause.message)
    listener = ({ socket }) => socket.destroy()
    const cut = await createJsonPoster(url, limits)({}).catch((cause: Error) => cause.message)
    listener = (_, response) => {
      response.writeHead(200, json).write('[1,')
      setImmediate(() => response.destroy())
    }
    const half = await createJsonPoster(url, limits)({}).catch((cause: Error) => cause.message)
    expect([silent, cut, half]).to.deep.equal(['TimeoutError', 'ECONNRESET', 'ECONNRESET'])
  })

  it('never tells the address, in which operators keep keys', async () => {
    listener = (_, response) => {
      response.writeHead(502).end()
    }
    const answer = await createRpc(`${url}/v2/secret-key`)
      .call('eth_chainId')
      .catch((cause: Error) => String(cause))
    expect(answer).to.equal('NodeUnavailableError: the node does not answer (HTTP 502)')
  })
})
