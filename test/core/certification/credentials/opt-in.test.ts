import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { listFaultPaths, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { formatTree } from '../storage/tree.ts'

const path = '/v1/dpp/opt-in-forms'
const mebibyte = 2 ** 20

/** Files of each type, by how they begin. */
const files: Record<string, Buffer> = {
  'image/png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
  'image/jpeg': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46]),
  'image/webp': Buffer.concat([Buffer.from('RIFF'), Buffer.from([26, 0, 0, 0]), Buffer.from('WEBPVP8L')]),
  'application/pdf': Buffer.from('%PDF-1.7\nhello'),
}
const large = (bytes: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes - 9, 'tessera ')])

/** As the library that IPFS's own implementation in JavaScript is made with. */
async function cidByImporter(content: Buffer): Promise<string> {
  const options = { cidVersion: 1, rawLeaves: true, chunker: fixedSize({ chunkSize: 262_144 }) } as const
  let root = ''
  for await (const { cid } of importer([{ content }], { put: (block) => block }, options)) root = cid.toString()
  return root
}

describe('Optional forms of a credential', () => {
  let shop: Shop

  before(async () => {
    shop = await buildShop()
  })

  const formOf = (bytes: Buffer, more: object = {}) => ({
    application: shop.application,
    fileName: 'Opt-in (été).pdf',
    contentType: 'application/pdf',
    content: bytes.toString('base64'),
    ...more,
  })
  const upload = (bytes: Buffer, more: object = {}) => shop.api.post(path, formOf(bytes, more))

  it('are kept under the address of their bytes, the same for the same bytes', async () => {
    for (const [contentType, bytes] of Object.entries(files)) {
      const answers = [await upload(bytes, { contentType }), await upload(bytes, { contentType, fileName: 'another' })]
      for (const { status, body, text } of answers) {
        expect(status, text).to.equal(201)
        expect(body).to.deep.equal({ uri: `ipfs://${formatTree(bytes)}`, size: bytes.length })
      }
      const cid = formatTree(bytes)
      expect(readFileSync(join(platform.dataDir, 'ipfs', cid.slice(-3, -1), cid)).equals(bytes)).to.equal(true)
    }
  })

  it('have the identifier that IPFS gives them, of one block and of many', async () => {
    // What Kubo answers for these eleven bytes.
    expect(formatTree(Buffer.from('hello world'))).to.equal(
      'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
    )
    for (const size of [262_144, 262_145, 5 * mebibyte]) {
      const bytes = large(size)
      const { body, status, text } = await upload(bytes)
      expect(status, text).to.equal(201)
      expect(body).to.deep.equal({ uri: `ipfs://${await cidByImporter(bytes)}`, size })
      expect(body.uri).to.equal(`ipfs://${formatTree(bytes)}`)
    }
  })

  it('go into a passport', async () => {
    const {
      body: { uri },
    } = await upload(large(1_000))
    const made = await shop.api.post('/v1/dpp/passports', {
      application: shop.application,
      product: { idGranularity: 'item', name: 'Bag', itemNumber: randomUUID() },
      data: { opt_in_form: uri },
    })
    expect(made.status, made.text).to.equal(201)
    expect(made.body.data).to.deep.equal({ opt_in_form: uri })
  })

  it('have to be what they are said to be, in base64, with a plain name', async () => {
    const pdf = files['application/pdf'] ?? Buffer.alloc(0)
    const text = pdf.toString('base64')
    for (const contentType of Object.keys(files)) {
      for (const [type, bytes] of Object.entries(files).filter(([other]) => other !== contentType)) {
        expect(listFaultPaths(await upload(bytes, { contentType })), `${type} as ${contentType}`).to.deep.equal([
          'content',
        ])
      }
    }
    const wrong: [string, object][] = [
      ...['a/b.pdf', '..\\b.pdf', '..', '.', 'C:b.pdf', 'a\u0001.pdf', 'a\u202efdp.exe', ' ', '', 'x'.repeat(256)].map(
        (fileName): [string, object] => ['fileName', { fileName }],
      ),
      ...[text.replace(/=+$/, ''), `${text}\n`, ` ${text}`, `${text}====`, 'JVBERi0x_-==', 'JVBERi0xLjcK!A==', ''].map(
        (content): [string, object] => ['content', { content }],
      ),
      ['contentType', { contentType: 'image/gif' }],
      ['contentType', { contentType: 'application/PDF' }],
      ['other', { other: 1 }],
      ['application', { application: 'one' }],
    ]
    for (const [member, more] of wrong) {
      const answer = await upload(pdf, more)
      expect([formatVerdict(answer), ...new Set(listFaultPaths(answer))], JSON.stringify(more)).to.deep.equal([
        '422 VALIDATION_FAILED',
        member,
      ])
    }
  })

  it('have at most 5 MiB', async () => {
    const past = await upload(large(5 * mebibyte + 1))
    expect([formatVerdict(past), ...new Set(listFaultPaths(past))]).to.deep.equal(['422 VALIDATION_FAILED', 'content'])
    expect(formatVerdict(await upload(large(6 * mebibyte)))).to.equal('413 PAYLOAD_TOO_LARGE')
  })

  it('belong to an application of the caller, who may create passports', async () => {
    const pdf = large(100)
    const other = await buildShop()
    for (const application of [other.application, randomUUID()]) {
      expect(formatVerdict(await upload(pdf, { application }))).to.equal('404 NOT_FOUND')
    }
    const { key } = await buildKey(shop.organization, { dpp: ['read', 'update'] })
    expect(formatVerdict(await createApiClient(key).post(path, formOf(pdf)))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
    expect(formatVerdict(await createApiClient().post(path, formOf(pdf)))).to.equal('401 AUTH_UNAUTHENTICATED')
  })

  it('are answered once under an idempotency key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const form = formOf(large(500))
    const [first, again] = [await shop.api.post(path, form, { headers }), await shop.api.post(path, form, { headers })]
    expect([first.status, again.status, again.headers['idempotency-replayed']]).to.deep.equal([201, 201, 'true'])
    expect(again.body).to.deep.equal(first.body)
    expect(formatVerdict(await shop.api.post(path, formOf(large(501)), { headers }))).to.equal(
      '422 IDEMPOTENCY_KEY_REUSED',
    )
  })
})
