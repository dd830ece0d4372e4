import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Passport } from '../../../../core/features/dpp/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { insertSheetPassports } from '../../../support/rows/dpp/new-passports.ts'
import { countDraftCounts, rollUpCounts } from '../../../support/rows/dpp/passports.ts'
import { getOperator } from '../../identity/people.ts'
import {
  buildApplication,
  buildKey,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { getBody, getRows, formatVerdict } from './fixtures.ts'

describe('GET /v1/dpp/passports', () => {
  let shop: Shop
  let sheet: string
  let second: string
  let made: Passport[]

  before(async () => {
    shop = await buildShop()
    const other = await buildShop()
    await buildPassport(other, await buildSheet(other), { reference: 'bag-of-another' })
    sheet = await buildSheet(shop)
    second = await buildSheet({ ...shop, application: await buildApplication(shop.organization) })
    made = [
      await buildPassport(shop, sheet, { reference: 'bag-1', allowedClaimEmail: 'Ann@Example.com' }),
      await buildPassport(shop, sheet, { reference: '50%_off' }),
      await buildPublishedPassport(shop, sheet),
      await buildPassport(shop, second, { reference: 'bag-2' }),
    ]
  })

  const list = (query: string) => shop.api.get(`/v1/dpp/passports?${query}`)
  /** Places in `made` of what a query answers. */
  async function found(query: string): Promise<number[]> {
    const answer = await list(query)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body['total']).to.equal(getRows(answer).length)
    return getRows(answer).map(({ id }) => made.findIndex((passport) => passport.id === id))
  }
  const id = (at: number) => String(made[at]?.id)

  it('has the newest first, each as its own route shows it', async () => {
    const answer = await list('')
    expect(getRows(answer)).to.deep.equal([...made].reverse())
    expect(answer.body).to.deep.include({ total: 4, currentPage: 1, pageSize: 10, nextCursor: null })
  })

  it('tells how many there are on a page behind the last one, too', async () => {
    expect((await list('currentPage=9')).body).to.deep.include({ data: [], total: 4, currentPage: 9, nextCursor: null })
    expect((await list('filters[status][eq]=draft&currentPage=9')).body).to.deep.include({ data: [], total: 3 })
  })

  it('takes every filter that it declares', async () => {
    expect(await found(`filters[id][eq]=${id(1)}`)).to.deep.equal([1])
    expect(await found(`filters[application.id][eq]=${shop.application}`)).to.deep.equal([2, 1, 0])
    expect(await found(`filters[product][eq]=${second}`)).to.deep.equal([3])
    expect(await found('filters[status][eq]=published')).to.deep.equal([2])
    expect(await found('filters[status][ne]=published')).to.deep.equal([3, 1, 0])
    expect(await found('filters[source][eq]=import')).to.deep.equal([])
    expect(await found('filters[source][ne]=import')).to.deep.equal([3, 2, 1, 0])
    expect(await found('filters[reference][eq]=bag-1')).to.deep.equal([0])
    expect(await found('filters[reference][contains]=BAG')).to.deep.equal([3, 0])
    expect(await found(`filters[reference][contains]=${encodeURIComponent('0%_o')}`)).to.deep.equal([1])
    expect(await found('filters[reference][contains]=_')).to.deep.equal([1])
    expect(await found('filters[allowedClaimEmail][eq]=ann@example.COM')).to.deep.equal([0])
    expect(await found('filters[structureJob][null]=1')).to.deep.equal([3, 2, 1, 0])
    for (const nothing of [
      'structureJob][nnull]=1',
      'certifyJob][nnull]=1',
      'structureJob.status][eq]=failed',
      'certifyJob.status][eq]=completed',
      `mintedTo.id][eq]=${randomUUID()}`,
      'product.idGranularity][eq]=item',
      'product.modelNumber][eq]=m',
      'modelNumber][eq]=m',
      'product.batchNumber][eq]=b',
      'product.itemNumber][eq]=i',
      'product.name][contains]=bag',
    ])
      expect(await found(`filters[${nothing}`)).to.deep.equal([])
  })

  it('filters by instants that it showed, bounds included or not', async () => {
    const at = encodeURIComponent(String(made[1]?.createdAt))
    expect(await found(`filters[createdAt][lte]=${at}`)).to.deep.equal([1, 0])
    expect(await found(`filters[createdAt][lt]=${at}`)).to.deep.equal([0])
    expect(await found(`filters[createdAt][gte]=${at}`)).to.deep.equal([3, 2, 1])
    expect(await found(`filters[updatedAt][gt]=${at}&filters[status][eq]=published`)).to.deep.equal([2])
  })

  it('sorts, and goes on from a cursor without losing or repeating one', async () => {
    expect(await found('sorters[0][field]=createdAt&sorters[0][order]=asc')).to.deep.equal([0, 1, 2, 3])
    expect(await found('sorters[0][field]=updatedAt&sorters[0][order]=desc')).to.deep.equal([3, 2, 1, 0])
    const seen: unknown[] = []
    for (let cursor: unknown = ''; cursor !== null;) {
      const answer = await list(`pageSize=1${cursor === '' ? '' : `&cursor=${String(cursor)}`}`)
      seen.push(...getRows(answer).map((passport) => passport.id))
      cursor = answer.body['nextCursor']
    }
    expect(seen).to.deep.equal([id(3), id(2), id(1), id(0)])
  })

  it('refuses what it does not declare', async () => {
    for (const [query, code] of Object.entries({
      'filters[tokenId][eq]=x': 'INVALID_FILTER',
      'filters[status][contains]=draft': 'INVALID_FILTER',
      'filters[status][eq]=minted': 'INVALID_FILTER',
      'filters[product][eq]=x': 'INVALID_FILTER',
      'sorters[0][field]=reference': 'INVALID_SORTER',
      'pageSize=101': 'INVALID_PAGINATION',
      'unknown=1': 'INVALID_REQUEST',
    }))
      expect(`${query} ${formatVerdict(await list(query))}`).to.equal(`${query} 400 ${code}`)
  })

  it('is for who may read passports', async () => {
    expect(formatVerdict(await createApiClient().get('/v1/dpp/passports'))).to.equal('401 AUTH_UNAUTHENTICATED')
    const blind = createApiClient((await buildKey(shop.organization, { loyalty: ['read'] })).key)
    expect(formatVerdict(await blind.get('/v1/dpp/passports'))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
  })
})

describe('GET /v1/dpp/passports: the total of a long list', () => {
  const drafts = 10_500
  let shop: Shop
  let sheet: string

  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
    const { db } = await getOperator()
    await insertSheetPassports(db, { ...shop, sheet }, { drafts, published: 700 })
  })

  interface Totalled {
    total: number
    totalIsEstimate?: true
  }
  async function read(query = ''): Promise<Totalled> {
    const answer = await shop.api.get(`/v1/dpp/passports?pageSize=1${query}`)
    expect(answer.status, answer.text).to.equal(200)
    return getBody<Totalled>(answer)
  }
  const total = async (query = '') => {
    const { total, totalIsEstimate } = await read(query)
    return totalIsEstimate ? 'an estimate' : total
  }

  it('is exact for no filter and for one whose counts are kept', async () => {
    expect(await total()).to.equal(drafts + 700)
    expect(await total('&filters[status][eq]=draft')).to.equal(drafts)
    expect(await total('&filters[status][eq]=published')).to.equal(700)
    expect(await total('&filters[source][eq]=manual')).to.equal(drafts + 700)
    expect(await total(`&filters[application.id][eq]=${shop.application}`)).to.equal(drafts + 700)
    expect(await total(`&filters[product][eq]=${sheet}`)).to.equal(drafts + 700)
  })

  it('is exact for the others too, or says that it is an estimate, where counting takes long', async () => {
    for (const [query, rows] of [
      ['&filters[reference][contains]=row', drafts + 700],
      [`&filters[status][eq]=draft&filters[product][eq]=${sheet}`, drafts],
    ] as const) {
      // A machine that has much else to do may not count as many in time.
      const { total, totalIsEstimate } = await read(query)
      if (totalIsEstimate) expect(total, query).to.be.at.least(10_001)
      else expect(total, query).to.equal(rows)
      const [last, before] = [
        await read(`${query}&currentPage=${rows}`),
        await read(`${query}&currentPage=${rows - 1}`),
      ]
      expect(last, query).to.deep.include({ total: rows }).and.not.to.have.property('totalIsEstimate')
      expect(before.total, query).to.be.at.least(rows)
    }
    // 11, 110 to 119, 1100 to 1199 and 11000 to 11200.
    expect(await total('&filters[reference][contains]=row-11')).to.equal(312)
  })

  it('follows creations, changes and deletions, before and after the counts are rolled up', async () => {
    const { db } = await getOperator()
    const [first, second] = [await buildPassport(shop, sheet), await buildPassport(shop, sheet)]
    expect(await total()).to.equal(drafts + 702)
    await shop.api.patch(`/v1/dpp/passports/${first.id}`, { status: 'archived' })
    expect(await total('&filters[status][eq]=draft')).to.equal(drafts + 1)
    await shop.api.delete(`/v1/dpp/passports/${second.id}`)
    await Promise.all([1, 2, 3].map(() => rollUpCounts(db)))
    expect(await total()).to.equal(drafts + 701)
    expect(await total('&filters[status][eq]=draft')).to.equal(drafts)
    expect(await countDraftCounts(db, shop.organization)).to.equal(1)
  })
})
