import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { platform } from '../../../support/platform.ts'
import { waitUntil } from '../../../support/processes.ts'
import { createUniqueName } from '../../identity/people.ts'
import { createSerial, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { formatHead, openRawConnection } from '../../../support/network/raw.ts'

const limit = 1024 * 1024
const mintLimit = 16 * limit

describe('Request bodies', function () {
  this.timeout(120_000)
  let shop: Shop
  let sheet: string
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })

  const path = '/v1/applications'
  const post = (raw: string | Buffer, headers: Record<string, string> = {}) =>
    shop.api.post(path, undefined, { raw, headers })
  const padded = (bytes: number) => JSON.stringify({ name: createUniqueName('Padded') }).padEnd(bytes, ' ')
  /** The head of a creation with the shop's key. */
  const formatJsonHead = (headers: Record<string, string | number>) =>
    formatHead('POST', path, { 'X-Api-Key': shop.key, 'Content-Type': 'application/json', ...headers })
  /** A creation whose body is sent piece by piece. */
  const chunked = (pieces: readonly (string | Buffer)[], headers = {}) =>
    formatJsonHead({ 'Transfer-Encoding': 'chunked', ...headers })
    + pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece.toString('latin1')}\r\n`).join('')

  it('may have as many bytes as the limit and not one more, announced or in chunks', async () => {
    expect((await post(padded(limit))).status).to.equal(201)
    expect(formatVerdict(await post(padded(limit + 1)))).to.equal('413 PAYLOAD_TOO_LARGE')
    for (const [bytes, status] of [
      [limit, 201],
      [limit + 1, 413],
    ] as const) {
      const { send, answer, socket } = await openRawConnection(platform.api)
      const text = padded(bytes)
      send(`${chunked([text.slice(0, 1_000), text.slice(1_000)])}0\r\n\r\n`)
      expect((await answer()).status).to.equal(status)
      socket.destroy()
    }
  })

  it('have a limit and a code of their own for a batch', async () => {
    const mint = (raw: string) => shop.api.post(`/v1/dpp/products/${sheet}/mint`, undefined, { raw })
    expect(formatVerdict(await mint('['.padEnd(mintLimit + 1, ' ')))).to.equal('400 MINT_BATCH_TOO_LARGE')
    expect(formatVerdict(await mint('[]'.padEnd(mintLimit, ' ')))).to.equal('400 MINT_BATCH_TOO_LARGE')
    expect((await mint(JSON.stringify([{ serialNumber: createSerial() }]).padEnd(2 * limit, ' '))).status).to.equal(202)
  })

  it('leave the connection to the next request when refused unread', async () => {
    const { send, answer, socket, received } = await openRawConnection(platform.api)
    send(`${chunked([padded(limit), padded(1_000)])}0\r\n\r\n`)
    expect((await answer()).status).to.equal(413)
    const before = received().length
    send(formatHead('GET', '/health/live', {}))
    await waitUntil('the next answer comes', () => received().length > before)
    expect(received().slice(before)).to.match(/^HTTP\/1\.1 200 OK/)
    socket.destroy()
  })

  it('are not asked for when more is announced than the limit', async () => {
    const { send, answer, socket, received } = await openRawConnection(platform.api)
    send(formatJsonHead({ 'Content-Length': limit + 1, Expect: '100-continue' }))
    expect((await answer()).status).to.equal(413)
    expect(received()).not.to.contain('100 Continue')
    socket.destroy()
  })

  it('are cut off when they go on for ever after a refusal', async () => {
    const { send, answer, socket, closed } = await openRawConnection(platform.api)
    send(formatJsonHead({ 'Content-Length': 10 * 1024 * limit }))
    const pouring = setInterval(() => send(Buffer.alloc(256 * 1024, ' ')), 20)
    const { status, headers } = await answer()
    expect([status, headers['connection']]).to.deep.equal([413, 'close'])
    await closed
    clearInterval(pouring)
    socket.destroy()
  })

  it('is asked for only when somebody will read it', async () => {
    const expecting = (more: Record<string, string | number>) =>
      formatHead('POST', path, { Expect: '100-continue', 'Content-Type': 'application/json', ...more })
    const good = await openRawConnection(platform.api)
    const body = JSON.stringify({ name: createUniqueName('Asked') })
    good.send(expecting({ 'X-Api-Key': shop.key, 'Content-Length': body.length }))
    await waitUntil('the body is asked for', () => good.received().startsWith('HTTP/1.1 100 Continue'))
    good.send(body)
    expect((await good.answer()).status).to.equal(201)
    for (const [fields, status] of [
      [{ 'Content-Length': 5 }, 401],
      [{ 'X-Api-Key': shop.key, 'Content-Length': limit + 1 }, 413],
    ] as const) {
      const { send, answer, closed, received } = await openRawConnection(platform.api)
      send(expecting(fields))
      expect((await answer()).status).to.equal(status)
      await closed
      expect(received()).not.to.contain('100 Continue')
    }
    good.socket.destroy()
  })

  it('may be packed; its limit counts what it unfolds to', async () => {
    const coded = (body: Buffer, coding: string) => post(body, { 'content-encoding': coding })
    const plain = Buffer.from(padded(limit))
    for (const [coding, pack] of [
      ['gzip', gzipSync],
      ['GZIP', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['identity', (bytes: Buffer) => bytes],
    ] as const) {
      expect((await coded(pack(plain), coding)).status, coding).to.equal(201)
      expect(formatVerdict(await coded(pack(Buffer.concat([plain, Buffer.from(' ')])), coding)), coding).to.equal(
        '413 PAYLOAD_TOO_LARGE',
      )
    }
    const bomb = gzipSync(Buffer.alloc(512 * limit, ' '))
    expect(bomb.length).to.be.below(limit)
    expect(formatVerdict(await coded(bomb, 'gzip'))).to.equal('413 PAYLOAD_TOO_LARGE')
  })

  it('answer 415 to an unknown Content-Encoding and 400 to broken compression', async () => {
    for (const coding of ['zstd', 'compress', 'gzip, gzip', 'x']) {
      const answer = await post('{}', { 'content-encoding': coding })
      expect(formatVerdict(answer), coding).to.equal('415 UNSUPPORTED_MEDIA_TYPE')
      expect(answer.headers['accept-encoding']).to.equal('gzip, deflate, br, identity')
    }
    const packed = gzipSync('{"name":"cut"}')
    expect(formatVerdict(await post(packed.subarray(0, 20), { 'content-encoding': 'gzip' }))).to.equal(
      '400 INVALID_JSON',
    )
    expect(formatVerdict(await post('not packed', { 'content-encoding': 'gzip' }))).to.equal('400 INVALID_JSON')
  })

  it('is JSON by its type: others are 415, parameters of the type do not matter', async () => {
    const body = () => JSON.stringify({ name: createUniqueName('Typed') })
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'json',
      'application/merge-patch+json',
      '',
    ]) {
      expect(formatVerdict(await post(body(), { 'content-type': type })), type).to.equal('415 UNSUPPORTED_MEDIA_TYPE')
    }
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
      expect((await post(body(), { 'content-type': type })).status, type).to.equal(201)
    }
  })

  it('is well-formed JSON in UTF-8; a byte order mark is no fault', async () => {
    const bad: Record<string, string | Buffer> = {
      half: '{"name":',
      trailing: '{"name":"a"}}',
      comment: '{"name":"a"/**/}',
      comma: '{"name":"a",}',
      single: "{'name':'a'}",
      NaN: '{"name":NaN}',
      'a raw line break': '{"name":"a\nb"}',
      'bytes of no character': Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
      'an overlong form': Buffer.from('{"name":"\xc0\xaf"}', 'latin1'),
      'a surrogate in UTF-8': Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1'),
      'UTF-16': Buffer.from('{"name":"a"}', 'utf16le'),
      nothing: '',
      spaces: '   ',
      'two values': '{} {}',
    }
    for (const [what, raw] of Object.entries(bad))
      expect(formatVerdict(await post(raw)), what).to.equal('400 INVALID_JSON')
    const name = `${createUniqueName('Mark')} é€😀`
    const answer = await post(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify({ name }))]))
    expect([answer.status, answer.body['name']]).to.deep.equal([201, name])
  })

  it('names no member twice, wherever it is, however it is written', async () => {
    for (const raw of [
      '{"name":"a","name":"b"}',
      '{"name":"a","n\\u0061me":"b"}',
      '{"name":"a","theme":{"logo":1,"logo":1}}',
      '{"name":"a","x":[{"y":1,"y":2}]}',
    ]) {
      const answer = await post(raw)
      expect([formatVerdict(answer), pathsOf(answer)[0]], raw).to.deep.equal(['400 INVALID_JSON', 'body'])
    }
    const tricky = { name: `a":"b\\", "name":"c{}[]:,\\\\"` }
    expect((await post(JSON.stringify(tricky))).body['name']).to.equal(tricky.name)
  })

  it('has no text that cannot be kept: NUL and half surrogate pairs are 422 at their path', async () => {
    for (const [raw, at] of [
      ['{"name":"a\\u0000b"}', 'name'],
      ['{"name":"\\ud83d"}', 'name'],
      ['{"name":"a","websiteUrl":"\\udc00"}', 'websiteUrl'],
      ['{"name":"a","domains":["ok","\\u0000"]}', 'domains[1]'],
    ] as const) {
      const answer = await post(raw)
      expect([formatVerdict(answer), pathsOf(answer)], raw).to.deep.equal(['422 VALIDATION_FAILED', [at]])
    }
    const kept = { name: `${createUniqueName('Right')} \ud83d\ude00` }
    expect((await post(JSON.stringify(kept))).body['name']).to.equal(kept.name)
  })

  it('takes texts up to their limit, deep nests and huge numbers never further than a refusal', async () => {
    expect(formatVerdict(await post(JSON.stringify({ name: 'x'.repeat(5_000) })))).to.equal('422 VALIDATION_FAILED')
    const passport = (fields: string) =>
      shop.api.post('/v1/dpp/passports', undefined, { raw: `{"product":"${sheet}","fields":${fields}}` })
    for (const [fields, wanted] of [
      [`{"serialNumber":"${'x'.repeat(5_000)}"}`, '422 VALIDATION_FAILED'],
      ['{"serialNumber":"a","size":1e400}', '422 VALIDATION_FAILED'],
      ['{"serialNumber":"a","size":-1e400}', '422 VALIDATION_FAILED'],
      [`{"serialNumber":"a","size":${'9'.repeat(400)}}`, '422 VALIDATION_FAILED'],
      [`{"serialNumber":"a","x":${'{"x":'.repeat(10_000)}1${'}'.repeat(10_000)}}`, '422 VALIDATION_FAILED'],
      [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, '422 VALIDATION_FAILED'],
      ['{"serialNumber":"a","__proto__":{"size":1}}', '422 VALIDATION_FAILED'],
      ['{"serialNumber":"a","constructor":{}}', '422 VALIDATION_FAILED'],
      ['{"serialNumber":"a","size":1e308}', '201'],
      ['{"serialNumber":"b","size":0}', '201'],
    ] as const)
      expect(formatVerdict(await passport(fields)), fields.slice(0, 60)).to.equal(wanted)
  })

  it('is told all its faults at once, with those of the path and the query', async () => {
    const answer = await shop.api.patch('/v1/applications/nonsense?what=1', { name: 5, slug: '!', nonsense: 1 })
    expect([formatVerdict(answer), pathsOf(answer).sort()]).to.deep.equal([
      '400 INVALID_REQUEST',
      ['appId', 'name', 'nonsense', 'slug', 'what'],
    ])
    const missing = await shop.api.post(path, { slug: '!', nonsense: 1 })
    expect([formatVerdict(missing), pathsOf(missing).sort()]).to.deep.equal([
      '400 INVALID_REQUEST',
      ['name', 'nonsense', 'slug'],
    ])
    const wrong = await shop.api.post(path, { name: '', slug: '!', domains: [1, 2] })
    expect([formatVerdict(wrong), pathsOf(wrong).sort()]).to.deep.equal([
      '422 VALIDATION_FAILED',
      ['domains[0]', 'domains[1]', 'name', 'slug'],
    ])
    const broken = await shop.api.patch('/v1/applications/nonsense', undefined, { raw: '{' })
    expect([broken.status, pathsOf(broken)]).to.deep.equal([400, ['appId', 'body']])
  })

  it('are refused quickly with millions of faults, and others are served meanwhile', async () => {
    const wrong = `[${'1,'.repeat(8 * limit - 10)}1]`
    const refused = shop.api.post(`/v1/dpp/products/${sheet}/mint`, undefined, { raw: wrong })
    const names = shop.api.post(path, Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`n${at}`, 1])))
    const answers = await Promise.all([refused, names])
    expect(answers.map(({ status }) => status)).to.deep.equal([422, 400])
    for (const answer of answers) expect(pathsOf(answer).length).to.be.within(1, 100)
    expect((await shop.api.get(`${path}?pageSize=1`)).status).to.equal(200)
  })
})

/** What an answer blames, each once. */
const pathsOf = ({ body }: { body: unknown }) => [
  ...new Set(((body as { errors?: { path: string }[] }).errors ?? []).map(({ path }) => path)),
]
