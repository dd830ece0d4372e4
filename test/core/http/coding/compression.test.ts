import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { request } from 'undici'
import { answerBytes, answerStream, answerText } from '../../../../core/kernel/answer.ts'
import { declareOperation } from '../../../../core/kernel/operation.ts'
import { integer, oneOf, string } from '../../../../core/kernel/schema.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import {
  createEmail,
  requestCode,
  createUniqueName,
  getOperator,
  readCodeFor,
  verifyOtp,
} from '../../identity/people.ts'
import { serveApi } from '../../queue/api.ts'
import { buildProductPassport, buildShop, type Shop } from '../../../support/world.ts'

/** An answer as it came over the wire. */
async function raw(
  path: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' = 'GET',
  base = platform.api,
) {
  const answer = await request(`${base}${path}`, { method, headers })
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) }
}

const decoded: Record<string, (bytes: Buffer) => string> = {
  br: (bytes) => brotliDecompressSync(bytes).toString(),
  gzip: (bytes) => gunzipSync(bytes).toString(),
}

describe('Compressed answers above 1 KiB', function () {
  this.timeout(120_000)
  let shop: Shop
  let path: string
  let key: Record<string, string>

  before(async () => {
    shop = await buildShop()
    const { id } = await buildProductPassport(shop, {}, { data: { story: 'A long story about a bag. '.repeat(200) } })
    path = `/v1/dpp/passports/${id}`
    key = { 'x-api-key': shop.key }
  })

  for (const coding of ['br', 'gzip']) {
    it(`come in ${coding} to who takes it, with a validator of their own`, async () => {
      const plain = await raw(path, key)
      const coded = await raw(path, { ...key, 'accept-encoding': coding })
      expect([plain.headers['content-encoding'], coded.headers['content-encoding']]).to.deep.equal([undefined, coding])
      expect(decoded[coding]?.(coded.bytes)).to.equal(plain.bytes.toString())
      expect(coded.bytes.length).to.be.below(plain.bytes.length / 4)
      expect(Number(coded.headers['content-length'])).to.equal(coded.bytes.length)
      expect(coded.headers['etag'])
        .to.match(/^"[^"]+"$/)
        .and.not.to.equal(plain.headers['etag'])
      for (const { headers } of [plain, coded])
        expect(headers['vary']).to.contain('Accept-Encoding').and.to.contain('X-Api-Key')
      const again = await raw(path, {
        ...key,
        'accept-encoding': coding,
        'if-none-match': String(coded.headers['etag']),
      })
      expect([again.status, again.bytes.length, again.headers['etag']]).to.deep.equal([304, 0, coded.headers['etag']])
      expect(again.headers['vary']).to.contain('Accept-Encoding')
      const other = await raw(path, { ...key, 'if-none-match': String(coded.headers['etag']) })
      expect(other.status, 'the plain form is another representation').to.equal(200)
      const headAnswer = await raw(path, { ...key, 'accept-encoding': coding }, 'HEAD')
      expect([
        headAnswer.bytes.length,
        headAnswer.headers['content-encoding'],
        headAnswer.headers['etag'],
        headAnswer.headers['content-length'],
      ]).to.deep.equal([0, coding, coded.headers['etag'], coded.headers['content-length']])
    })
  }

  it('come as the caller likes them best, or plain', async () => {
    for (const [accepted, expected] of [
      ['gzip, br', 'br'],
      ['gzip;q=1, br;q=0.5', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['deflate', undefined],
      ['identity', undefined],
      ['', undefined],
      ['*', 'br'],
      ['gzip;q=0', undefined],
      ['identity, gzip;q=0.5', undefined],
    ] as const) {
      const { status, headers } = await raw(path, { ...key, 'accept-encoding': accepted })
      expect([status, headers['content-encoding']], accepted).to.deep.equal([200, expected])
    }
  })

  it('have versions that If-Match compares whatever the coding', async () => {
    const change = (etag: string, reference: string) =>
      createApiClient(shop.key).patch(path, { reference }, { headers: { 'if-match': etag } })
    for (const coding of ['br', 'gzip', 'identity']) {
      const { headers } = await raw(path, { ...key, 'accept-encoding': coding })
      const changed = await change(String(headers['etag']), createUniqueName(coding))
      expect(changed.status, changed.text).to.equal(200)
      expect((await change(String(headers['etag']), createUniqueName('stale'))).status).to.equal(412)
    }
  })

  it('stay as they are where they are small, or carry a secret', async () => {
    const accepted = { 'accept-encoding': 'br' }
    const small = await raw('/health/live', accepted)
    expect([small.status, small.headers['content-encoding']]).to.deep.equal([200, undefined])
    const email = createEmail()
    await requestCode(shop.application, email)
    const session: Answer = await verifyOtp(shop.application, email, await readCodeFor(email), accepted)
    expect([session.status, session.headers['content-encoding'], session.headers['cache-control']]).to.deep.equal([
      200,
      undefined,
      'no-store',
    ])
  })

  it('are lists, pages and styles too', async () => {
    for (let made = 0; made < 4; made++) await buildProductPassport(shop)
    for (const [address, headers] of [
      ['/v1/dpp/passports', key],
      ['/docs', {}],
      ['/assets/tessera.css', {}],
      ['/assets/reference.js', {}],
    ] as [string, Record<string, string>][]) {
      const [plain, coded] = [
        await raw(address, headers),
        await raw(address, { ...headers, 'accept-encoding': 'gzip' }),
      ]
      expect([coded.status, coded.headers['content-encoding']], address).to.deep.equal([200, 'gzip'])
      expect(decoded['gzip']?.(coded.bytes), address).to.equal(plain.bytes.toString())
    }
  })
})

describe('GET /assets/scalar-….js', function () {
  this.timeout(60_000)

  it('comes coded, for good, under an address that has its version', async () => {
    const page = await raw('/docs')
    const address = /\/assets\/scalar-\d+\.\d+\.\d+\.js/.exec(page.bytes.toString())?.[0] ?? ''
    const plain = await raw(address)
    expect([plain.status, plain.headers['content-type'], plain.headers['cache-control']]).to.deep.equal([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ])
    for (const coding of ['br', 'gzip'])
      for (const time of ['first', 'second']) {
        const { headers, bytes } = await raw(address, { 'accept-encoding': coding })
        expect([headers['content-encoding'], headers['vary']], time).to.deep.equal([coding, 'Accept-Encoding'])
        expect(bytes.length).to.be.below(plain.bytes.length / 3)
        expect(decoded[coding]?.(bytes) === plain.bytes.toString(), `${time} ${coding} is the plain one`).to.equal(true)
      }
  })
})

describe('Size from which answers are compressed', () => {
  const kinds = ['text', 'bytes', 'stream'] as const
  const repeating = declareOperation({
    id: 'repeat_v1',
    method: 'GET',
    path: '/repeat',
    access: 'public',
    query: {
      kind: oneOf(kinds, 'Form of the answer.'),
      sign: string('Any character.'),
      times: integer('How many of them.'),
    },
    returns: { 200: { type: 'text/plain', description: 'A text.' } },
    document: { tag: 'Tests', summary: 'Repeat a character' },
  }).withReadHandler(async ({ query: { kind, sign, times } }) => {
    const [body, type] = [sign.repeat(times), 'text/plain; charset=utf-8']
    if (kind === 'text') return answerText(body, type)
    return kind === 'bytes' ? answerBytes(Buffer.from(body), type) : answerStream(Readable.from([body]), type)
  })

  it('is 1 KiB of bytes, of a stream none', async () => {
    const api = await serveApi(await getOperator(), [repeating])
    for (const [kind, sign, times, coding] of [
      ['text', 'a', 1024, undefined],
      ['text', 'a', 1025, 'gzip'],
      ['text', 'é', 512, undefined],
      ['text', 'é', 513, 'gzip'],
      ['bytes', 'a', 1024, undefined],
      ['bytes', 'a', 1025, 'gzip'],
      ['stream', 'a', 1, 'gzip'],
    ] as const) {
      const path = `/repeat?${new URLSearchParams({ kind, sign, times: `${times}` })}`
      const { headers } = await raw(path, { 'accept-encoding': 'gzip' }, 'GET', api.url)
      const varies = String(headers['vary']).includes('Accept-Encoding')
      expect([headers['content-encoding'], varies], path).to.deep.equal([coding, coding !== undefined])
    }
    await api.stop()
  })
})

describe('GET /openapi.json: compression', () => {
  it('comes coded, cached, and as still the same, in each coding', async () => {
    const plain = await raw('/openapi.json')
    const tags = new Set([plain.headers['etag']])
    for (const coding of ['br', 'gzip']) {
      const coded = await raw('/openapi.json', { 'accept-encoding': coding })
      expect([coded.status, coded.headers['content-encoding'], coded.headers['cache-control']]).to.deep.equal([
        200,
        coding,
        'public, max-age=60',
      ])
      expect(decoded[coding]?.(coded.bytes)).to.equal(plain.bytes.toString())
      expect(coded.bytes.length).to.be.below(plain.bytes.length / 5)
      expect(coded.headers['vary']).to.contain('Accept-Encoding')
      tags.add(coded.headers['etag'])
      const etag = String(coded.headers['etag'])
      // A cache may have made it weak; If-None-Match compares by content alone (RFC 9110, section 13.1.2).
      for (const known of [etag, `W/${etag}`]) {
        const again = await raw('/openapi.json', { 'accept-encoding': coding, 'if-none-match': known })
        expect([again.status, again.headers['etag']]).to.deep.equal([304, etag])
      }
    }
    expect(tags.size).to.equal(3)
  })
})
