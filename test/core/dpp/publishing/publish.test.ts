import { expect } from 'chai'
import type { MintJob, Passport } from '../../../../core/features/dpp/index.ts'
import { createApiClient } from '../../../support/client.ts'
import {
  buildKey,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import {
  waitForJob,
  listEventTypes,
  listFaultPaths,
  readPassport,
  getRows,
  formatVerdict,
} from '../passports/fixtures.ts'

describe('POST /v1/dpp/passports/publish', () => {
  let shop: Shop
  let sheet: string

  beforeEach(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })

  const publish = (query = '') => shop.api.post(`/v1/dpp/passports/publish${query}`)

  /** The job of a publish request once it has ended, with what the request said. */
  async function published(query = ''): Promise<{ matched: unknown; job: MintJob }> {
    const { status, body, headers, text } = await publish(query)
    expect(status, text).to.equal(202)
    expect(headers['location']).to.equal(`/v1/jobs/${body.jobId}`)
    return { matched: body.matched, job: await waitForJob(shop.api, `/v1/jobs/${body.jobId}`) }
  }

  async function statuses(): Promise<Record<string, number>> {
    const counted: Record<string, number> = {}
    for (const { status } of getRows(await shop.api.get('/v1/dpp/passports?pageSize=100')))
      counted[status] = (counted[status] ?? 0) + 1
    return counted
  }

  it('publishes every draft without a filter', async () => {
    const drafts = await Promise.all(Array.from({ length: 12 }, () => buildPassport(shop, sheet)))
    await buildPublishedPassport(shop, sheet)
    const { matched, job } = await published('?skipCertification=true')
    expect(matched).to.equal(12)
    expect(job).to.deep.include({
      type: 'publish',
      status: 'completed',
      total: 12,
      completed: 12,
      failed: 0,
      errors: [],
    })
    expect(job.result).to.deep.equal({ published: 12, skipped: 0 })
    expect(await statuses()).to.deep.equal({ published: 13 })
    expect(await listEventTypes(shop, String(drafts[0]?.id))).to.deep.equal(['create', 'publish'])
    const shown = await readPassport(shop.api, drafts[0]?.id)
    expect(shown).to.include({ certificationStatus: 'none', certifiedAt: null })
    expect(shown.updatedAt > shown.createdAt).to.equal(true)
  })

  it('takes every match of its filters, skips what is no draft, and counts it', async () => {
    await Promise.all(Array.from({ length: 11 }, (_, at) => buildPassport(shop, sheet, { reference: `set-${at}` })))
    await buildPublishedPassport(shop, sheet, { reference: 'set-published' })
    await buildPassport(shop, sheet, { reference: 'another' })
    const archived = await buildPassport(shop, sheet, { reference: 'set-archived' })
    await shop.api.patch(`/v1/dpp/passports/${archived.id}`, { status: 'archived' })
    const { matched, job } = await published('?filters[reference][contains]=set-')
    expect(matched).to.equal(13)
    expect(job).to.include({ total: 13, completed: 13, failed: 0 })
    expect(job.result).to.deep.equal({
      published: 11,
      skipped: 2,
      certified: 0,
      unchanged: 0,
      nothingToCertify: 11,
      failed: 0,
    })
    expect(await statuses()).to.deep.equal({ published: 12, archived: 1, draft: 1 })
  })

  it('takes exactly the page that is asked for', async () => {
    const made: Passport[] = []
    for (let at = 0; at < 5; at++) made.push(await buildPassport(shop, sheet))
    const { matched } = await published('?currentPage=2&pageSize=2&sorters[0][field]=createdAt&sorters[0][order]=asc')
    expect(matched).to.equal(2)
    const found = await shop.api.get(
      '/v1/dpp/passports?filters[status][eq]=published&sorters[0][field]=createdAt&sorters[0][order]=asc',
    )
    expect(getRows(found).map(({ id }) => id)).to.deep.equal([made[2]?.id, made[3]?.id])
    expect((await published('?pageSize=100')).matched).to.equal(3)
  })

  it('has nothing to do where nothing matches', async () => {
    const { matched, job } = await published()
    expect(matched).to.equal(0)
    expect(job).to.include({ status: 'completed', total: 0 })
  })

  it('publishes each passport once, however many publish it at once', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => buildPassport(shop, sheet)))
    const jobs = await Promise.all(Array.from({ length: 6 }, () => published('?filters[status][ne]=archived')))
    const sum = jobs.reduce((count, { job }) => count + Number(job.result?.['published']), 0)
    expect(sum).to.equal(20)
    for (const { id } of made) expect(await listEventTypes(shop, String(id))).to.deep.equal(['create', 'publish'])
  })

  it('refuses an empty text of filters, which may be a variable that is empty', async () => {
    const shop = await buildShop()
    const { id } = await buildPassport(shop, await buildSheet(shop))
    const { status, body } = await shop.api.post('/v1/dpp/passports/publish?filters=')
    expect([status, body['code']]).to.deep.equal([400, 'INVALID_FILTER'])
    expect((await readPassport(shop.api, id)).status).to.equal('draft')
  })

  it('refuses filters in a body, where they would be none and publish all', async () => {
    await buildPassport(shop, sheet)
    const path = '/v1/dpp/passports/publish'
    const wrong = await shop.api.post(path, { filters: [{ field: 'reference', operator: 'eq', value: 'one' }] })
    expect([formatVerdict(wrong), listFaultPaths(wrong)]).to.deep.equal(['422 VALIDATION_FAILED', ['filters']])
    expect(formatVerdict(await shop.api.post(path, undefined, { raw: '{' }))).to.equal('400 INVALID_JSON')
    const form = { raw: 'reference=one', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect(formatVerdict(await shop.api.post(path, undefined, form))).to.equal('415 UNSUPPORTED_MEDIA_TYPE')
    const large = { raw: `{"filters":"${'x'.repeat(1024 * 1024)}"}` }
    expect(formatVerdict(await shop.api.post(path, undefined, large))).to.equal('413 PAYLOAD_TOO_LARGE')
    expect(await statuses()).to.deep.equal({ draft: 1 })
    const { status, body } = await shop.api.post(path, {})
    expect([status, body.matched]).to.deep.equal([202, 1])
  })

  it('needs the permission to update and the filters of the list', async () => {
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read', 'create'] })).key)
    expect(formatVerdict(await reader.post('/v1/dpp/passports/publish'))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await publish('?filters[nothing][eq]=1'))).to.equal('400 INVALID_FILTER')
    expect(formatVerdict(await publish('?skipCertification=perhaps'))).to.equal('400 INVALID_REQUEST')
  })
})
