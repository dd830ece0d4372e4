import { expect } from 'chai'
import type { DirectDatabase, Statement } from '../../../core/database/connection.ts'
import { createStatementSource, listPage, type Columns } from '../../../core/database/list/index.ts'
import { createRowCounter } from '../../../core/database/list/counter.ts'
import type { ListSource, RowSelection } from '../../../core/database/list/source.ts'
import { defaultPageRequest, type FilterCondition, type PageRequest } from '../../../core/kernel/page.ts'

const columns: Columns = { createdAt: { sql: 'rows.created_at' }, name: { sql: 'rows.name' } }
const byName: FilterCondition = { field: 'name', operator: 'eq', value: 'x', path: 'filters' }
const filtered = { filters: { operator: 'and', value: [byName] } } as const

/** A direct access that keeps what it is sent, and answers by the beginning of the statement. */
function createDirect(answers: Record<string, object[] | null>) {
  const sent: { statement: Statement; values: readonly unknown[]; timeoutMs?: number }[] = []
  const answer = (text: string) => Object.entries(answers).find(([start]) => text.startsWith(start))?.[1] ?? null
  const direct = {
    async queryRows(statement: Statement, values: readonly unknown[]) {
      sent.push({ statement, values })
      return answer(statement.text) ?? []
    },
    async queryRowsWithin(timeoutMs: number, statement: Statement, values: readonly unknown[]) {
      sent.push({ statement, values, timeoutMs })
      return answer(statement.text)
    },
  } as unknown as DirectDatabase
  return { direct, sent }
}

describe('core/database/list: pages', () => {
  const row = (at: number) => ({ at, key0: `2030-01-0${at}`, key1: `row ${at}` })

  function createSource(rows: object[], more: Partial<ListSource<object>> = {}) {
    const selections: RowSelection[] = []
    const events: string[] = []
    const pause = () => new Promise((resolve) => setImmediate(resolve))
    const source: ListSource<object> = {
      id: 'rows.id',
      isSerial: false,
      async readRows(selection) {
        selections.push(selection)
        events.push('rows')
        await pause()
        events.push('rows read')
        return rows
      },
      createCounter: () => ({
        async count() {
          events.push('count')
          await pause()
          events.push('counted')
          return 25
        },
        estimate: async () => 0,
      }),
      ...more,
    }
    return { source, selections, events }
  }
  const list = (source: ListSource<object>, more: Partial<PageRequest> = {}) =>
    listPage(source, { ...defaultPageRequest, pageSize: 2, ...more }, columns)

  it('have one row less than is read, and the cursor of the last one if more follow', async () => {
    const { source, selections } = createSource([row(1), row(2), row(3)])
    const { nextCursor, ...page } = await list(source, { currentPage: 3 })
    expect(page).to.deep.equal({ data: [row(1), row(2)], total: 25, currentPage: 3, pageSize: 2 })
    const [selection] = selections
    expect(selection).to.include({ offset: 4, limit: 3, after: null, filters: null })
    const last = createSource([row(3)])
    const next = await list(last.source, { cursor: nextCursor, currentPage: 3 })
    expect(next).to.deep.equal({ data: [row(3)], total: 25, currentPage: 3, pageSize: 2, nextCursor: null })
    expect(last.selections[0]).to.include({ offset: 0, limit: 3 })
    expect(last.selections[0]?.after).to.deep.equal({
      sql: '(rows.created_at, rows.id) < (?, ?)',
      bindings: ['2030-01-02', 'row 2'],
    })
    const exact = await list(createSource([row(1), row(2)]).source)
    expect([exact.data.length, exact.nextCursor]).to.deep.equal([2, null])
    const single = await list(createSource([row(2), row(3)]).source, { pageSize: 1 })
    expect(single.nextCursor, 'behind the second row').to.equal(nextCursor)
  })

  it('are read while their total is counted, and after it where there is only one connection', async () => {
    const both = createSource([])
    await list(both.source)
    expect(both.events.slice(0, 2)).to.deep.equal(['rows', 'count'])
    const serial = createSource([], { isSerial: true })
    expect(await list(serial.source)).to.include({ total: 25 })
    expect(serial.events).to.deep.equal(['count', 'counted', 'rows', 'rows read'])
  })

  it('have the total that is maintained, which is not counted', async () => {
    const { source, events } = createSource([row(1)], { readMaintainedTotal: async (rows) => rows.length + 70 })
    expect(await list(source)).to.include({ total: 71 })
    expect(events).to.deep.equal(['rows', 'rows read'])
  })

  it('blame the cursor for a value that PostgreSQL cannot read, and nothing else', async () => {
    const { nextCursor } = await list(createSource([row(1), row(2), row(3)]).source)
    const failureWith = async (error: object, cursor: string | null) => {
      const readRows = () => Promise.reject(Object.assign(new Error('the database'), error))
      return list(createSource([], { readRows }).source, { cursor }).catch((cause: Error) => cause.message)
    }
    expect(await failureWith({ code: '22P02' }, nextCursor)).to.include('INVALID_PAGINATION')
    expect(await failureWith({ nativeError: { code: '22007' } }, nextCursor)).to.include('INVALID_PAGINATION')
    expect(await failureWith({ code: '22P02' }, null)).to.equal('the database')
    expect(await failureWith({ code: '40P22' }, nextCursor)).to.equal('the database')
    expect(await failureWith({ nativeError: {}, code: '08006' }, nextCursor)).to.equal('the database')
    expect(await failureWith({}, nextCursor)).to.equal('the database')
  })
})

