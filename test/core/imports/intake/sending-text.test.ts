import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { MapperRow } from '../../../../core/features/imports/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { getOperator } from '../../identity/people.ts'
import { countStagedFiles } from '../../../support/rows/imports/uploads.ts'
import { buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { findByReference, waitForImport } from '../engine/job.maker.ts'
import { createMapper, productRows, sendFile } from './intake.maker.ts'

const type = 'application/vnd.tessera.import+json'
const csv = 'ref;name\nT-1;Täschchen 1,50\nT-2;Bag\n'
const mapping: MapperRow[] = productRows
const item = (reference: string) => ({
  reference,
  product: { idGranularity: 'item', name: 'Bag', itemNumber: reference },
})

describe('POST /v1/imports: sending a file as text in a JSON object', function () {
  this.timeout(60_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })
  const send = (body: object, query: Record<string, string> = {}, more: Record<string, string> = {}, to = shop) =>
    sendFile(to, JSON.stringify(body), { type, query, headers: more })
  const run = async (body: object, query: Record<string, string> = {}) => {
    const sent = await send(body, query)
    expect(sent.status, sent.text).to.equal(202)
    return { ...(await waitForImport(shop, String(sent.body.id))), sent }
  }
  const issues = (answer: Awaited<ReturnType<typeof send>>) =>
    (answer.body['errors'] as unknown as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)

  it('imports CSV through the rows that came along, and keeps no mapper', async () => {
    const { counts, sent } = await run({ text: csv, format: 'csv', mapping })
    expect(counts).to.deep.equal({ created: 2, updated: 0, skipped: 0, failed: 0 })
    expect(sent.body['data']).to.deep.include({
      mapperId: null,
      source: 'upload',
      format: 'csv',
      dialect: { encoding: 'utf-8', bom: false, delimiter: ';', columns: 2 },
    })
    const { product } = await findByReference(shop, 'T-1')
    expect(product).to.deep.include({ name: 'Täschchen 1,50', itemNumber: 'T-1' })
    expect((await shop.api.get('/v1/import/mappers')).body['total']).to.equal(0)
  })

  it('imports lines and lists of JSON, found out or stated, and items as they are', async () => {
    const [one, two] = [item('J-1'), item('J-2')]
    for (const [body, format] of [
      [{ text: JSON.stringify([one, two]) }, 'json'],
      [{ text: `${JSON.stringify(one)}\n${JSON.stringify(two)}\n` }, 'ndjson'],
      [{ text: `${JSON.stringify(one)}\n${JSON.stringify(two)}\n`, format: 'ndjson' }, 'ndjson'],
      [{ items: [one, two] }, 'json'],
      [{ items: [one, two], format: 'json', mapping: [] }, 'json'],
    ] as const) {
      const { counts, sent } = await run(body, { dryRun: 'true' })
      expect([counts.created, sent.body['data']?.['format']], JSON.stringify(body)).to.deep.equal([2, format])
    }
  })

  it('reads items through rows with JSONPaths', async () => {
    const rows = mapping.map((row) => (row.source === undefined ? row : { ...row, source: `$.${String(row.source)}` }))
    await run({ items: [{ ref: 'P-1', name: 'Bag' }], mapping: rows })
    expect((await findByReference(shop, 'P-1')).product).to.deep.include({ itemNumber: 'P-1' })
  })

  it('skips, changes or reports rows whose passport is there, as onDuplicate says', async () => {
    const text = (name: string) => `ref,name\nD-1,${name}\n`
    await run({ text: text('Bag'), mapping })
    expect((await run({ text: text('Box'), mapping })).counts).to.include({ skipped: 1, updated: 0 })
    expect((await run({ text: text('Box'), mapping }, { onDuplicate: 'fail' })).counts).to.include({ failed: 1 })
    expect((await run({ text: text('Box'), mapping }, { onDuplicate: 'update' })).counts).to.include({ updated: 1 })
  })

  it('goes through a mapper of the application too', async () => {
    const mapperId = await createMapper(shop)
    const { counts } = await run({ text: 'ref,name\nM-1,Bag\n' }, { mapperId })
    expect(counts.created).to.equal(1)
  })

  it('tells the line, the path and the value of a row that fails', async () => {
    const { errors } = await run({ text: 'ref,name\nE-1,Bag\n,Bag\n', mapping })
    expect(errors).to.deep.equal([
      { line: 3, path: 'product.itemNumber', code: 'required', message: 'is missing: an item has one', value: null },
    ])
  })

  it('refuses what a file is refused for, with the same codes', async () => {
    expect(formatVerdict(await send({ text: csv }))).to.equal('400 IMPORT_MAPPER_REQUIRED')
    expect(formatVerdict(await send({ text: csv, mapping: [] }))).to.equal('400 IMPORT_MAPPER_REQUIRED')
    expect(formatVerdict(await send({ text: ' \n', format: 'csv', mapping }))).to.equal('400 IMPORT_BODY_MISSING')
    expect(formatVerdict(await send({ text: 'a,b\n1,2\n', mapping }))).to.equal('400 IMPORT_COLUMNS_MISSING')
    expect(formatVerdict(await send({ text: '["', format: 'csv', mapping: [] }))).to.equal('400 IMPORT_MAPPER_REQUIRED')
    const mapperId = await createMapper(shop)
    expect(formatVerdict(await send({ items: [item('X-1')] }, { mapperId }))).to.equal(
      '400 IMPORT_MAPPER_FORMAT_MISMATCH',
    )
    expect(formatVerdict(await sendFile(shop, '{"text":', { type }))).to.equal('400 INVALID_JSON')
    expect(formatVerdict(await send({ text: csv, mapping }, { encoding: 'utf-8' }))).to.equal('400 INVALID_REQUEST')
  })

  it('refuses members that contradict each other, and names them', async () => {
    const mapperId = await createMapper(shop)
    const wrong = await send({ text: csv, items: [item('X-1')], format: 'csv', mapping }, { mapperId })
    expect(formatVerdict(wrong)).to.equal('422 VALIDATION_FAILED')
    expect(issues(wrong)).to.deep.equal(['items not_allowed', 'format not_allowed', 'mapping not_allowed'])
    expect(issues(await send({ mapping }))).to.deep.equal(['text required'])
    expect(issues(await send({ text: csv, rows: [] }))).to.deep.equal(['rows unknown_member'])
    const rows = [{ destination: 'product..name', kind: 'field', source: 'name' }]
    expect(issues(await send({ text: csv, mapping: rows }))[0]).to.match(/^mapping\[0\]\.destination /)
    expect(issues(await send({ text: csv, mapping: [{ kind: 'field' }] }))).to.include(
      'mapping[0].destination required',
    )
  })

  it('refuses a number that would be rounded, and items above the limit', async () => {
    const inexact = await sendFile(shop, '{"items":[{"data":{"n":12345678901234567890}}]}', { type })
    expect([formatVerdict(inexact), ...issues(inexact)]).to.deep.equal([
      '422 VALIDATION_FAILED',
      'items[0].data.n not_exact',
    ])
    const large = await send({ items: [{ reference: 'x'.repeat(8 * 1024 * 1024) }] })
    expect(formatVerdict(large)).to.equal('400 IMPORT_TOO_LARGE')
  })

  it('takes 1 MiB of text counted in bytes, and not one more', async () => {
    const head = 'ref,name\nL-1,'
    const fill = (bytes: number) => head + 'é'.repeat((bytes - head.length - 1) / 2) + '\n'
    const bytes = 1024 * 1024
    expect(Buffer.byteLength(fill(bytes))).to.equal(bytes)
    expect((await send({ text: fill(bytes), mapping }, { dryRun: 'true' })).status).to.equal(202)
    const refused = await send({ text: `${fill(bytes)}\n`, mapping })
    expect([formatVerdict(refused), ...issues(refused)]).to.deep.equal([
      '400 IMPORT_TOO_LARGE',
      'text import_too_large',
    ])
  })

  it('does the same request once under one key, and another mapping is another request', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const body = { text: 'ref,name\nK-1,Bag\n', mapping }
    const first = await send(body, {}, headers)
    const again = await send(body, {}, headers)
    expect([again.headers['idempotency-replayed'], again.body.id]).to.deep.equal(['true', first.body.id])
    const other = await send({ ...body, mapping: mapping.slice(0, 3) }, {}, headers)
    expect(formatVerdict(other)).to.equal('422 IDEMPOTENCY_KEY_REUSED')
    await waitForImport(shop, String(first.body.id))
    const { db } = await getOperator()
    expect(await countStagedFiles(db, shop.organization)).to.deep.equal({ uploads: 0, pieces: 0 })
  })

  it('finds no application of others, and demands the permission to update', async () => {
    const other = await buildShop()
    const foreign = await send({ text: csv, mapping }, { application: other.application })
    expect(formatVerdict(foreign)).to.equal('404 NOT_FOUND')
    const { key } = await buildKey(shop.organization, { dpp: ['create'] })
    const creator = { ...shop, api: createApiClient(key) }
    const refused = await send({ text: csv, mapping }, { onDuplicate: 'update' }, {}, creator)
    expect(formatVerdict(refused)).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
  })
})
