import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase, createDirectDatabase } from '../../../../core/database/connection.ts'
import {
  createModelSource,
  createStatementSource,
  listPage,
  type Columns,
} from '../../../../core/database/list/index.ts'
import { createRowCounter } from '../../../../core/database/list/counter.ts'
import { formatCursor } from '../../../../core/database/list/cursor.ts'
import { createSortKeys } from '../../../../core/database/list/order.ts'
import { Model } from '../../../../core/database/model.ts'
import { defaultPageRequest, type FilterCondition, type PageRequest } from '../../../../core/kernel/page.ts'
import { useServers } from '../../queue/servers.ts'

const table = 'listed_rows'
const columns: Columns = { createdAt: { sql: `${table}.created_at` }, name: { sql: `${table}.name` } }
const byName = (value: string): FilterCondition => ({ field: 'name', operator: 'eq', value, path: 'filters' })
const named = (value: string) => ({ filters: { operator: 'and', value: [byName(value)] } }) as const
const statement = {
  table,
  selected: `${table}.id, ${table}.name`,
  tenancy: { sql: `${table}.organization = ?`, bindings: ['o'] },
  counted: null,
}
const ofAnother = { ...statement, tenancy: { sql: `${table}.organization = ?`, bindings: ['p'] } }
/** A number that the database keeps, which is not how many rows there are. */
const counted = { sql: `select 70 where ? = 't'`, bindings: ['t'] }

class ListedRow extends Model {
  static override tableName = table
  declare name: string
}

interface Row {
  id: number
  name: string
}

/** Organization `o` has the rows 1 to 25, every fifth of them a `five`; `p` has 1,200 rows behind those. */
function useListedRows(): () => Knex {
  const servers = useServers()
  before(async () => {
    await servers().db.raw(`
      create table ${table} (id int primary key, organization text not null, name text not null, created_at timestamptz not null);
      insert into ${table}
      select n, case when n <= 25 then 'o' else 'p' end, case when n % 5 = 0 then 'five' else 'other' end,
        '2030-01-01T00:00:00Z'::timestamptz + make_interval(hours => (n + 1) / 2)
      from generate_series(1, 1225) n;
      analyze ${table}`)
  })
  after(() => servers().db.raw(`drop table if exists ${table}`))
  return () => servers().db
}

