import { expect } from 'chai'
import { waitUntil } from '../../../support/processes.ts'
import {
  getBody,
  waitForJob,
  listEventTypes,
  listFaultPaths,
  createSerial,
  readPassport,
  formatVerdict,
} from '../passports/fixtures.ts'
import { buildPassport, buildPublishedPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'

const serial = { name: 'serialNumber', type: 'string', required: true, maxLength: 40 }
const size = { name: 'size', type: 'number', min: 0 }
const wide = [serial, { name: 'color', type: 'enum', variants: ['red', 'blue'] }, size]
/** Takes no more sizes past 10. */
const narrow = [serial, { name: 'color', type: 'enum', variants: ['red', 'blue'] }, { ...size, max: 10 }]

interface Sheet {
  id: string
  version: number
  passportsFields: object[]
}
interface DryRun {
  matched: number
  willChange: number
  samples: { id: string; name: string }[]
  skipped: { count: number }[]
  warnings: string[]
}

describe('Sheet versions', function () {
  this.timeout(120_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const made = async () => {
    const sheet = await buildSheet(shop, { passportsFields: wide, certifiedPaths: ['serialNumber'] })
    const path = `/v1/dpp/products/${sheet}`
    const small = await buildPassport(shop, sheet, { fields: { serialNumber: createSerial(), size: 1 } })
    const large = await buildPassport(shop, sheet, {
      fields: { serialNumber: createSerial(), size: 11 },
      reference: `large-${createSerial()}`,
    })
    return { sheet, path, small, large, read: async () => getBody<Sheet>(await shop.api.get(path)) }
  }

  it('refuses definitions that present passports do not fit, with how many and which', async () => {
    const { path, large, read } = await made()
    const before = await read()
    expect(before.version).to.equal(1)
    const refused = await shop.api.patch(path, { passportsFields: narrow })
    expect(formatVerdict(refused)).to.equal('409 DPP_PRODUCT_SCHEMA_IN_USE')
    expect(refused.body).to.deep.include({ passports: 1, samples: [{ id: large.id, name: large.reference }] })
    expect(listFaultPaths(refused)).to.deep.equal(['fields.size'])
    expect(await read()).to.deep.equal(before)
    for (const passportsFields of [
      wide.filter(({ name }) => name !== 'size'),
      [...wide, { name: 'more', type: 'string', required: true }],
      wide.map((one) => (one.name === 'size' ? { name: 'size', type: 'string' } : one)),
    ]) {
      expect((await shop.api.patch(path, { passportsFields })).body, JSON.stringify(passportsFields)).to.deep.include({
        passports: 2,
      })
    }
  })

  it('tells with dryRun what a change would do, and stores nothing', async () => {
    const { path, large, read } = await made()
    const before = await read()
    const ask = async (body: object) => {
      const answer = await shop.api.patch(`${path}?dryRun=true`, body, {
        headers: { 'Idempotency-Key': 'the-same-every-time' },
      })
      expect(answer.status, answer.text).to.equal(200)
      return getBody<DryRun>(answer)
    }
    const refused = await ask({ passportsFields: narrow })
    expect(refused).to.deep.include({ matched: 2, willChange: 0, samples: [{ id: large.id, name: large.reference }] })
    expect([refused.skipped.map(({ count }) => count), refused.warnings.length]).to.deep.equal([[1], 1])
    expect(await ask({ passportsFields: narrow, migrate: true })).to.deep.include({
      matched: 2,
      willChange: 1,
      warnings: [],
    })
    expect(await ask({ passportsFields: [...wide, { name: 'more', type: 'string' }] })).to.deep.include({
      matched: 2,
      skipped: [],
      warnings: [],
    })
    expect(
      listFaultPaths(await shop.api.patch(`${path}?dryRun=true`, { passportsFields: [{ name: 'a' }] })),
    ).to.deep.equal(['passportsFields[0].type'])
    expect(await read()).to.deep.equal(before)
  })

  it('takes what every passport fits as the next version, and passports keep the one that judged them', async () => {
    const { sheet, path, small, read } = await made()
    const wider = [...wide, { name: 'more', type: 'string', default: 'none' }]
    const changed = await shop.api.patch(path, { passportsFields: wider })
    expect([changed.status, getBody<Sheet>(changed).version]).to.deep.equal([200, 2])
    expect((await shop.api.patch(path, { name: 'Other' })).body['version']).to.equal(2)
    expect((await readPassport(shop.api, small.id)).sheetVersion).to.equal(1)
    const later = await buildPassport(shop, sheet)
    expect([later.sheetVersion, later.fields?.['more']]).to.deep.equal([2, 'none'])
    expect((await readPassport(shop.api, later.id)).sheetVersion).to.equal(2)
    const patched = await shop.api.patch(`/v1/dpp/passports/${small.id}`, { fields: { size: 2 } })
    expect(patched.body).to.deep.include({ sheetVersion: 2 })
    expect((await shop.api.patch(`/v1/dpp/passports/${small.id}`, { reference: null })).body).to.deep.include({
      sheetVersion: 2,
    })
    const old = getBody<Sheet>(await shop.api.get(`${path}?version=1`))
    expect([old.version, old.passportsFields]).to.deep.equal([1, wide])
    expect(getBody<Sheet>(await shop.api.get(`${path}?version=2`))).to.deep.equal(await read())
    expect((await shop.api.get(`${path}?version=3`)).status).to.equal(404)
  })

  it('validate all passports again in a job with migrate, and report those that keep their version', async () => {
    const { sheet, path, small, large, read } = await made()
    const fresh = [...narrow, { name: 'more', type: 'string', default: 'none' }]
    const started = await shop.api.patch(path, { passportsFields: fresh, migrate: true })
    expect(started.status, started.text).to.equal(202)
    expect(started.headers['location']).to.equal(`/v1/jobs/${String(started.body['jobId'])}`)
    const job = await waitForJob(shop.api, String(started.headers['location']))
    expect(job).to.deep.include({ status: 'completed', total: 2, completed: 1, failed: 1 })
    expect(job.result).to.deep.equal({ migrated: 1, changed: 1, recertified: 0, failed: 1 })
    expect(job.errors.map(({ line, path: at, code }) => [line, at, code])).to.deep.equal([
      [1, 'fields.size', 'max_value'],
    ])
    expect(job.errors[0]?.message).to.contain(large.id)
    expect((await read()).version).to.equal(2)
    const now = await readPassport(shop.api, small.id)
    expect([now.sheetVersion, now.fields?.['more']]).to.deep.equal([2, 'none'])
    expect(await listEventTypes(shop, small.id)).to.deep.equal(['create', 'update'])
    expect(await readPassport(shop.api, large.id)).to.deep.equal(large)
    const ready = await shop.api.get(`/v1/dpp/passports/${large.id}/readiness`)
    expect(
      getBody<{ findings: { code: string; path: string }[] }>(ready).findings.filter(({ path: at }) =>
        at.startsWith('fields'),
      ),
    )
      .to.have.lengthOf(1)
      .and.satisfy((found: { code: string }[]) => found.every(({ code }) => code === 'sheet_version_old'))
    expect(ready.text).to.contain('sheet_version_old')
    const unfit = await shop.api.patch(`/v1/dpp/passports/${large.id}`, { fields: { color: 'red' } })
    expect(listFaultPaths(unfit)).to.deep.equal(['fields.size'])
    const mended = await shop.api.patch(`/v1/dpp/passports/${large.id}`, { fields: { size: 10 } })
    expect(mended.body).to.deep.include({ sheetVersion: 2 })
    expect((await buildPassport(shop, sheet)).sheetVersion).to.equal(2)
  })

  it('does not hold a further change against passports that kept an older version', async () => {
    const { path, large } = await made()
    const job = await shop.api.patch(path, { passportsFields: narrow, migrate: true })
    await waitForJob(shop.api, String(job.headers['location']))
    const narrower = narrow.map((one) => (one.name === 'size' ? { ...size, max: 9 } : one))
    expect((await shop.api.patch(path, { passportsFields: narrower })).status).to.equal(200)
    expect((await readPassport(shop.api, large.id)).sheetVersion).to.equal(1)
  })

  it('certifies again what a migration changed', async () => {
    const sheet = await buildSheet(shop, { passportsFields: wide, certifiedPaths: ['serialNumber', 'size'] })
    const passport = await buildPublishedPassport(shop, sheet)
    const certified = await shop.api.post(`/v1/dpp/passports/certify?filters[id][eq]=${passport.id}`)
    await waitForJob(shop.api, String(certified.headers['location']))
    const before = await readPassport(shop.api, passport.id)
    expect(before.certificationStatus).to.equal('certified')
    const fresh = wide.map((one) => (one.name === 'size' ? { ...size, max: 10, default: 3 } : one))
    const started = await shop.api.patch(`/v1/dpp/products/${sheet}`, { passportsFields: fresh, migrate: true })
    const job = await waitForJob(shop.api, String(started.headers['location']))
    expect(job.result).to.deep.equal({ migrated: 1, changed: 1, recertified: 1, failed: 0 })
    await waitUntil(
      'its newest certificate stands',
      async () => (await readPassport(shop.api, passport.id)).certificationStatus === 'certified',
    )
    const after = await readPassport(shop.api, passport.id)
    expect([after.certificationStatus, after.fields?.['size']]).to.deep.equal(['certified', 3])
    expect(after.contentHash).not.to.equal(before.contentHash)
  })

  it('is kept by passports of imports and of batches', async () => {
    const { sheet, path } = await made()
    await shop.api.patch(path, { passportsFields: [...wide, { name: 'more', type: 'string' }] })
    const serialNumber = createSerial()
    const imported = await shop.api.post(
      `/v1/imports?entityName=DppPassport&application=${shop.application}&network=EthereumAnvil`,
      [{ product: sheet, fields: { serialNumber }, reference: serialNumber }],
    )
    await waitForJob(shop.api, String(imported.headers['location']))
    const mint = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: createSerial() }])
    await waitForJob(shop.api, String(mint.headers['location']))
    const listed = await shop.api.get(`/v1/dpp/passports?filters[product][eq]=${sheet}`)
    expect(
      getBody<{ data: { sheetVersion: number }[] }>(listed)
        .data.map(({ sheetVersion }) => sheetVersion)
        .sort(),
    ).to.deep.equal([1, 1, 2, 2])
  })
})
