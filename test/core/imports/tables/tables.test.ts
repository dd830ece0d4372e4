import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { MapperRow } from '../../../../core/features/imports/index.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { getOperator } from '../../identity/people.ts'
import { countStagedFiles } from '../../../support/rows/imports/uploads.ts'
import { buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { findByReference, waitForImport } from '../engine/job.maker.ts'
import { productRows } from '../intake/intake.maker.ts'

interface Preview {
  mapping: MapperRow[]
  preview: {
    rows: number
    checked: number
    failed: number
    passports: object[]
    errors: { line: number; path: string; code: string; message: string; value: string | null }[]
  }
  unclear: { column?: string; destination?: string; question: string; candidates: string[] }[]
  unusedColumns: string[]
  warnings: object[]
}

const french = [
  'Référence;N° de série;Désignation;Marque;Date de fabrication;Emplacement',
  'F-1;S-1;Sac à dos;Clairval;31/01/2026;A1',
  'F-2;S-2;Besace;Clairval;30/02/2026;A2',
  'F-3;S-3;Cabas;Clairval;01/02/2026;A3',
].join('\r\n')

describe('POST /v1/imports/table', function () {
  this.timeout(60_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })
  const send = (body: object, headers: Record<string, string> = {}, { api } = shop): Promise<Answer> =>
    api.post('/v1/imports/table', { application: shop.application, ...body }, { headers })
  const preview = async (body: object): Promise<Preview> => {
    const answer = await send(body)
    expect(answer.status, answer.text).to.equal(200)
    return getBody<Preview>(answer)
  }
  const run = async (body: object) => {
    const answer = await send(body)
    expect(answer.status, answer.text).to.equal(202)
    expect(answer.headers['location']).to.equal(`/v1/jobs/${answer.body.id}`)
    return { answer, ...(await waitForImport(shop, String(answer.body.id))) }
  }
  const countImports = async () => Number((await shop.api.get('/v1/imports')).body['total'])
  const issues = (answer: Answer) =>
    (answer.body['errors'] as unknown as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)

  it('answers mapping, first passports, failing rows and what is unclear, and stores nothing', async () => {
    const before = await countImports()
    const { mapping, preview: shown, unclear, unusedColumns } = await preview({ text: french })
    const goes = Object.fromEntries(mapping.map(({ source, value, destination }) => [source ?? value, destination]))
    expect(goes).to.include({
      'N° de série': 'product.itemNumber',
      Désignation: 'product.name',
      Marque: 'data.brand',
      'Date de fabrication': 'product.productionDate',
      item: 'product.idGranularity',
    })
    expect([shown.rows, shown.checked, shown.failed, shown.passports.length]).to.deep.equal([3, 3, 1, 2])
    expect(shown.passports[0]).to.deep.nested.include({
      'product.name': 'Sac à dos',
      'product.productionDate': '2026-01-31',
    })
    const [failure, ...others] = shown.errors
    expect(failure).to.include({ line: 3, path: 'product.productionDate', code: 'not_date', value: '30/02/2026' })
    expect(others).to.deep.equal([])
    expect(unclear).to.deep.include({
      destination: 'product.idGranularity',
      question: 'What it is: model, batch or item: a column holds serial numbers.',
      candidates: ['product.idGranularity'],
    })
    expect(unusedColumns).to.include('Emplacement')
    expect(await countImports()).to.equal(before)
    const { db } = await getOperator()
    expect(await countStagedFiles(db, shop.organization)).to.deep.equal({ uploads: 0, pieces: 0 })
  })

  it('imports with the mapping that it answered, and reports the row that failed by its line', async () => {
    const { mapping } = await preview({ text: french })
    const { answer, counts, errors } = await run({ text: french, mapping })
    expect(answer.body).to.deep.include({ jobId: answer.body.id, name: 'batch', status: 'pending' })
    expect(answer.body['data']).to.deep.include({ mapperId: null, format: 'csv', onDuplicate: 'skip', dryRun: false })
    expect(answer.body['unusedColumns']).to.include('Emplacement')
    expect(counts).to.deep.equal({ created: 2, updated: 0, skipped: 0, failed: 1 })
    expect(errors.map(({ line, path, value }) => [line, path, value])).to.deep.equal([
      [3, 'product.productionDate', '30/02/2026'],
    ])
    expect((await run({ text: french, mapping })).counts).to.include({ skipped: 2 })
    expect((await run({ text: french, mapping, onDuplicate: 'update' })).counts).to.include({ created: 0 })
    expect((await run({ text: french, mapping, onDuplicate: 'fail' })).counts).to.include({ failed: 3 })
  })

  it('imports at once what leaves nothing open', async () => {
    const items = [1, 2].map((at) => ({
      reference: `J-${at}`,
      product: { idGranularity: 'item', name: 'Bag', itemNumber: `J-${at}` },
    }))
    const { counts } = await run({ text: JSON.stringify(items) })
    expect(counts.created).to.equal(2)
    expect(
      (await run({ text: items.map((one) => JSON.stringify(one)).join('\n'), format: 'ndjson' })).counts,
    ).to.include({
      skipped: 2,
    })
    expect((await run({ text: JSON.stringify(items), mapping: [] })).counts).to.include({ skipped: 2 })
    expect((await findByReference(shop, 'J-2')).product).to.deep.include({ itemNumber: 'J-2' })
  })

  it('only previews with dryRun, also with a mapping, and keeps values as they are written', async () => {
    const before = await countImports()
    const text = 'ref,name,price\nP-1,Bag 1.10,0012.50\n'
    const mapping = [...productRows, { destination: 'data.price', kind: 'field', source: 'price' }]
    const { preview: shown, mapping: applied, unclear } = await preview({ text, mapping, dryRun: true })
    expect([applied, unclear]).to.deep.equal([mapping, []])
    expect(shown.passports).to.deep.equal([
      {
        reference: 'P-1',
        product: { name: 'Bag 1.10', idGranularity: 'item', itemNumber: 'P-1' },
        data: { price: '0012.50' },
      },
    ])
    expect(await countImports()).to.equal(before)
  })

  it('suggests a mapping of items whose members are no passport, by their JSONPaths', async () => {
    const text = JSON.stringify([{ Seriennummer: 'S-1', Bezeichnung: 'Tasche', lager: { platz: 'B1' } }])
    const { mapping, preview: shown, unusedColumns } = await preview({ text })
    expect(mapping).to.deep.include({
      destination: 'product.name',
      kind: 'field',
      source: '$.Bezeichnung',
      transforms: ['trim'],
    })
    expect([shown.failed, unusedColumns]).to.deep.equal([0, ['$.lager.platz']])
  })

  it('offers what is a guess, and does not apply it', async () => {
    const { mapping, unclear, unusedColumns } = await preview({ text: 'Bezeichnung;EAN\nTasche;12\nBeutel;13\n' })
    expect(mapping.map(({ destination }) => destination)).not.to.include('product.gtin')
    const guess = unclear.find(({ column }) => column === 'EAN')
    expect(guess).to.deep.include({ destination: 'product.gtin', candidates: ['product.gtin'] })
    expect([guess?.question.startsWith('Not applied. '), unusedColumns]).to.deep.equal([true, ['EAN']])
  })

  it('asks which column fills a path that every row lacks', async () => {
    const { unclear } = await preview({ text: 'xq;zv\n1;2\n3;4\n' })
    const question = unclear.find(({ destination }) => destination === 'product.name' || destination === 'product')
    expect(question?.question).to.match(/^Every row fails: /)
    expect(question?.candidates).to.deep.equal(['xq', 'zv'])
  })

  it('checks the first 1,000 rows, counts all, and shows at most 3 passports and 50 errors', async () => {
    const rows = Array.from({ length: 1_200 }, (_, at) => `N-${at},${at < 60 ? '' : 'Bag'}`)
    const { preview: shown } = await preview({
      text: `ref,name\n${rows.join('\n')}`,
      mapping: productRows,
      dryRun: true,
    })
    expect([shown.rows, shown.checked, shown.failed, shown.passports.length, shown.errors.length]).to.deep.equal([
      1_200, 1_000, 60, 3, 50,
    ])
  })

  it('refuses tables that are empty, broken or too large', async () => {
    for (const text of ['', ' \n ', 'ref,name\n'])
      expect(formatVerdict(await send({ text })), text).to.equal('400 IMPORT_BODY_MISSING')
    const broken = await send({ text: 'ref,name\n"1,Bag\n2,Bag\n' })
    expect([formatVerdict(broken), ...issues(broken)]).to.deep.equal([
      '422 VALIDATION_FAILED',
      'text import_file_broken',
    ])
    const object = await send({ text: '{"reference": "A"}', format: 'json' })
    expect([formatVerdict(object), ...issues(object)]).to.deep.equal([
      '422 VALIDATION_FAILED',
      'text import_not_a_list',
    ])
    const bytes = 1024 * 1024
    const head = 'ref,name\nL-1,'
    const fits = head + 'é'.repeat((bytes - head.length - 1) / 2) + '\n'
    expect((await send({ text: fits, mapping: productRows, dryRun: true })).status).to.equal(200)
    expect(formatVerdict(await send({ text: `${fits}\n`, mapping: productRows }))).to.equal('400 IMPORT_TOO_LARGE')
    expect(formatVerdict(await send({ text: 'x'.repeat(9 * bytes) }))).to.equal('400 IMPORT_TOO_LARGE')
  })

  it('refuses a mapping that is wrong, empty, or names columns that are not there', async () => {
    const text = 'ref,name\nW-1,Bag\n'
    expect(formatVerdict(await send({ text, mapping: [] }))).to.equal('400 IMPORT_MAPPER_REQUIRED')
    const mapping = [{ destination: 'product.name', kind: 'field', source: 'title', required: true }]
    const missing = await send({ text, mapping })
    expect(formatVerdict(missing)).to.equal('400 IMPORT_COLUMNS_MISSING')
    expect(missing.body['detail']).to.match(/"title".*It has "ref", "name"/)
    const twice = await send({ text: 'ref,name,name\nW-1,Bag,Box\n', mapping: productRows })
    expect([formatVerdict(twice), ...issues(twice)]).to.deep.equal([
      '422 VALIDATION_FAILED',
      'mapping import_column_twice',
    ])
    const wrong = await send({ text, mapping: [{ destination: 'product..name', kind: 'field', source: 'name' }] })
    expect(formatVerdict(wrong)).to.equal('422 VALIDATION_FAILED')
    expect(issues(wrong)[0]).to.match(/^mapping\[0\]\.destination /)
    const network = await send({ text, mapping: productRows, network: 'XdcMainnet' })
    expect(issues(network)).to.deep.equal(['network unusable_network'])
  })

  it('finds no application of others, and demands the permissions of an import', async () => {
    const other = await buildShop()
    const foreign = await send({ text: french, application: other.application })
    expect(formatVerdict(foreign)).to.equal('404 NOT_FOUND')
    const able = async (dpp: ('read' | 'create')[]) => ({
      ...shop,
      api: createApiClient((await buildKey(shop.organization, { dpp })).key),
    })
    expect(formatVerdict(await send({ text: french }, {}, await able(['read'])))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
    const creator = await able(['create'])
    expect((await send({ text: french }, {}, creator)).status).to.equal(200)
    expect(formatVerdict(await send({ text: french, onDuplicate: 'update' }, {}, creator))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
  })

  it('does the same request once under one key, and keeps no file of requests at the same time', async () => {
    const before = await countImports()
    const body = { text: 'ref,name\nI-1,Bag\n', mapping: productRows }
    const headers = { 'idempotency-key': randomUUID() }
    const sent = await Promise.all(Array.from({ length: 4 }, () => send(body, headers)))
    const accepted = sent.filter(({ status }) => status === 202)
    for (const one of sent.filter(({ status }) => status !== 202))
      expect(formatVerdict(one)).to.equal('409 IDEMPOTENCY_IN_PROGRESS')
    const again = await send(body, headers)
    expect([again.status, again.headers['idempotency-replayed']]).to.deep.equal([202, 'true'])
    expect([...new Set([...accepted, again].map(({ body: { id } }) => id))]).to.have.length(1)
    expect(formatVerdict(await send({ ...body, text: `${body.text}I-2,Bag\n` }, headers))).to.equal(
      '422 IDEMPOTENCY_KEY_REUSED',
    )
    await waitForImport(shop, String(again.body.id))
    // The import has a slice of its own in the list.
    expect((await countImports()) - before).to.be.within(1, 2)
    const { db } = await getOperator()
    expect(await countStagedFiles(db, shop.organization)).to.deep.equal({ uploads: 0, pieces: 0 })
  })
})
