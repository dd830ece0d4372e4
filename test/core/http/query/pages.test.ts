import { expect } from 'chai'
import { defaultPageRequest, type PageRequest } from '../../../../core/kernel/page.ts'
import { getOperator } from '../../identity/people.ts'
import {
  insertListedPassports,
  insertManyPassports,
  listPassportReads,
  listPassportsByReference,
  recordListStatement,
} from '../../../support/rows/dpp/passport-lists.ts'
import { buildApplication, buildPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { encodeValue, listPassports, parsePage } from './rows.ts'

describe('Lists: pages and cursors', () => {
  let shop: Shop
  let sheet: string
  const rows = 60

  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
    // Many share an instant, so that only the id tells them apart.
    await insertListedPassports(
      (await getOperator()).db,
      { ...shop, sheet },
      Array.from({ length: rows }, (_, at) => ({
        createdAt: `2026-03-01T10:00:0${at % 4}.000Z`,
        updatedAt: `2026-03-01T11:00:0${at % 3}.000Z`,
      })),
    )
  })

  const ask = (query: string) => shop.api.get(`/v1/dpp/passports?${query}`)
  const idsOf = async (query: string) => (await listPassports(shop.api, query)).data.map(({ id }) => id)

  /** Every row, page by page behind cursors. */
  async function walk(
    query: string,
    size: number,
    between: (page: number) => Promise<void> = async () => undefined,
  ): Promise<string[]> {
    const seen: string[] = []
    for (let cursor: string | null = '', page = 0; cursor !== null; page++) {
      const found = await listPassports(
        shop.api,
        `${query}&pageSize=${size}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      seen.push(...found.data.map(({ id }) => id))
      cursor = found.nextCursor
      await between(page)
    }
    return seen
  }

  const orders = [
    '',
    'sorters[0][field]=createdAt&sorters[0][order]=asc',
    'sorters[0][field]=updatedAt&sorters[0][order]=desc',
    'sorters[0][field]=id',
    'sorters[0][field]=updatedAt&sorters[0][order]=asc&sorters[1][field]=createdAt&sorters[1][order]=desc',
    'sorters[0][field]=createdAt&sorters[0][order]=desc&sorters[1][field]=id&sorters[1][order]=asc',
    `sorters=${encodeValue([
      { field: 'updatedAt', order: 'desc' },
      { field: 'createdAt', order: 'asc' },
    ])}`,
  ]

  it('have ten rows unless asked otherwise, from 1 to 100', async () => {
    expect(await listPassports(shop.api, ''))
      .to.include({ total: rows, currentPage: 1, pageSize: 10 })
      .and.to.have.property('data')
      .with.length(10)
    expect(await listPassports(shop.api, 'pageSize=1&currentPage=60'))
      .to.include({ nextCursor: null })
      .and.to.have.property('data')
      .with.length(1)
    expect(await listPassports(shop.api, 'pageSize=100'))
      .to.include({ pageSize: 100, nextCursor: null })
      .and.to.have.property('data')
      .with.length(rows)
    expect(await listPassports(shop.api, 'currentPage=1000000000')).to.deep.include({
      data: [],
      total: rows,
      currentPage: 1_000_000_000,
      nextCursor: null,
    })
    for (const query of [
      'pageSize=0',
      'pageSize=101',
      'pageSize=-1',
      'pageSize=1.5',
      'pageSize=ten',
      'pageSize=',
      'pageSize=1e1',
      'pageSize=%201',
      'pageSize=1&pageSize=2',
      'currentPage=0',
      'currentPage=-1',
      'currentPage=1000000001',
      'currentPage=99999999999999999999',
      'currentPage=',
      'cursor=',
      'cursor=a b',
      'cursor=a&cursor=b',
    ])
      expect(formatVerdict(await ask(query)), query).to.equal('400 INVALID_PAGINATION')
    const both = await ask('pageSize=0&currentPage=0&cursor=!')
    expect((both.body['errors'] as unknown as { path: string }[]).map(({ path }) => path)).to.deep.equal([
      'currentPage',
      'pageSize',
      'cursor',
      'cursor',
    ])
  })

  for (const order of orders) {
    it(`never overlap and leave nothing out: ${order || 'by default'}`, async () => {
      const whole = await idsOf(`${order}&pageSize=100`)
      expect(new Set(whole).size).to.equal(rows)
      expect(await walk(order, 7)).to.deep.equal(whole)
      const numbered: string[] = []
      for (let page = 1; page <= 9; page++) numbered.push(...(await idsOf(`${order}&pageSize=7&currentPage=${page}`)))
      expect(numbered).to.deep.equal(whole)
    })
  }

  it('take five sorters and no sixth, known fields and known words', async () => {
    const of = (count: number) => Array.from({ length: count }, (_, at) => `sorters[${at}][field]=createdAt`).join('&')
    expect((await ask(of(5))).status).to.equal(200)
    for (const [query, path] of [
      [of(6), 'sorters'],
      ['sorters[0][field]=reference', 'sorters[0].field'],
      ['sorters[0][order]=asc', 'sorters[0].field'],
      ['sorters[0][field]=id&sorters[0][order]=ASC', 'sorters[0].order'],
      ['sorters[0][field]=id&sorters[0][nulls]=first', 'sorters[0]'],
      ['sorters=[', 'sorters'],
      ['sorters[field]=id', 'sorters'],
      [`sorters=${encodeValue({ field: 'id' })}`, 'sorters'],
      [`sorters=${encodeValue([{ field: 'id' }, 'createdAt'])}`, 'sorters[1]'],
      ['sorters[0][field]=id&sorters[0][field]=createdAt', 'sorters[0].field'],
    ] as const) {
      const answer = await ask(query)
      expect(
        [formatVerdict(answer), (answer.body['errors'] as unknown as { path: string }[])[0]?.path],
        query,
      ).to.deep.equal(['400 INVALID_SORTER', path])
    }
    const mixed = `sorters=${encodeValue([{ field: 'updatedAt' }])}&sorters[0][field]=id&sorters[0][order]=desc`
    expect(await idsOf(`${mixed}&pageSize=100`)).to.deep.equal(
      await idsOf(
        `sorters=${encodeValue([
          { field: 'updatedAt', order: 'asc' },
          { field: 'id', order: 'desc' },
        ])}&pageSize=100`,
      ),
    )
  })

  it('stay the same behind a cursor while rows are inserted before it', async () => {
    const before = await idsOf('pageSize=100')
    const added: string[] = []
    const seen = await walk('', 6, async (page) => {
      if (page < 3) added.push((await buildPassport(shop, sheet)).id)
    })
    expect(seen).to.deep.equal(before)
    for (const id of added) expect((await shop.api.delete(`/v1/dpp/passports/${id}`)).status).to.equal(200)
  })

  it('are refused behind a cursor of another order, of another list or of nobody', async () => {
    const { nextCursor } = await listPassports(shop.api, 'pageSize=1')
    const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const [fingerprint] = JSON.parse(Buffer.from(String(nextCursor), 'base64url').toString()) as [string]
    for (const cursor of [
      forged([]),
      forged({}),
      forged(['x', 'y', 'z']),
      forged([fingerprint]),
      forged([fingerprint, 'y', 'z']),
      forged([fingerprint, 1, 2]),
      forged([fingerprint, '2026-03-01T10:00:00Z', 'z']),
      forged([fingerprint, '2026-03-01T10:00:00Z', '\0']),
      forged([fingerprint, '9'.repeat(900), 'z']),
      'AAAA',
      forged(null),
    ])
      expect(formatVerdict(await ask(`cursor=${cursor}`)), cursor).to.equal('400 INVALID_PAGINATION')
    expect(formatVerdict(await ask(`cursor=${nextCursor}&sorters[0][field]=createdAt`))).to.equal(
      '400 INVALID_PAGINATION',
    )
    expect(formatVerdict(await ask(`cursor=${nextCursor}&currentPage=2`))).to.equal('400 INVALID_PAGINATION')
    expect(formatVerdict(await shop.api.get(`/v1/events?cursor=${nextCursor}`))).to.equal('400 INVALID_PAGINATION')
    const byName = '/v1/applications?sorters[0][field]=name&pageSize=1'
    await buildApplication(shop.organization)
    const [ofNames, , id] = JSON.parse(
      Buffer.from(String((await shop.api.get(byName)).body['nextCursor']), 'base64url').toString(),
    ) as string[]
    for (const name of [5, true, ['a'], {}])
      expect(
        formatVerdict(await shop.api.get(`${byName}&cursor=${forged([ofNames, name, id])}`)),
        `${JSON.stringify(name)} in the place of a text`,
      ).to.equal('400 INVALID_PAGINATION')
    expect(
      (await ask(`cursor=${nextCursor}&sorters[0][field]=createdAt&sorters[0][order]=desc`)).status,
      'the order that was the default',
    ).to.equal(200)
  })

  it('keep to their filters behind a cursor, and show nothing of others', async () => {
    const other = await buildShop()
    const { nextCursor } = await listPassports(shop.api, 'pageSize=5')
    expect(parsePage(await other.api.get(`/v1/dpp/passports?cursor=${nextCursor}`)).data).to.deep.equal([])
    const { data, total } = await listPassports(
      shop.api,
      `cursor=${nextCursor}&filters[createdAt][gte]=2026-03-01T10:00:03.000Z&pageSize=100`,
    )
    expect([data.length, total]).to.deep.equal([10, 15])
  })
})

describe('Lists: an order by a member that some rows lack', () => {
  it('has those rows last, whichever way and whichever page', async () => {
    const shop = await buildShop()
    const references = ['b', null, 'a', null, 'c', 'a2', null]
    const { db } = await getOperator()
    await insertListedPassports(
      db,
      { ...shop, sheet: await buildSheet(shop) },
      references.map((reference) => ({ reference })),
    )
    for (const order of ['asc', 'desc'] as const) {
      const seen: (string | null)[] = []
      for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
        const page: PageRequest = {
          currentPage: 1,
          pageSize: 2,
          isPageExplicit: true,
          cursor,
          filters: { operator: 'and', value: [] },
          sorters: [
            { field: 'reference', order },
            { field: 'createdAt', order: 'asc' },
          ],
        }
        const found = await listPassportsByReference(db, shop.organization, page)
        seen.push(...found.data.map(({ reference }) => reference))
        cursor = found.nextCursor
      }
      const named = ['a', 'a2', 'b', 'c']
      expect(seen).to.deep.equal([...(order === 'asc' ? named : named.reverse()), null, null, null])
    }
  })
})

describe('Lists: statements that a connection plans once', () => {
  it('are pages with at most one filter and one sorter; the others are planned for their values', async () => {
    const { directDatabase } = await getOperator()
    const { organization } = await buildShop()
    const isPlannedOnce = async (page: Partial<PageRequest>) => {
      const { statement } = await recordListStatement(directDatabase, organization, { ...defaultPageRequest, ...page })
      return statement.name !== undefined
    }
    const filterBy = (...statuses: string[]) => ({
      operator: 'and' as const,
      value: statuses.map((value) => ({ field: 'status', operator: 'eq' as const, value, path: 'filters' })),
    })
    const newestFirst = { field: 'createdAt', order: 'desc' } as const
    const byUpdate = { field: 'updatedAt', order: 'desc' } as const
    expect(await isPlannedOnce({}), 'without filter').to.equal(true)
    expect(await isPlannedOnce({ filters: filterBy('draft') }), 'one filter').to.equal(true)
    expect(await isPlannedOnce({ filters: filterBy('draft', 'published') }), 'two filters').to.equal(false)
    expect(await isPlannedOnce({ sorters: [byUpdate] }), 'one sorter').to.equal(true)
    expect(await isPlannedOnce({ sorters: [newestFirst, byUpdate] }), 'two sorters').to.equal(false)
    expect(await isPlannedOnce({ filters: filterBy('draft'), sorters: [byUpdate] }), 'in another order').to.equal(false)
  })
})

describe('Lists of more than ten thousand rows', function () {
  this.timeout(120_000)
  const many = 10_500
  let shop: Shop

  before(async () => {
    shop = await buildShop()
    const sheet = await buildSheet(shop)
    await insertManyPassports((await getOperator()).db, { ...shop, sheet }, many)
  })

  it('says how many there are: exactly, up to ten thousand by counting, and above where counts are kept or time is left', async () => {
    const totals = async (query: string) => {
      const { total, totalIsEstimate } = await listPassports(shop.api, `pageSize=1&${query}`)
      return [total, totalIsEstimate]
    }
    expect(await totals('')).to.deep.equal([many, undefined])
    expect(await totals('filters[status][eq]=draft')).to.deep.equal([3_500, undefined])
    expect(await totals('filters[status][eq]=published')).to.deep.equal([7_000, undefined])
    expect(await totals('filters[createdAt][lt]=2026-01-01T00:16:40.000Z')).to.deep.equal([6_999, undefined])
    const [counted, isEstimate] = await totals('filters[status][ne]=archived')
    if (isEstimate) expect(counted).to.be.within(10_001, 3 * many)
    else expect(counted).to.equal(many)
    expect(await totals(`filters[application.id][eq]=${await buildApplication(shop.organization)}`)).to.deep.equal([
      0,
      undefined,
    ])
  })

  it('shows its far pages by number and by cursor alike, each row once', async () => {
    const size = 100
    const seen = new Set<string>()
    let cursor: string | null = ''
    for (let page = 1; cursor !== null; page++) {
      const byCursor = await listPassports(shop.api, `pageSize=${size}${cursor === '' ? '' : `&cursor=${cursor}`}`)
      if (page % 13 === 0) {
        const byNumber = await listPassports(shop.api, `pageSize=${size}&currentPage=${page}`)
        expect(byNumber.data, `page ${page}`).to.deep.equal(byCursor.data)
      }
      for (const { id } of byCursor.data) seen.add(id)
      cursor = byCursor.nextCursor
    }
    expect(seen.size).to.equal(many)
  })

  it('reads from an index the rows it shows and no more, behind any cursor', async () => {
    const { directDatabase } = await getOperator()
    const cursorAt = async (page: number) =>
      (await listPassports(shop.api, `pageSize=100&currentPage=${page}`)).nextCursor
    for (const cursor of [await cursorAt(1), await cursorAt(50), await cursorAt(100)]) {
      const page: PageRequest = {
        currentPage: 1,
        pageSize: 10,
        isPageExplicit: true,
        cursor,
        filters: { operator: 'and', value: [] },
        sorters: [],
      }
      const sent = await recordListStatement(directDatabase, shop.organization, page)
      const reads = await listPassportReads(directDatabase, sent)
      expect(reads).to.have.length(1)
      expect(reads[0]).to.include({ 'Index Name': 'passports_by_created', 'Actual Rows': page.pageSize + 1 })
      expect(reads[0]?.['Rows Removed by Filter'] ?? 0).to.equal(0)
    }
  })
})
