import { expect } from 'chai'
import { createSerial } from '../../dpp/passports/fixtures.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { createMapper, sendFile } from '../intake/intake.maker.ts'
import { waitForImport, runImport, createItemRow } from './job.maker.ts'

describe('Import job: all rows or none', function () {
  this.timeout(120_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const atomic = { atomic: 'true' }
  const made = async () => {
    const answer = await shop.api.get('/v1/dpp/passports?pageSize=1')
    return Number(answer.body['total'])
  }
  const goodRows = (count: number) => {
    const ref = createSerial()
    return Array.from({ length: count }, (_, at) => createItemRow(`${ref}/${at}`))
  }

  it('stores all of them, in slices as ever', async () => {
    const before = await made()
    const { job, counts } = await runImport(shop, goodRows(2_500), atomic)
    expect([job.status, job.data.atomic, job.initError, job.total, job.completed, counts.created]).to.deep.equal([
      'completed',
      true,
      null,
      2_500,
      2_500,
      2_500,
    ])
    expect(await made()).to.equal(before + 2_500)
    const slices = await shop.api.get(`/v1/imports?filters[parent][eq]=${job.id}`)
    expect(slices.body['total']).to.equal(3)
  })

  it('stores none where one has an error, and tells every error', async () => {
    const before = await made()
    const rows = goodRows(2_500)
    const { job, counts, errorLines } = await runImport(
      shop,
      [{ reference: 'x' }, ...rows.slice(0, 2_000), { reference: 'y', product: {} }, ...rows.slice(2_000)],
      atomic,
    )
    expect([job.status, job.initError?.code, job.total, job.completed, job.failed]).to.deep.equal([
      'failed',
      'IMPORT_ROWS_FAILED',
      2_502,
      0,
      2_502,
    ])
    expect(job.initError?.message).to.equal(
      '2 of 2502 rows have errors, and none was stored: all rows or none were asked for.',
    )
    expect(counts).to.deep.equal({ created: 0, updated: 0, skipped: 0, failed: 2_502 })
    expect([...new Set(errorLines.map((one) => one.split(' ')[0]))]).to.deep.equal(['0', '2001'])
    expect(job.errors.length).to.be.greaterThan(1)
    expect(await made()).to.equal(before)
  })

  it('stores none where the file breaks off', async () => {
    const before = await made()
    const raw = JSON.stringify(goodRows(1_200)).slice(0, -20)
    const sent = await sendFile(shop, raw, { type: 'application/json', query: atomic })
    const { job, counts } = await waitForImport(shop, String(sent.body['id']))
    expect([job.status, job.initError?.code, counts.created]).to.deep.equal(['failed', 'IMPORT_FILE_BROKEN', 0])
    expect(await made()).to.equal(before)
  })

  it('fails whole where one passport is there already and that is not to be', async () => {
    const [there, ...rest] = goodRows(3)
    await runImport(shop, [there])
    const before = await made()
    const { job, errorLines } = await runImport(shop, [...rest, there], { ...atomic, onDuplicate: 'fail' })
    expect([job.initError?.code, errorLines]).to.deep.equal([
      'IMPORT_ROWS_FAILED',
      ['2 DPP_PASSPORT_DUPLICATE_REFERENCE reference'],
    ])
    expect(await made()).to.equal(before)
    expect((await runImport(shop, [...rest, there], atomic)).counts).to.deep.include({ created: 2, skipped: 1 })
  })

  it('says in a dry run what would have been', async () => {
    const before = await made()
    expect((await runImport(shop, goodRows(2), { ...atomic, dryRun: 'true' })).counts.created).to.equal(2)
    const { job } = await runImport(shop, [...goodRows(2), {}], { ...atomic, dryRun: 'true' })
    expect(job.initError?.code).to.equal('IMPORT_ROWS_FAILED')
    expect(await made()).to.equal(before)
  })

  it('takes 100,000 rows at most', async () => {
    const mapper = await createMapper(shop)
    const raw = `ref,name\n${'\u00e9,\n'.repeat(100_001)}`
    const sent = await sendFile(shop, raw, { type: 'text/csv', query: { mapperId: mapper, ...atomic } })
    const { job } = await waitForImport(shop, String(sent.body['id']))
    expect([job.status, job.initError?.code]).to.deep.equal(['failed', 'IMPORT_TOO_MANY_ROWS'])
  })
})