describe('core/database/list: the number of rows', () => {
  const matching = { text: 'select from rows where a = $1', values: ['x'] }

  it('is counted up to a limit', async () => {
    const { direct, sent } = createDirect({ 'select count': [{ count: 7 }] })
    const counter = createRowCounter(direct, matching, false)
    expect([await counter.count(10), counter.countWithin]).to.deep.equal([7, undefined])
    const text = 'select count(*) as count from (select from rows where a = $1 limit 10) matching'
    expect(sent).to.deep.equal([{ statement: { text }, values: ['x'] }])
    expect(await createRowCounter(createDirect({}).direct, matching, false).count(1)).to.equal(0)
  })

  it('may be given up after some time', async () => {
    const { direct, sent } = createDirect({ 'select count': [{ count: 7 }] })
    expect(await createRowCounter(direct, matching, true).countWithin?.(10, 50)).to.equal(7)
    expect(sent[0]).to.deep.include({ timeoutMs: 50, values: ['x'] })
    expect(sent[0]?.statement.text).to.include('limit 10')
    expect(await createRowCounter(createDirect({}).direct, matching, true).countWithin?.(10, 50)).to.equal(null)
    const empty = createDirect({ 'select count': [] })
    expect(await createRowCounter(empty.direct, matching, true).countWithin?.(10, 50)).to.equal(0)
  })

  it('is estimated by the planner', async () => {
    const { direct, sent } = createDirect({ explain: [{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': 6.6 } }] }] })
    expect(await createRowCounter(direct, matching, true).estimate()).to.equal(7)
    expect(sent).to.deep.equal([{ statement: { text: `explain (format json) ${matching.text}` }, values: ['x'] }])
    expect(await createRowCounter(createDirect({}).direct, matching, true).estimate()).to.equal(0)
  })
})

describe('core/database/list: pages of a statement', () => {
  const statement = {
    table: 'rows',
    selected: 'rows.name',
    tenancy: { sql: 'rows.organization = ?', bindings: ['o'] },
    counted: null,
  }
  const counted = { sql: 'select total from totals where organization = ?', bindings: ['t'] }

  async function read(more: Partial<PageRequest> = {}, list: Parameters<typeof createStatementSource>[1] = statement) {
    const { direct, sent } = createDirect({
      'select rows.name': [{ name: 'x', key0: '1', key1: '2', total: 9 }],
      'select count': [{ count: 4 }],
    })
    const page = await listPage(createStatementSource(direct, list), { ...defaultPageRequest, ...more }, columns)
    const [{ statement: first, values } = { statement: { text: '' }, values: [] }, ...others] = sent
    return { page, first, values, others }
  }
  const isPrepared = async (more: Partial<PageRequest>) => (await read(more)).first.name !== undefined

  it('are looked up in the order of the list, with the keys of each row', async () => {
    const { first, values, others, page } = await read(filtered)
    const order = 'order by rows.created_at desc, rows.id desc'
    expect(first.text).to.equal(
      `select rows.name, (rows.created_at)::text as key0, (rows.id)::text as key1, (null) as total from`
        + ` (select * from rows where (rows.organization = $1 and rows.name = $2) ${order} limit 11 offset 0) rows ${order}`,
    )
    expect([values, page.total]).to.deep.equal([['o', 'x'], 4])
    expect(others.map(({ statement: { text }, values }) => [text, values])).to.deep.equal([
      [
        'select count(*) as count from (select from rows where (rows.organization = $1 and rows.name = $2) limit 10001) matching',
        ['o', 'x'],
      ],
    ])
  })

  it('are found by their ids first where many rows stand before them', async () => {
    const found = await read({ currentPage: 101 })
    expect(found.first.text).to.include('from rows where rows.id in (select rows.id from rows where')
    expect(found.first.text).to.include('offset 1000')
    expect((await read({ currentPage: 100 })).first.text)
      .to.include('(select * from rows')
      .and.to.include('offset 990')
  })

  it('carry a maintained total, which is read by itself for a page without rows', async () => {
    const { page, values, others, first } = await read({}, { ...statement, counted })
    expect([page.total, values, others]).to.deep.equal([9, ['t', 'o'], []])
    expect(first.text).to.include(`(${counted.sql.replace('?', '$1')}) as total`)
    for (const [rows, total] of [
      [[{ total: 3 }], 3],
      [[], 0],
      [[{ total: null }], 0],
    ] as const) {
      const { direct, sent } = createDirect({ 'select (select total': [...rows] })
      const empty = await listPage(
        createStatementSource(direct, { ...statement, counted }),
        defaultPageRequest,
        columns,
      )
      expect(empty.total).to.equal(total)
      expect(sent[1]?.values).to.deep.equal(['t'])
      expect(sent[1]?.statement.name).to.match(/^list_.{22}$/)
    }
    const { direct } = createDirect({ 'select rows.name': [{ total: null }] })
    const none = await listPage(createStatementSource(direct, { ...statement, counted }), defaultPageRequest, columns)
    expect(none.total).to.equal(1)
  })

  it('are prepared where they are few and planned well for any value', async () => {
    const { first } = await read()
    expect(first.name).to.match(/^list_.{22}$/)
    expect((await read()).first).to.equal(first)
    for (const prepared of [
      { currentPage: 5 },
      { pageSize: 100 },
      filtered,
      { sorters: [{ field: 'name', order: 'asc' }] },
      { ...filtered, sorters: [{ field: 'createdAt', order: 'asc' }] },
    ] as const)
      expect(await isPrepared(prepared), JSON.stringify(prepared)).to.equal(true)
    for (const planned of [
      { currentPage: 6 },
      { pageSize: 11 },
      { filters: { operator: 'and', value: [byName, byName] } },
      { filters: { operator: 'and', value: [{ ...byName, operator: 'gt' }] } },
      { filters: { operator: 'and', value: [{ operator: 'or', value: [byName] }] } },
      { ...filtered, sorters: [{ field: 'name', order: 'asc' }] },
      {
        sorters: [
          { field: 'name', order: 'asc' },
          { field: 'createdAt', order: 'asc' },
        ],
      },
    ] as const)
      expect(await isPrepared(planned), JSON.stringify(planned)).to.equal(false)
    const { page } = await read({ pageSize: 1 })
    expect(page.nextCursor).to.equal(null)
  })
})
