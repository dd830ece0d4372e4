import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import Koa from 'koa'
import { createBodyReader, hasBody, type BodyKind } from '../../../../core/http/body/body.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'

describe('Reader of request bodies', () => {
  const options = { maxBytes: 100, tooLargeCode: 'MINT_BATCH_TOO_LARGE' } as const
  const readers = Object.fromEntries(
    (['json', 'patch', 'form'] as const).map((kind) => [kind, createBodyReader({ ...options, kind })]),
  )
  let server: Server

  before(async () => {
    const app = new Koa()
    app.use(async (ctx) => {
      const read = readers[ctx.path.slice(1)]
      ctx.body = await read?.(ctx).catch(({ code, status }: ProblemError) => `${status} ${code}`)
    })
    server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    server.close()
  })

  const send = async (body: Buffer | string, headers: Record<string, string> = {}, kind: BodyKind = 'json') => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${kind}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    return answer.text()
  }

  it('returns the bytes as they are, whatever their coding', async () => {
    const text = '{"name":"é😀"}'
    for (const [coding, bytes] of [
      ['identity', Buffer.from(text)],
      ['gzip', gzipSync(text)],
      ['GZIP', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
    ] as const)
      expect(await send(bytes, { 'content-encoding': coding }), coding).to.equal(text)
    expect(await send(text)).to.equal(text)
    expect(await send('')).to.equal('')
  })

  it('refuses another coding, and what is not in the coding that it names', async () => {
    expect(await send('{}', { 'content-encoding': 'zstd' })).to.equal('415 UNSUPPORTED_MEDIA_TYPE')
    for (const coding of ['gzip', 'deflate', 'br'])
      expect(await send('{}', { 'content-encoding': coding }), coding).to.equal('400 INVALID_JSON')
    expect(await send(gzipSync('{}').subarray(0, -8), { 'content-encoding': 'gzip' })).to.equal('400 INVALID_JSON')
  })

  it('takes as many bytes as its limit, packed or not', async () => {
    const [most, tooMany] = ['x'.repeat(100), 'x'.repeat(101)]
    const gzip = { 'content-encoding': 'gzip' }
    expect([await send(most), await send(gzipSync(most), gzip)]).to.deep.equal([most, most])
    expect([await send(tooMany), await send(gzipSync(tooMany), gzip)]).to.deep.equal([
      '400 MINT_BATCH_TOO_LARGE',
      '400 MINT_BATCH_TOO_LARGE',
    ])
  })

  it('takes the media types of its kind, with any parameters', async () => {
    for (const [kind, types] of [
      ['json', ['application/json']],
      ['patch', ['application/json', 'application/merge-patch+json']],
      ['form', ['application/x-www-form-urlencoded']],
    ] as const)
      for (const type of [
        'application/json',
        'application/merge-patch+json',
        'application/x-www-form-urlencoded',
        'text/plain',
      ]) {
        const expected = (types as readonly string[]).includes(type) ? 'a=b' : '415 UNSUPPORTED_MEDIA_TYPE'
        expect(await send('a=b', { 'content-type': `${type}; charset=utf-8` }, kind), `${kind} ${type}`).to.equal(
          expected,
        )
      }
  })

  it('knows by the headers whether there is a body', () => {
    for (const [headers, isThere] of [
      [{}, false],
      [{ 'content-length': '0' }, false],
      [{ 'content-length': '1' }, true],
      [{ 'transfer-encoding': 'chunked' }, true],
    ] as const)
      expect(hasBody(headers), JSON.stringify(headers)).to.equal(isThere)
  })
})