describe('core/database/list: pages', () => {
  const db = useListedRows()

  const list = async (
    more: Partial<PageRequest> = {},
    source: Parameters<typeof createStatementSource>[1] = statement,
  ) =>
    listPage(
      createStatementSource<Row>(createDirectDatabase(db()), source),
      { ...defaultPageRequest, ...more },
      columns,
    )
  const idsOf = ({ data }: { data: readonly { id: unknown }[] }) => data.map(({ id }) => id)

  it('have one row less than is read, and the cursor of the last one if more follow', async () => {
    const { nextCursor, ...page } = await list({ pageSize: 2, currentPage: 3 })
    expect([idsOf(page), page.total, page.currentPage, page.pageSize]).to.deep.equal([[21, 20], 25, 3, 2])
    const next = await list({ pageSize: 2, cursor: nextCursor, currentPage: 3 })
    expect([idsOf(next), next.total], 'behind the cursor').to.deep.equal([[19, 18], 25])
    const single = await list({ pageSize: 1, currentPage: 6 })
    expect(single.nextCursor, 'behind the same row').to.equal(nextCursor)
    const exact = await list({ pageSize: 5, currentPage: 5 })
    expect([idsOf(exact), exact.nextCursor]).to.deep.equal([[5, 4, 3, 2, 1], null])
    const last = await list({ pageSize: 10, currentPage: 3 })
    expect([idsOf(last), last.nextCursor]).to.deep.equal([[5, 4, 3, 2, 1], null])
  })

  it('of a filter have its total on every page, also where the rows of the last one tell it', async () => {
    const totals = []
    for (const currentPage of [1, 2, 3, 4])
      totals.push((await list({ pageSize: 2, currentPage, ...named('five') })).total)
    expect(totals).to.deep.equal([5, 5, 5, 5])
    expect((await list({ pageSize: 10, ...named('five') })).total).to.equal(5)
    expect((await list({ pageSize: 10, ...named('none') })).total).to.equal(0)
  })

  it('and their total are those of the transaction where there is only one connection', async () => {
    const trx = await db().transaction()
    try {
      await trx(table).insert({ id: 0, organization: 'o', name: 'new', created_at: '2031-01-01' })
      const query = ListedRow.query(trx).where('organization', 'o')
      const page = await listPage(createModelSource(query), { ...defaultPageRequest, pageSize: 2 }, columns)
      expect([idsOf(page), page.total]).to.deep.equal([[0, 25], 26])
    } finally {
      await trx.rollback()
    }
    expect((await list()).total, 'of others').to.equal(25)
  })

  it('have the total that is maintained, which is not counted', async () => {
    expect(await list({}, { ...statement, counted })).to.include({ total: 70 })
  })

  it('blame the cursor for a value that PostgreSQL cannot read, and nothing else', async () => {
    const keys = createSortKeys([], columns, `${table}.id`)
    const cursorOf = (key0: string, key1: string) => formatCursor(keys, { key0, key1 })
    const good = cursorOf('2030-01-01T03:00:00Z', '5')
    const failureOf = (page: Promise<unknown>) =>
      page.then(
        () => null,
        (cause: Error) => cause.message,
      )
    for (const cursor of [cursorOf('no time', '5'), cursorOf('2030-01-01T03:00:00Z', 'no number')]) {
      expect(await failureOf(list({ cursor }))).to.include('INVALID_PAGINATION')
      const models = createModelSource(ListedRow.query(db()))
      expect(await failureOf(listPage(models, { ...defaultPageRequest, cursor }, columns))).to.include(
        'INVALID_PAGINATION',
      )
    }
    expect(await failureOf(list({ cursor: good }))).to.equal(null)
    const broken = { ...statement, counted: { sql: 'select 1 / ?::int', bindings: ['0'] } }
    expect(await failureOf(list({}, broken)), 'a value that is none of a cursor').to.equal('division by zero')
    const absent = { ...statement, selected: 'no_column' }
    expect(await failureOf(list({ cursor: good }, absent))).to.equal('column "no_column" does not exist')
  })
})

describe('core/database/list: the number of rows', () => {
  const db = useListedRows()
  const matching = { text: `select from ${table} where organization = $1`, values: ['o'] }
  const slow = { text: 'select from pg_sleep($1)', values: [5] }
  const createCounter = (rows: Parameters<typeof createRowCounter>[1], mayInterrupt: boolean) =>
    createRowCounter(createDirectDatabase(db()), rows, mayInterrupt)

  it('is counted up to a limit', async () => {
    const counter = createCounter(matching, false)
    expect([await counter.count(10), await counter.count(26), counter.countWithin]).to.deep.equal([10, 25, undefined])
    expect(await createCounter({ ...matching, values: ['nobody'] }, false).count(1)).to.equal(0)
  })

  it('may be given up after some time', async () => {
    const counter = createCounter(matching, true)
    expect([await counter.countWithin?.(10, 2_000), await counter.countWithin?.(26, 2_000)]).to.deep.equal([10, 25])
    expect(await createCounter({ ...matching, values: ['nobody'] }, true).countWithin?.(10, 2_000)).to.equal(0)
    expect(await createCounter(slow, true).countWithin?.(10, 50)).to.equal(null)
  })

  it('is estimated by the planner', async () => {
    const every = { text: `select from ${table}`, values: [] }
    expect(await createCounter(every, true).estimate()).to.equal(1_225)
    expect(await createCounter({ text: `${every.text} where $1`, values: [false] }, true).estimate()).to.be.below(2)
  })
})

