import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { type Row, type Tenant } from '../../applications/tenants.ts'
import { createSheetMaker, sheetStatuses, type SheetMaker } from './sheet-maker.ts'

const anyone = createApiClient()

describe('GET /v1/dpp/products/{id}', () => {
  let own: Tenant
  let other: Tenant
  let create: SheetMaker['create']

  before(async () => {
    ;({ own, other, create } = await createSheetMaker())
  })

  it('shows a draft to its organization only, anything else to everyone', async () => {
    const { id } = await create()
    const path = `/v1/dpp/products/${id}`
    const poor = await own.limited({ application: ['read'] })
    for (const status of sheetStatuses) {
      await own.api.patch(path, { status })
      const expected = status === 'DRAFT' ? 404 : 200
      expect((await anyone.get(path)).status, status).to.equal(expected)
      expect((await other.api.get(path)).status, status).to.equal(expected)
      expect((await poor.get(path)).status, status).to.equal(expected)
      expect((await own.api.get(path)).status, status).to.equal(200)
    }
  })

  it('answers a hidden draft as an absent sheet', async () => {
    const { id } = await create()
    const same = ({ instance: _instance, requestId: _requestId, ...rest }: Row) => rest
    const hidden = await anyone.get(`/v1/dpp/products/${id}`)
    const absent = await anyone.get(`/v1/dpp/products/${randomUUID()}`)
    expect(same(hidden.body)).to.deep.equal(same(absent.body))
    expect((await anyone.get('/v1/dpp/products/seven')).status).to.equal(400)
  })

  it('carries an ETag that changes with the sheet, and tells caches what it depends on', async () => {
    const { id } = await create({ status: 'ACTIVE' })
    const path = `/v1/dpp/products/${id}`
    const first = await anyone.get(path)
    const etag = String(first.headers['etag'])
    expect(etag).to.match(/^"[^"]+"$/)
    expect(String(first.headers['vary']))
      .to.match(/Authorization/)
      .and.match(/Cookie/)
      .and.match(/X-Api-Key/)
    const same = await anyone.get(path, { headers: { 'if-none-match': etag } })
    expect(same.status).to.equal(304)
    expect(same.text).to.equal('')
    expect(same.headers['etag']).to.equal(etag)
    await own.api.patch(path, { name: 'Other' })
    const changed = await anyone.get(path, { headers: { 'if-none-match': etag } })
    expect(changed.status).to.equal(200)
    expect(changed.headers['etag']).not.to.equal(etag)
    expect(String((await own.api.get(path)).headers['cache-control'])).to.include('private')
  })
})
