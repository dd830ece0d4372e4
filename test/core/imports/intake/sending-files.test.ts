import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { createAssistant } from '../../../journey/assistant.ts'
import { getOperator } from '../../identity/people.ts'
import { countStagedFiles, insertUpload, removeUpload } from '../../../support/rows/imports/uploads.ts'
import { buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { createForm, createMapper, sendFile } from './intake.maker.ts'

const csv = 'text/csv'
const table = 'ref;name\nA-1;Bag\n'
const list = JSON.stringify([{ reference: 'A-1' }])

describe('POST /v1/imports: sending a file', function () {
  this.timeout(60_000)
  let shop: Shop
  let mapper: string
  before(async () => {
    shop = await buildShop()
    mapper = await createMapper(shop)
  })
  const countImports = async ({ api }: Shop) =>
    Number((await api.get('/v1/imports?filters[name][eq]=batch')).body['total'])
  const send = (...[raw, options]: [string | Buffer, Parameters<typeof sendFile>[2]?]) => sendFile(shop, raw, options)

  it('answers 202 with the import and where it is read, before its rows are looked at', async () => {
    const sent = await send(table, { type: csv, query: { mapperId: mapper, dryRun: 'true', onDuplicate: 'fail' } })
    expect(sent.status, sent.text).to.equal(202)
    const { id, jobId, name, parent, data, initError } = sent.body
    expect(sent.headers['location']).to.equal(`/v1/jobs/${id}`)
    expect([jobId, name, parent, initError]).to.deep.equal([id, 'batch', null, null])
    expect(data).to.deep.include({
      applicationId: shop.application,
      network: 'EthereumAnvil',
      entityName: 'DppPassport',
      source: 'upload',
      mapperId: mapper,
      onDuplicate: 'fail',
      dryRun: true,
      format: 'csv',
      dialect: { encoding: 'utf-8', bom: false, delimiter: ';', columns: 2 },
    })
  })

  it('refuses a query that names no application, or another entity', async () => {
    const without = await shop.api.post('/v1/imports', [])
    expect(formatVerdict(without)).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await send(list, { query: { entityName: 'Order' } }))).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await send(list, { query: { dryRun: 'perhaps' } }))).to.equal('400 INVALID_REQUEST')
  })

  it('finds no application and no mapper of others, nor a mapper of another application', async () => {
    const other = await buildShop()
    const foreign = await createMapper(other)
    expect(formatVerdict(await send(list, { query: { application: other.application } }))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await send(table, { type: csv, query: { mapperId: foreign } }))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await send(table, { type: csv, query: { mapperId: randomUUID() } }))).to.equal('404 NOT_FOUND')
  })

  it('demands the permission to update where passports may be updated', async () => {
    const { key } = await buildKey(shop.organization, { dpp: ['create'] })
    const creator = { ...shop, api: createApiClient(key) }
    const refused = await sendFile(creator, list, { query: { onDuplicate: 'update' } })
    expect(formatVerdict(refused)).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(refused.body.permission).to.deep.equal({ resource: 'dpp', action: 'update' })
    expect((await sendFile(creator, list)).status).to.equal(202)
  })

  it('takes no more files of an organization while 4 GiB of them wait', async () => {
    const crowded = await buildShop()
    const { db } = await getOperator()
    const waiting = await insertUpload(db, { organization: crowded.organization, bytes: 4 * 1024 ** 3 })
    const refused = await sendFile(crowded, list)
    expect([formatVerdict(refused), refused.headers['retry-after']]).to.deep.equal(['429 RATE_LIMITED', '60'])
    await removeUpload(db, waiting)
    expect((await sendFile(crowded, list)).status).to.equal(202)
  })

  it('refuses a network on which this installation cannot send', async () => {
    const refused = await send(list, { query: { network: 'XdcMainnet' } })
    expect(formatVerdict(refused)).to.equal('422 VALIDATION_FAILED')
    expect(refused.body['errors']).to.deep.include.members([
      {
        path: 'network',
        code: 'unusable_network',
        message: 'is XdcMainnet, on which this installation cannot send',
      },
    ])
  })

  it('takes CSV with a mapper for CSV only, and JSON with a mapper for JSON', async () => {
    expect(formatVerdict(await send(table, { type: csv }))).to.equal('400 IMPORT_MAPPER_REQUIRED')
    const reader = await createMapper(shop, { format: 'json', rows: [] })
    expect(formatVerdict(await send(table, { type: csv, query: { mapperId: reader } }))).to.equal(
      '400 IMPORT_MAPPER_FORMAT_MISMATCH',
    )
    expect(formatVerdict(await send(list, { query: { mapperId: mapper } }))).to.equal(
      '400 IMPORT_MAPPER_FORMAT_MISMATCH',
    )
    const form = createForm([{ file: 'a.csv', content: table }])
    expect(formatVerdict(await send(form.raw, { type: form.type }))).to.equal('400 IMPORT_MAPPER_REQUIRED')
  })

  it('says that there is nothing where a body is missing, empty or blank', async () => {
    const path = `/v1/imports?entityName=DppPassport&application=${shop.application}`
    expect(formatVerdict(await shop.api.post(path))).to.equal('400 IMPORT_BODY_MISSING')
    for (const raw of ['', '  \r\n\t ', '\ufeff']) {
      expect(formatVerdict(await send(raw, { type: csv, query: { mapperId: mapper } })), JSON.stringify(raw)).to.equal(
        '400 IMPORT_BODY_MISSING',
      )
    }
    for (const parts of [[], [{ file: '', content: '' }], [{ file: 'empty.json', content: '' }]]) {
      const form = createForm(parts)
      expect(formatVerdict(await send(form.raw, { type: form.type })), JSON.stringify(parts)).to.equal(
        '400 IMPORT_BODY_MISSING',
      )
    }
    expect(formatVerdict(await send(gzipSync(''), { headers: { 'content-encoding': 'gzip' } }))).to.equal(
      '400 IMPORT_BODY_MISSING',
    )
  })

  it('refuses other content types and codings', async () => {
    expect(formatVerdict(await send(table, { type: 'application/xml' }))).to.equal('415 UNSUPPORTED_MEDIA_TYPE')
    expect(formatVerdict(await send(list, { headers: { 'content-encoding': 'br' } }))).to.equal(
      '415 UNSUPPORTED_MEDIA_TYPE',
    )
    const form = createForm([{ file: 'picture.png', type: 'image/png', content: 'x' }])
    expect(formatVerdict(await send(form.raw, { type: form.type }))).to.equal('415 UNSUPPORTED_MEDIA_TYPE')
  })

  const mistakes: [what: string, raw: string | Buffer, type: string, verdict: string, sentence: RegExp][] = [
    [
      'one object where a list is needed',
      '{"reference": "A-1"}',
      'application/json',
      '422 VALIDATION_FAILED',
      /one JSON object\. Send a list/,
    ],
    [
      'one object on several lines',
      '{\n"reference":\n"A-1"}',
      'application/json',
      '422 VALIDATION_FAILED',
      /Send a list/,
    ],
    [
      'CSV that is called JSON',
      table,
      'application/json',
      '400 INVALID_JSON',
      /begins with “r”, where a list of JSON begins with “\[”/,
    ],
    [
      'a workbook that is called CSV',
      Buffer.from('PK\x03\x04rest', 'latin1'),
      csv,
      '400 INVALID_REQUEST',
      /Excel workbook.*sent as application\/vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet/,
    ],
    [
      'a packed file that nothing says is packed',
      gzipSync(table),
      csv,
      '400 INVALID_REQUEST',
      /compressed by gzip.*Content-Encoding/,
    ],
  ]
  for (const [what, raw, type, expected, sentence] of mistakes) {
    it(`refuses ${what} with a sentence that helps`, async () => {
      const refused = await send(raw, { type, query: type === csv ? { mapperId: mapper } : {} })
      expect(formatVerdict(refused)).to.equal(expected)
      expect(refused.body['detail']).to.match(sentence)
      expect(String(refused.body['errors']?.[0]?.['path'])).to.equal('body')
    })
  }

  it('takes lines of objects where a list was announced, and a list where lines were, and says which it is', async () => {
    const lines = await send('{"reference":"L-1"}\n{"reference":"L-2"}\n')
    expect([lines.status, lines.body['data']?.['format']]).to.deep.equal([202, 'ndjson'])
    const array = await send(' [\n{"reference":"L-1"}]', { type: 'application/x-ndjson' })
    expect([array.status, array.body['data']?.['format']]).to.deep.equal([202, 'json'])
  })

  it('takes a form with one file, by its type or the end of its name, and shows the name', async () => {
    const shown = async (file: string, type: string | undefined, content: string | Buffer) => {
      const form = createForm([{ file, content, ...(type !== undefined && { type }) }])
      const sent = await send(form.raw, { type: form.type, query: /csv|tsv/i.test(file) ? { mapperId: mapper } : {} })
      expect(sent.status, sent.text).to.equal(202)
      return [sent.body['data']?.['fileName'], sent.body['data']?.['format']]
    }
    expect(await shown('catalogue été.csv', 'text/csv', table)).to.deep.equal(['catalogue été.csv', 'csv'])
    expect(await shown('C:\\\\Users\\\\me\\\\a.CSV', 'application/vnd.ms-excel', table)).to.deep.equal(['a.CSV', 'csv'])
    expect(await shown('a.tsv', undefined, 'ref\tname\nA\tB')).to.deep.equal(['a.tsv', 'csv'])
    expect(await shown('a.jsonl', 'application/octet-stream', '{"reference":"1"}\n')).to.deep.equal([
      'a.jsonl',
      'ndjson',
    ])
    expect(await shown('data', 'application/json; charset=utf-8', list)).to.deep.equal(['data', 'json'])
    const nameless = createForm([{ type: 'application/json', content: list }])
    const sent = await send(nameless.raw, { type: nameless.type })
    expect([sent.status, sent.body['data']?.['fileName']]).to.deep.equal([202, undefined])
  })

  it('refuses a form with two files, with other fields, or broken off', async () => {
    const two = createForm([
      { file: 'a.json', content: list },
      { file: 'b.json', content: list },
    ])
    expect(formatVerdict(await send(two.raw, { type: two.type }))).to.equal('400 INVALID_REQUEST')
    const more = createForm([
      { file: 'a.json', content: list },
      { name: 'note', content: 'x' },
    ])
    expect(formatVerdict(await send(more.raw, { type: more.type }))).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await send(two.raw.subarray(0, -40), { type: two.type }))).to.equal('400 INVALID_REQUEST')
    const { raw, type } = createForm([{ file: 'a.json', content: list }])
    expect(formatVerdict(await send(raw.subarray(0, -20), { type }))).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await send(raw, { type: 'multipart/form-data' }))).to.equal('400 INVALID_REQUEST')
    const { db } = await getOperator()
    expect(await countStagedFiles(db, shop.organization)).to.deep.equal({ uploads: 0, pieces: 0 })
  })

  it('does the same request once under one key, whatever its bytes are packed in', async () => {
    const before = await countImports(shop)
    const key = randomUUID()
    const keyed = (raw: string | Buffer, more = {}) => send(raw, { headers: { 'idempotency-key': key, ...more } })
    const first = await keyed(list)
    const again = await keyed(list)
    expect([again.status, again.headers['idempotency-replayed'], again.headers['location']]).to.deep.equal([
      202,
      'true',
      first.headers['location'],
    ])
    expect(again.body).to.deep.equal(first.body)
    const packed = await keyed(gzipSync(list), { 'content-encoding': 'gzip' })
    expect(packed.body['id']).to.equal(first.body['id'])
    expect(formatVerdict(await keyed(`${list} `))).to.equal('422 IDEMPOTENCY_KEY_REUSED')
    const { db } = await getOperator()
    expect(await countImports(shop)).to.equal(before + 1)
    expect((await shop.api.get(`/v1/imports/${first.body['id']}`)).status).to.equal(200)
    expect(await countStagedFiles(db, shop.organization)).to.deep.equal({ uploads: 0, pieces: 0 })
  })
  it('does requests of one key that come at the same time once, and keeps one file', async () => {
    const other = await buildShop()
    const headers = { 'idempotency-key': randomUUID() }
    const sent = await Promise.all(Array.from({ length: 5 }, () => sendFile(other, list, { headers })))
    expect(sent.filter(({ status }) => status === 202)).not.to.deep.equal([])
    for (const one of sent.filter(({ status }) => status !== 202))
      expect(formatVerdict(one)).to.equal('409 IDEMPOTENCY_IN_PROGRESS')
    const { db } = await getOperator()
    expect(await countImports(other)).to.equal(1)
    expect(await countStagedFiles(db, other.organization)).to.deep.equal({ uploads: 0, pieces: 0 })
  })

  it('is a tool for assistants too, which give the items themselves', async () => {
    const { client: mcp, call } = await createAssistant(shop.key)
    const { result, body } = await call('create_import', {
      entityName: 'DppPassport',
      application: shop.application,
      dryRun: true,
      items: [{ product: { idGranularity: 'model', name: 'Bag', modelNumber: 'M-1' } }],
    })
    expect(result['isError'] ?? false, JSON.stringify(result)).to.equal(false)
    expect(body).to.deep.nested.include({ status: 'completed', 'report.counts.created': 1 })
    expect((await shop.api.get(`/v1/imports/${body.id}`)).body['data']).to.deep.include({
      format: 'json',
      dryRun: true,
    })
    await mcp.close()
  })
})
