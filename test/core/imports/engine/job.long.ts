import { expect } from 'chai'
import fc from 'fast-check'
import type { Passport } from '../../../../core/features/dpp/index.ts'
import { catalogueMapper, writeCatalogue } from '../../../support/values/import-catalogue.ts'
import { readPassportTotals } from '../../../support/rows/dpp/counted-passports.ts'
import { listEventPassports } from '../../../support/rows/events/stored-passports.ts'
import { countImportKeys, sumSlices } from '../../../support/rows/imports/import-sums.ts'
import { countUploads } from '../../../support/rows/imports/kept-uploads.ts'
import { getOperator } from '../../identity/people.ts'
import { getBody, waitForJob, createSerial, readPassport, getRows } from '../../dpp/passports/fixtures.ts'
import { buildDescribedPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { createMapper, sendFile } from '../intake/intake.maker.ts'
import { findByReference, waitForImport, runImport, createItemRow, startImport } from './job.maker.ts'

describe('Import job', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('makes drafts of its rows, as their creation does but for where they come from', async () => {
    const reference = createSerial()
    const body = {
      ...createItemRow(reference, {}, { data: { color: 'rot', weights: [1, 2.5] } }),
      certifiedPaths: ['color'],
      allowedClaimEmail: 'buyer@example.com',
      allowedClaimPhoneNumber: '+33612345678',
      certificateUri: 'https://certificates.example/1',
    }
    const { job, counts } = await runImport(shop, [body])
    expect(counts).to.deep.equal({ created: 1, updated: 0, skipped: 0, failed: 0 })
    expect(job).to.deep.include({
      status: 'completed',
      total: 1,
      completed: 1,
      failed: 0,
      progress: 1,
      initError: null,
    })
    expect(job.result).to.deep.equal({ created: 1, updated: 0, skipped: 0, failed: 0 })
    const made = await findByReference(shop, reference)
    expect(made).to.deep.include({
      ...body,
      status: 'draft',
      source: 'import',
      network: 'EthereumAnvil',
      certificationStatus: 'none',
    })
    expect(made.createdAt).to.equal(made.updatedAt)
  })

  it('stores whatever is in a row, and tells in its event only that it is there', async () => {
    const sheet = await buildSheet(shop)
    const model = createSerial()
    await buildDescribedPassport(shop, { idGranularity: 'model', name: 'Model "1"\t\\', modelNumber: model })
    const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((one) => one.replaceAll('\0', '\\'))
    const data = fc.dictionary(
      text.filter((name) => /^\p{L}/u.test(name) && !/^(__proto__|constructor|prototype)$/.test(name)),
      fc.oneof(
        text,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.array(text, { maxLength: 3 }),
      ),
      { maxKeys: 4 },
    )
    const common = fc.record(
      {
        allowedClaimEmail: fc.constantFrom('a@example.com', null),
        certificateUri: fc.constantFrom('https://x.example/%5Ct', null),
      },
      { requiredKeys: [] },
    )
    const batch = createSerial()
    const product = fc
      .record({
        common,
        data,
        name: text.filter((name) => name !== ''),
        parent: fc.constantFrom('model', 'batch', 'loose', 'gone', 'none'),
      })
      .map(({ parent, name, ...more }) =>
        createItemRow(
          createSerial(),
          {
            name,
            ...(['model', 'batch'].includes(parent) && { modelNumber: model }),
            ...(['batch', 'loose'].includes(parent) && { batchNumber: batch }),
            ...(parent === 'gone' && { modelNumber: 'nobody' }),
          },
          { data: more.data, ...more.common },
        ),
      )
    const ofSheet = fc
      .record({
        common,
        color: fc.constantFrom('red', 'blue', undefined),
        serial: text.filter((one) => one.length > 0),
      })
      .map(({ common: more, color, serial }) => ({
        product: sheet,
        reference: createSerial(),
        fields: { serialNumber: serial, ...(color && { color }) },
        ...more,
      }))
    const rows = [
      {
        reference: createSerial(),
        product: { name: 'Batch', idGranularity: 'batch', modelNumber: model, batchNumber: batch },
      },
      ...fc.sample(fc.oneof(product, ofSheet), { numRuns: 60, seed: 7 }),
    ]
    const { counts, errorLines } = await runImport(shop, rows)
    expect({ ...counts, errorLines }).to.deep.equal({ created: 61, updated: 0, skipped: 0, failed: 0, errorLines: [] })
    const events = await eventsOf(
      shop,
      rows.map(({ reference }) => String(reference)),
    )
    expect(events).to.have.length(61)
    for (const { shown, eventPassport } of events) {
      expect(eventPassport).to.deep.equal({ id: shown.id })
      expect(shown).to.deep.include(rows.find(({ reference }) => reference === shown.reference))
    }
  })

  it('finds parents that stand in the same file, before or after the row that names them', async () => {
    const [model, batch, early, late] = [createSerial(), createSerial(), createSerial(), createSerial()]
    const filler = Array.from({ length: 1_000 }, () => createItemRow(createSerial()))
    const { counts } = await runImport(shop, [
      createItemRow(early, { modelNumber: model, batchNumber: batch }),
      ...filler,
      { product: { name: 'Batch', idGranularity: 'batch', modelNumber: model, batchNumber: batch } },
      { product: { name: 'Model', idGranularity: 'model', modelNumber: model } },
      createItemRow(late, { modelNumber: model, batchNumber: batch }),
    ])
    expect(counts).to.include({ created: 1_004, failed: 0 })
    const [first, last] = [await findByReference(shop, early), await findByReference(shop, late)]
    expect(first.structureJob?.id).to.equal(last.structureJob?.id)
    expect(last.structureJob?.status).to.equal('completed')
    const job = await waitForJob(shop.api, `/v1/jobs/${first.structureJob?.id}`)
    expect(job).to.deep.include({
      status: 'completed',
      total: 1_004,
      completed: 1_004,
      failed: 0,
      result: { linked: 4, unlinked: 1_000 },
    })
    expect((await readPassport(shop.api, first.id)).structureJob?.status).to.equal('completed')
    expect(first.batch?.product['batchNumber']).to.equal(batch)
  })

  it('leaves to the structure job what numbers contradict', async () => {
    const [model, batch, wrong] = [createSerial(), createSerial(), createSerial()]
    await runImport(shop, [
      { product: { name: 'Batch', idGranularity: 'batch', modelNumber: model, batchNumber: batch } },
      createItemRow(wrong, { modelNumber: 'another', batchNumber: batch }),
    ])
    const { structureJob, id } = await findByReference(shop, wrong)
    const job = await waitForJob(shop.api, `/v1/jobs/${structureJob?.id}`)
    expect(job.errors).to.deep.equal([
      {
        line: 1,
        path: 'product.batchNumber',
        code: 'OTHER_MODEL',
        message: `Batch ${batch} is one of model ${model}, not of model another.`,
      },
    ])
    expect((await readPassport(shop.api, id)).structureJob).to.include({ status: 'failed' })
  })

  it('refuses a row for what its creation refuses, in the same words', async () => {
    const sheet = await buildSheet(shop)
    const product = { name: 'Bag', idGranularity: 'item', itemNumber: 'x' }
    const bad: Record<string, unknown>[] = [
      {},
      { product: 5 },
      { product: 'no-uuid' },
      { product: { ...product, idGranularity: 'pallet' } },
      { product: { ...product, itemNumber: '' } },
      { product: { ...product, name: 3, productionDate: 'today' } },
      { product: { ...product, batchNumber: 7, producedAtFacility: {} } },
      { product: { idGranularity: 'batch', name: 'B' } },
      { product: { ...product, type: ['Product'] } },
      { product, more: 1 },
      { product, data: { '@context': 1 }, certifiedPaths: ['@context'] },
      { product, data: { opt_in_form: 'http://x' } },
      { product, certifiedPaths: ['a', 'a'] },
      { product, certifiedPaths: ['a.'] },
      { product, reference: '' },
      { product, reference: 'a\nb' },
      { product, reference: 'R'.repeat(201) },
      { product, reference: 5 },
      { product, allowedClaimEmail: 'nobody', allowedClaimPhoneNumber: '0612' },
      { product, certificateUri: 'http://x' },
      { product, network: 'Nowhere' },
      { product, fields: {} },
      { product, data: [] },
      { product, application: 'x' },
      { product: sheet, data: {} },
      { product: sheet },
      { product: sheet, fields: { serialNumber: 'S', color: 'green', extra: 1 } },
      { product: sheet, fields: { serialNumber: 'S' }, certifiedPaths: ['nothing'] },
      { product, data: { constructor: 1 } },
    ]
    const { errors, job } = await runImport(shop, bad)
    for (const [line, body] of bad.entries()) {
      const { application } = shop
      const answer = await shop.api.post('/v1/dpp/passports', {
        ...(typeof body['product'] === 'string' ? {} : { application }),
        ...body,
      })
      expect(answer.status, JSON.stringify(body)).to.be.oneOf([400, 422])
      const said = getBody<{ errors: { path: string; code: string; message: string }[] }>(answer).errors
      const mine = errors
        .filter((error) => error.line === line)
        .map(({ path, code, message }) => ({ path, code, message }))
      expect(sorted(mine), JSON.stringify(body)).to.deep.equal(sorted(said))
    }
    expect(job).to.deep.include({ status: 'failed', total: bad.length, failed: bad.length, completed: 0 })
    expect(job.errors.at(-1)).to.include({ code: 'IMPORT_FAILED' })
  })

  it('shows the value to blame, cut', async () => {
    const { errors } = await runImport(shop, [
      createItemRow('R'.repeat(300)),
      createItemRow(createSerial(), { productionDate: 'today' }),
    ])
    expect(errors.map(({ line, path, value }) => [line, path, value])).to.deep.equal([
      [0, 'product.itemNumber', 'R'.repeat(200)],
      [0, 'reference', 'R'.repeat(200)],
      [1, 'product.productionDate', 'today'],
    ])
  })

  it('fails rows of another application, of a sheet of another one, of an unknown sheet and of an unusable network', async () => {
    const other = await buildShop()
    const foreign = await buildSheet(other)
    const { errorLines, counts } = await runImport(shop, [
      createItemRow(createSerial(), {}, { application: other.application }),
      { product: foreign, fields: {} },
      { product: '00000000-0000-4000-8000-000000000000' },
      createItemRow(createSerial(), {}, { network: 'BaseMainnet' }),
      createItemRow(createSerial(), {}, { application: shop.application }),
      5,
      null,
      [],
    ])
    expect(errorLines).to.deep.equal([
      '0 mismatch application',
      '1 not_found product',
      '2 not_found product',
      '3 unusable_network network',
      '5 type',
      '6 type',
      '7 type',
    ])
    expect(counts).to.include({ created: 1, failed: 7 })
  })

  it('stores nothing on a dry run, and tells what it would', async () => {
    const [one, two] = [createSerial(), createSerial()]
    await runImport(shop, [createItemRow(two)])
    const rows = [createItemRow(one), createItemRow(two), createItemRow(one), { product: {} }]
    for (const [onDuplicate, counts] of [
      ['skip', { created: 1, updated: 0, skipped: 2, failed: 1 }],
      ['fail', { created: 1, updated: 0, skipped: 0, failed: 3 }],
      ['update', { created: 1, updated: 1, skipped: 1, failed: 1 }],
    ] as const)
      expect((await runImport(shop, rows, { dryRun: 'true', onDuplicate })).counts).to.deep.equal(counts)
    expect(getRows(await shop.api.get(`/v1/dpp/passports?filters[reference][eq]=${one}`))).to.deep.equal([])
    const { db } = await getOperator()
    expect(await countImportKeys(db, shop.organization)).to.equal(0)
  })

  it('finds doubles of a dry run across slices', async () => {
    const rows = Array.from({ length: 1_500 }, () => createItemRow(createSerial()))
    const { counts } = await runImport(shop, [...rows, ...rows.slice(0, 300)], { dryRun: 'true' })
    expect(counts).to.deep.equal({ created: 1_500, updated: 0, skipped: 300, failed: 0 })
  })

  it('keeps what came before the place where a file breaks off', async () => {
    const rows = Array.from({ length: 1_200 }, () => createItemRow(createSerial()))
    const text = JSON.stringify(rows)
    const started = await sendFile(shop, `${text.slice(0, -1)},{"a":`, { type: 'application/json' })
    const { job, counts } = await waitForImport(shop, String(started.body.id))
    expect(job.status).to.equal('failed')
    expect(job.initError?.code).to.match(/^IMPORT_/)
    expect(job.errors.at(-1)).to.include({ code: job.initError?.code })
    expect(counts.created).to.equal(job.completed).and.to.be.at.least(1_000)
    const last = await findByReference(shop, rows[999]?.reference ?? '')
    expect((await waitForJob(shop.api, `/v1/jobs/${last.structureJob?.id}`)).status).to.equal('completed')
  })

  it('takes large rows in slices as short as their size demands', async () => {
    const rows = Array.from({ length: 60 }, () =>
      createItemRow(createSerial(), {}, { data: { text: 'x'.repeat(200 * 1024) } }),
    )
    const { job, counts } = await runImport(shop, [
      ...rows,
      createItemRow(createSerial(), {}, { data: { text: 'x'.repeat(300 * 1024) } }),
    ])
    expect(counts).to.deep.equal({ created: 60, updated: 0, skipped: 0, failed: 1 })
    const slices = await shop.api.get(`/v1/imports?filters[parent][eq]=${job.id}`)
    expect(getBody<{ total: number }>(slices).total).to.be.within(3, 5)
  })

  it('ends completed with nothing to do', async () => {
    const { job, counts } = await runImport(shop, [])
    expect(job).to.deep.include({ status: 'completed', total: 0, progress: 1 })
    expect(counts).to.deep.equal({ created: 0, updated: 0, skipped: 0, failed: 0 })
  })

  it('takes 20,000 rows of a catalogue, fails every bad one alone and says so to the line', async () => {
    const own = await buildShop()
    const mapperId = await createMapper(own, { rows: catalogueMapper })
    const { chunks, badRows } = writeCatalogue({ rows: Number(process.env['TEST_ROWS'] ?? 20_000) })
    const started = await sendFile(own, Buffer.concat([...chunks]), { query: { mapperId }, type: 'text/csv' })
    expect(started.status, started.text).to.equal(202)
    const { job, counts, errorLines } = await waitForImport(own, String(started.body.id))
    expect(errorLines).to.deep.equal(badRows.map(({ line, code, path }) => `${line} ${code} ${path}`.trim()))
    expect(counts).to.include({ failed: badRows.length, created: job.total - badRows.length })
    const { db } = await getOperator()
    expect({
      ...(await sumSlices(db, job.id)),
      ...(await readPassportTotals(db, own)),
      left: await countUploads(db, own.organization),
    }).to.deep.equal({
      slices: Math.ceil(job.total / 1_000),
      total: job.total,
      completed: job.completed,
      failed: job.failed,
      passports: counts.created,
      events: counts.created,
      counted: counts.created,
      left: 0,
    })
  })

  it('comes to the same when two take the same file at once', async () => {
    const rows = Array.from({ length: 2_500 }, () => createItemRow(createSerial()))
    const ids = await Promise.all([startImport(shop, rows), startImport(shop, rows)])
    const [one, other] = [await waitForImport(shop, ids[0]), await waitForImport(shop, ids[1])]
    expect(one.counts.failed + other.counts.failed).to.equal(0)
    expect(one.counts.created + other.counts.created).to.equal(2_500)
    expect(one.counts.skipped + other.counts.skipped).to.equal(2_500)
  })

  it('finds what is there already behind slices that were all new', async () => {
    const rows = Array.from({ length: 4_200 }, () => createItemRow(createSerial()))
    await runImport(shop, [...rows.slice(2_500, 2_600), ...rows.slice(4_100)])
    const { counts } = await runImport(shop, rows)
    expect(counts).to.deep.equal({ created: 4_000, updated: 0, skipped: 200, failed: 0 })
  })
})

const sorted = <T extends { path: string; code: string }>(list: readonly T[]) =>
  list.toSorted((one, other) => `${one.path} ${one.code}`.localeCompare(`${other.path} ${other.code}`))

/** What the create events of passports told, beside the passports. */
async function eventsOf(
  { api, application }: Shop,
  references: readonly string[],
): Promise<{ shown: Passport; eventPassport: unknown }[]> {
  const { db } = await getOperator()
  const rows = await listEventPassports(db, { application, type: 'create', references })
  return Promise.all(
    rows.map(async ({ id, passport }) => ({ shown: await readPassport(api, id), eventPassport: passport })),
  )
}
