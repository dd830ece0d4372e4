import { expect } from 'chai'
import { getRows, createTenant, type Tenant } from '../../applications/tenants.ts'
import { createApplication } from './sheet-maker.ts'

describe('GET /v1/dpp/products', () => {
  let mine: Tenant
  let applications: string[]
  const path = '/v1/dpp/products'

  before(async () => {
    mine = await createTenant()
    applications = [await createApplication(mine), await createApplication(mine)]
    const made = [
      ['Red bag', 'DRAFT', 'EthereumAnvil'],
      ['Green bag', 'ACTIVE', 'BaseSepolia'],
      ['Hat 100%', 'ACTIVE', 'EthereumAnvil'],
    ] as const
    for (const [at, [name, status, network]] of made.entries()) {
      const sheet = await mine.api.post(path, { application: applications[at === 2 ? 1 : 0], name, status, network })
      expect(sheet.status).to.equal(201)
    }
  })

  const names = async (query: string) => getRows(await mine.api.get(`${path}?${query}`)).map(({ name }) => name)

  it("shows only the caller's own, newest first", async () => {
    const answer = await mine.api.get(path)
    expect(answer.body).to.include({ total: 3, currentPage: 1, pageSize: 10, nextCursor: null })
    expect(getRows(answer).map(({ name }) => name)).to.deep.equal(['Hat 100%', 'Green bag', 'Red bag'])
  })

  it('filters by application, name, status and network', async () => {
    expect(await names(`filters[application.id][eq]=${applications[1]}`)).to.deep.equal(['Hat 100%'])
    expect(await names('filters[name][contains]=BAG')).to.deep.equal(['Green bag', 'Red bag'])
    expect(await names('filters[name][contains]=0%25')).to.deep.equal(['Hat 100%'])
    expect(await names('filters[name][eq]=Red%20bag')).to.deep.equal(['Red bag'])
    expect(await names('filters[status][ne]=ACTIVE')).to.deep.equal(['Red bag'])
    expect(await names('filters[status][eq]=ACTIVE&filters[network][eq]=BaseSepolia')).to.deep.equal(['Green bag'])
    const either = JSON.stringify([
      {
        operator: 'or',
        value: [
          { field: 'status', operator: 'eq', value: 'DRAFT' },
          { field: 'network', operator: 'eq', value: 'BaseSepolia' },
        ],
      },
    ])
    expect(await names(`filters=${encodeURIComponent(either)}`)).to.deep.equal(['Green bag', 'Red bag'])
  })

  it('sorts by name and goes on from a cursor', async () => {
    const first = await mine.api.get(`${path}?sorters[0][field]=name&sorters[0][order]=asc&pageSize=2`)
    expect(getRows(first).map(({ name }) => name)).to.deep.equal(['Green bag', 'Hat 100%'])
    expect(
      await names(`sorters[0][field]=name&sorters[0][order]=asc&pageSize=2&cursor=${first.body.nextCursor}`),
    ).to.deep.equal(['Red bag'])
  })

  it('refuses what it does not declare', async () => {
    for (const query of [
      'filters[name][ne]=a',
      'filters[network][ne]=BaseSepolia',
      'filters[status][eq]=active',
      'filters[fields.brand][eq]=a',
    ]) {
      expect((await mine.api.get(`${path}?${query}`)).body.code, query).to.equal('INVALID_FILTER')
    }
    expect((await mine.api.get(`${path}?sorters[0][field]=status`)).body.code).to.equal('INVALID_SORTER')
    expect((await mine.api.get(`${path}?status=ACTIVE`)).body.code).to.equal('INVALID_REQUEST')
  })
})
