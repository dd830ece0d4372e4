import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Answer } from '../../../support/client.ts'
import { createApiClient } from '../../../support/client.ts'
import { insertImport } from '../../../support/rows/imports/imports.ts'
import { buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'

type Row = Record<string, unknown>
const idsOf = ({ body }: Answer) => (body['data'] as unknown as Row[]).map(({ id }) => id)

describe('GET /v1/imports and /v1/imports/{id}', () => {
  let shop: Shop
  let other: Shop
  let batch: string
  let slice: string
  let failed: string
  let going: string

  before(async () => {
    ;[shop, other] = [await buildShop(), await buildShop()]
    const at = (minute: number) => new Date(Date.UTC(2026, 3, 1, 12, minute))
    const { db } = await getOperator()
    batch = await insertImport(db, shop, {
      createdAt: at(1),
      total: 3,
      completed: 2,
      failed: 1,
      result: { created: 2 },
      errors: [{ line: 3, path: 'reference', code: 'required', message: 'is missing' }],
      fileName: 'bags.csv',
      network: 'EthereumAnvil',
      created: 1,
      updated: 0,
      skipped: 1,
      bytes: 90,
      doneBytes: 90,
      mapper: randomUUID(),
      dialect: { encoding: 'windows-1252', bom: false, delimiter: ';', columns: 4 },
    })
    slice = await insertImport(db, shop, { createdAt: at(2), sliceOf: { parent: batch } })
    failed = await insertImport(db, shop, {
      createdAt: at(3),
      status: 'failed',
      source: 'scheduled',
      format: null,
      isDryRun: true,
      onDuplicate: 'fail',
      bytes: 8,
      doneBytes: 2,
      initError: { code: 'IMPORT_ROW_CAP_EXCEEDED', message: 'has too many rows' },
    })
    going = await insertImport(db, shop, { createdAt: at(4), status: 'pending', bytes: 200, doneBytes: 50 })
  })

  it('shows an import in the one shape of jobs with what it reads, how far it is and why it ended', async () => {
    const { body } = await shop.api.get(`/v1/imports/${batch}`)
    const { data, ...rest } = body as unknown as { data: Row }
    expect(rest).to.deep.equal({
      id: batch,
      type: 'import',
      status: 'completed',
      name: 'batch',
      parent: null,
      total: 3,
      completed: 2,
      failed: 1,
      progress: 1,
      initError: null,
      result: { created: 2 },
      errors: [{ line: 3, path: 'reference', code: 'required', message: 'is missing' }],
      warnings: [],
      unusedColumns: [],
      createdAt: '2026-04-01T12:01:00.000Z',
      updatedAt: '2026-04-01T12:01:00.000Z',
      finishedAt: '2026-04-01T12:01:00.000Z',
    })
    expect(data).to.deep.include({
      applicationId: shop.application,
      entityName: 'DppPassport',
      source: 'upload',
      network: 'EthereumAnvil',
      onDuplicate: 'skip',
      dryRun: false,
      format: 'csv',
      fileName: 'bags.csv',
      dialect: { encoding: 'windows-1252', bom: false, delimiter: ';', columns: 4 },
    })
    expect(data['mapperId']).to.be.a('string')
  })

  it('shows how far it is as the share of the file that was stored, and the time of its end only when it has ended', async () => {
    const pending = (await shop.api.get(`/v1/imports/${going}`)).body
    expect([pending.status, pending['progress'], pending['finishedAt']]).to.deep.equal(['pending', 0.25, null])
    const broken = (await shop.api.get(`/v1/imports/${failed}`)).body
    expect([broken['progress'], broken['initError']]).to.deep.equal([
      0.25,
      { code: 'IMPORT_ROW_CAP_EXCEEDED', message: 'has too many rows' },
    ])
    expect(broken['data']).to.deep.equal({
      applicationId: shop.application,
      entityName: 'DppPassport',
      source: 'scheduled',
      mapperId: null,
      network: null,
      onDuplicate: 'fail',
      dryRun: true,
      atomic: false,
      format: null,
    })
  })

  it('shows a slice like an import, with the import that it is of', async () => {
    const { body } = await shop.api.get(`/v1/imports/${slice}`)
    expect([body.name, body['parent'], body['progress']]).to.deep.equal(['entity', batch, 1])
  })

  it('lists imports and slices, the newest first, each as its own address shows it', async () => {
    const listed = await shop.api.get('/v1/imports')
    expect(idsOf(listed)).to.deep.equal([going, failed, slice, batch])
    expect(listed.body['total']).to.equal(4)
    expect((listed.body['data'] as unknown as Row[])[3]).to.deep.equal(
      (await shop.api.get(`/v1/imports/${batch}`)).body,
    )
  })

  it('takes every documented filter and the order', async () => {
    const by = async (filter: string) => idsOf(await shop.api.get(`/v1/imports?${filter}`))
    expect(await by('filters[status][eq]=failed')).to.deep.equal([failed])
    expect(await by('filters[status][ne]=completed')).to.deep.equal([going, failed])
    expect(await by('filters[name][eq]=entity')).to.deep.equal([slice])
    expect(await by(`filters[parent][eq]=${batch}`)).to.deep.equal([slice])
    expect(await by(`filters[data.applicationId][eq]=${shop.application}`)).to.have.length(4)
    expect(await by(`filters[data.applicationId][eq]=${other.application}`)).to.deep.equal([])
    expect(await by('filters[data.entityName][eq]=DppPassport')).to.have.length(4)
    expect(await by('filters[data.source][eq]=scheduled')).to.deep.equal([failed])
    expect(await by('sorters[0][field]=createdAt&sorters[0][order]=asc')).to.deep.equal([batch, slice, failed, going])
  })

  it('goes on by page and by cursor without leaving one out', async () => {
    const first = await shop.api.get('/v1/imports?pageSize=3')
    expect(idsOf(first)).to.deep.equal([going, failed, slice])
    expect(idsOf(await shop.api.get(`/v1/imports?pageSize=3&cursor=${first.body['nextCursor']}`))).to.deep.equal([
      batch,
    ])
    expect(idsOf(await shop.api.get('/v1/imports?pageSize=3&currentPage=2'))).to.deep.equal([batch])
  })

  it('refuses filters, orders and pages that it does not know', async () => {
    const refused = async (query: string) => formatVerdict(await shop.api.get(`/v1/imports?${query}`))
    expect(await refused('filters[fileName][eq]=x')).to.equal('400 INVALID_FILTER')
    expect(await refused('filters[name][ne]=batch')).to.equal('400 INVALID_FILTER')
    expect(await refused('sorters[0][field]=name')).to.equal('400 INVALID_SORTER')
    expect(await refused('pageSize=101')).to.equal('400 INVALID_PAGINATION')
    expect(await refused('color=red')).to.equal('400 INVALID_REQUEST')
  })

  it('is for nobody of another organization: as if it were not there', async () => {
    expect(idsOf(await other.api.get('/v1/imports'))).to.deep.equal([])
    const strip = ({ status, body: { requestId: _, instance: __, ...body } }: Answer) => ({ status, body })
    for (const path of ['', '/progress', '/report']) {
      const headers = { accept: path === '/progress' ? 'text/event-stream' : '*/*' }
      const foreign = await other.api.get(`/v1/imports/${batch}${path}`, { headers })
      const absent = await other.api.get(`/v1/imports/${randomUUID()}${path}`, { headers })
      expect(formatVerdict(foreign)).to.equal('404 NOT_FOUND')
      expect(strip(foreign)).to.deep.equal(strip(absent))
    }
  })

  it('takes the permission to read passports, and no other', async () => {
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    const writer = createApiClient((await buildKey(shop.organization, { dpp: ['create', 'update'] })).key)
    for (const path of ['', `/${batch}`, `/${batch}/report`, `/${batch}/progress`]) {
      const headers = { accept: path.endsWith('progress') ? 'text/event-stream' : '*/*' }
      expect((await reader.get(`/v1/imports${path}`, { headers })).status).to.equal(200)
      expect(formatVerdict(await writer.get(`/v1/imports${path}`, { headers }))).to.equal(
        '403 AUTH_INSUFFICIENT_PERMISSIONS',
      )
    }
  })
})
