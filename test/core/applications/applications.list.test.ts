import { expect } from 'chai'
import { createApiClient } from '../../support/client.ts'
import { createApplicationMaker } from './application-maker.ts'
import { getRows, createTenant, type Tenant } from './tenants.ts'

const anyone = createApiClient()

describe('GET /v1/applications', () => {
  let own: Tenant

  before(async () => {
    ;({ own } = await createApplicationMaker())
  })

  it("shows only the caller's own, newest first, in pages", async () => {
    const mine = await createTenant()
    const ids: string[] = []
    for (const name of ['B', 'A', 'C']) ids.push(String((await mine.api.post('/v1/applications', { name })).body.id))
    const all = await mine.api.get('/v1/applications')
    expect(all.body).to.include({ total: 3, currentPage: 1, pageSize: 10, nextCursor: null })
    expect(getRows(all).map(({ id }) => id)).to.deep.equal([...ids].reverse())
    const sorted = await mine.api.get('/v1/applications?sorters[0][field]=name&sorters[0][order]=asc&pageSize=2')
    expect(getRows(sorted).map(({ name }) => name)).to.deep.equal(['A', 'B'])
    const rest = await mine.api.get(
      `/v1/applications?sorters[0][field]=name&sorters[0][order]=asc&pageSize=2&cursor=${sorted.body.nextCursor}`,
    )
    expect(getRows(rest).map(({ name }) => name)).to.deep.equal(['C'])
    const one = await mine.api.get(`/v1/applications?filters[id][eq]=${ids[1]}`)
    expect(one.body.total).to.equal(1)
    expect(getRows(one)[0]).to.deep.equal((await mine.api.get(`/v1/applications/${ids[1]}`)).body)
    const createdAt = getRows(all)[1]?.['createdAt']
    const since = await mine.api.get(`/v1/applications?filters[createdAt][gte]=${createdAt}`)
    expect(since.body.total).to.equal(2)
  })

  it('refuses fields and operators that it does not declare', async () => {
    for (const query of [
      'filters[slug][eq]=a',
      'filters[id][ne]=018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
      'filters[id][eq]=7',
    ]) {
      expect((await own.api.get(`/v1/applications?${query}`)).body.code, query).to.equal('INVALID_FILTER')
    }
    expect((await own.api.get('/v1/applications?sorters[0][field]=slug')).body.code).to.equal('INVALID_SORTER')
    expect((await own.api.get('/v1/applications?pageSize=101')).body.code).to.equal('INVALID_PAGINATION')
  })

  it('needs a credential and application:read', async () => {
    expect((await anyone.get('/v1/applications')).status).to.equal(401)
    expect((await (await own.limited({ application: ['create'] })).get('/v1/applications')).status).to.equal(403)
  })
})