describe('core/database/list: pages of a statement', () => {
  useListedRows()
  const servers = useServers()

  /** Lists a page on a connection of its own. @returns the page, and how many statements the connection has prepared */
  async function read(
    more: Partial<PageRequest> = {},
    source: Parameters<typeof createStatementSource>[1] = statement,
  ) {
    const own = connectDatabase({ url: servers().database.url, name: 'tests', maxConnections: 1 })
    try {
      const statements = createStatementSource<Row>(createDirectDatabase(own), source)
      const page = await listPage(statements, { ...defaultPageRequest, ...more }, columns)
      const prepared = await own('pg_prepared_statements').whereLike('name', 'list\\_%').pluck<string[]>('name')
      return { page, ids: page.data.map(({ id }) => id), prepared }
    } finally {
      await own.destroy()
    }
  }

  it('are looked up in the order of the list, with the keys of each row', async () => {
    const { page, ids } = await read(named('five'))
    expect([ids, page.total]).to.deep.equal([[25, 20, 15, 10, 5], 5])
    expect(page.data[0]).to.deep.equal({
      id: 25,
      name: 'five',
      key0: '2030-01-01 13:00:00+00',
      key1: '25',
      total: null,
    })
  })

  it('are found by their ids first where many rows stand before them', async () => {
    const bySize = async (currentPage: number) => (await read({ currentPage }, ofAnother)).ids
    const idsFrom = (first: number) => Array.from({ length: 10 }, (_, at) => first - at)
    expect(await bySize(100)).to.deep.equal(idsFrom(1_225 - 990))
    expect(await bySize(101)).to.deep.equal(idsFrom(1_225 - 1_000))
    expect(await bySize(121)).to.deep.equal([])
    const named = { ...ofAnother, selected: `${ofAnother.selected}, (select 'other table') as elsewhere` }
    expect((await read({ currentPage: 102 }, named)).page.data[9]).to.include({ id: 206, elsewhere: 'other table' })
  })

  it('carry a maintained total, which is read by itself for a page without rows', async () => {
    const { page } = await read({}, { ...statement, counted })
    expect([page.total, page.data[0]?.total]).to.deep.equal([70, 70])
    const none = { ...statement, counted: { ...counted, bindings: ['u'] } }
    for (const [source, total] of [
      [{ ...statement, counted }, 70],
      [none, 0],
    ] as const) {
      const { ids, page: empty, prepared } = await read(named('nobody'), source)
      expect([ids, empty.total]).to.deep.equal([[], total])
      expect(prepared, 'both statements').to.have.length(2)
    }
    // At least as many as the page has.
    expect((await read(named('five'), none)).page.total).to.equal(5)
  })

  it('are prepared where they are few and planned well for any value', async () => {
    const { prepared } = await read()
    expect(prepared).to.have.length(1)
    expect(prepared[0]).to.match(/^list_.{22}$/)
    expect((await read()).prepared, 'on another connection').to.deep.equal(prepared)
    const isPrepared = async (more: Partial<PageRequest>) => (await read(more)).prepared.length > 0
    for (const few of [
      { currentPage: 5 },
      { pageSize: 100 },
      named('five'),
      { sorters: [{ field: 'name', order: 'asc' }] },
      { ...named('five'), sorters: [{ field: 'createdAt', order: 'asc' }] },
    ] as const)
      expect(await isPrepared(few), JSON.stringify(few)).to.equal(true)
    const one = byName('five')
    for (const planned of [
      { currentPage: 6 },
      { pageSize: 11 },
      { filters: { operator: 'and', value: [one, one] } },
      { filters: { operator: 'and', value: [{ ...one, operator: 'gt' }] } },
      { filters: { operator: 'and', value: [{ operator: 'or', value: [one] }] } },
      { ...named('five'), sorters: [{ field: 'name', order: 'asc' }] },
      {
        sorters: [
          { field: 'name', order: 'asc' },
          { field: 'createdAt', order: 'asc' },
        ],
      },
    ] as const)
      expect(await isPrepared(planned), JSON.stringify(planned)).to.equal(false)
  })
})
