import { expect } from 'chai'
import { createFilterSql, getColumn, type Columns } from '../../../../core/database/list/filters.ts'
import { formatCursor, parseCursor } from '../../../../core/database/list/cursor.ts'
import { createAfterSql, createOrderSql, createSortKeys, type SortKey } from '../../../../core/database/list/order.ts'
import type { FilterCondition, FilterGroup, FilterNode, FilterOperator } from '../../../../core/kernel/page.ts'

const columns: Columns = {
  id: { sql: 'rows.id' },
  createdAt: { sql: 'rows.created_at' },
  name: { sql: 'rows.name', insensitive: true, nullable: true },
  size: { sql: 'rows.size' },
  mail: {
    sql: 'o.mail',
    isLowerCase: true,
    within: (condition) => `rows.owner in (select o.id from owners o where ${condition})`,
  },
}
const filter = (field: string, operator: FilterOperator, value: string | number | null = null): FilterCondition => ({
  field,
  operator,
  value,
  path: 'filters',
})
const group = (operator: 'and' | 'or', ...value: FilterNode[]): FilterGroup => ({ operator, value })

describe('core/database/list: filters in SQL', () => {
  const sqlOf = (...value: FilterNode[]) => createFilterSql(group('and', ...value), columns)

  it('compare a column with a bound value, by its operator', () => {
    for (const [operator, sql] of [
      ['eq', 'rows.id = ?'],
      ['ne', 'rows.id is distinct from ?'],
      ['gt', 'rows.id > ?'],
      ['lt', 'rows.id < ?'],
      ['gte', 'rows.id >= ?'],
      ['lte', 'rows.id <= ?'],
    ] as const)
      expect(sqlOf(filter('id', operator, 'x'))).to.deep.equal({ sql, bindings: ['x'] })
  })

  it('take any whole number, and an address in whatever letters', () => {
    expect(sqlOf(filter('size', 'eq', 5))).to.deep.equal({ sql: 'rows.size = ?::bigint', bindings: [5] })
    expect(sqlOf(filter('size', 'ne', 5))?.sql).to.equal('rows.size is distinct from ?::bigint')
    expect(sqlOf(filter('size', 'gte', 5))?.sql).to.equal('rows.size >= ?::bigint')
    expect(sqlOf(filter('name', 'eq', 'Anna'))).to.deep.equal({
      sql: 'lower(rows.name) = lower(?)',
      bindings: ['Anna'],
    })
  })

  it('reach into the other table that a column belongs to, by the index of its small letters', () => {
    expect(sqlOf(filter('mail', 'eq', 'Anna@x'))).to.deep.equal({
      sql: 'rows.owner in (select o.id from owners o where o.mail = ?)',
      bindings: ['anna@x'],
    })
    expect(sqlOf(filter('mail', 'contains', 'X'))).to.deep.equal({
      sql: `rows.owner in (select o.id from owners o where o.mail ilike ? escape '\\')`,
      bindings: ['%X%'],
    })
  })

  it('ask for a value or for none, and for a part of a text as it is written', () => {
    expect(sqlOf(filter('name', 'null'))).to.deep.equal({ sql: 'rows.name is null', bindings: [] })
    expect(sqlOf(filter('name', 'nnull'))).to.deep.equal({ sql: 'rows.name is not null', bindings: [] })
    expect(sqlOf(filter('name', 'contains', '50%_\\'))).to.deep.equal({
      sql: `rows.name ilike ? escape '\\'`,
      bindings: ['%50\\%\\_\\\\%'],
    })
  })

  it('are joined as they are grouped, with their values in order', () => {
    expect(createFilterSql(group('or'), columns)).to.equal(null)
    expect(
      sqlOf(filter('id', 'eq', 'x'), group('or', filter('size', 'gt', 1), filter('size', 'lt', 9)), group('or')),
    ).to.deep.equal({
      sql: '(rows.id = ? and (rows.size > ?::bigint or rows.size < ?::bigint) and true)',
      bindings: ['x', 1, 9],
    })
  })

  it('need a column of their own for each field', () => {
    expect(getColumn(columns, 'id')).to.equal(columns['id'])
    for (const field of ['missing', 'toString'])
      expect(() => getColumn(columns, field)).to.throw(`The list declares ${field} but no column answers it`)
  })
})

const key = (sql: string, order: 'asc' | 'desc', nullable = false): SortKey => ({ sql, order, nullable })

describe('core/database/list: orders in SQL', () => {
  it('are by creation, newest first, unless a caller says otherwise, and always by the id in the end', () => {
    const keysOf = (...sorters: { field: string; order: 'asc' | 'desc' }[]) =>
      createSortKeys(sorters, columns, 'rows.id')
    expect(keysOf()).to.deep.equal([key('rows.created_at', 'desc'), key('rows.id', 'desc')])
    expect(keysOf({ field: 'name', order: 'asc' })).to.deep.equal([
      key('rows.name', 'asc', true),
      key('rows.id', 'asc'),
    ])
    expect(keysOf({ field: 'id', order: 'asc' }, { field: 'size', order: 'desc' })).to.deep.equal([
      key('rows.id', 'asc'),
      key('rows.size', 'desc'),
    ])
    expect(
      createSortKeys(
        [
          { field: 'size', order: 'asc' },
          { field: 'name', order: 'desc' },
        ],
        columns,
        'rows.id',
      ).at(-1),
    ).to.deep.equal(key('rows.id', 'desc'))
  })

  it('put rows without a value last', () => {
    expect(createOrderSql(key('a', 'asc'))).to.equal('a asc')
    expect(createOrderSql(key('a', 'desc', true))).to.equal('a desc nulls last')
  })

  it('go on behind a row by one comparison of rows where all keys have values and one direction', () => {
    const after = (order: 'asc' | 'desc') => createAfterSql([key('a', order), key('b', order)], ['1', '2'])
    expect(after('asc')).to.deep.equal({ sql: '(a, b) > (?, ?)', bindings: ['1', '2'] })
    expect(after('desc')).to.deep.equal({ sql: '(a, b) < (?, ?)', bindings: ['1', '2'] })
  })

  it('go on key by key where directions differ, within the bound of the first key', () => {
    expect(createAfterSql([key('a', 'asc'), key('b', 'desc')], ['1', '2'])).to.deep.equal({
      sql: '(a >= ? and (a > ? or (a = ? and b < ?)))',
      bindings: ['1', '1', '1', '2'],
    })
    expect(createAfterSql([key('a', 'desc'), key('b', 'asc')], ['1', '2'])).to.deep.equal({
      sql: '(a <= ? and (a < ? or (a = ? and b > ?)))',
      bindings: ['1', '1', '1', '2'],
    })
  })

  it('go on to rows without a value, and from there by the later keys', () => {
    expect(createAfterSql([key('a', 'asc', true), key('b', 'asc')], ['1', '2'])).to.deep.equal({
      sql: '((a > ? or a is null) or (a = ? and b > ?))',
      bindings: ['1', '1', '2'],
    })
    expect(createAfterSql([key('a', 'asc', true), key('b', 'asc')], [null, '2'])).to.deep.equal({
      sql: '(false or (a is null and b > ?))',
      bindings: ['2'],
    })
    expect(
      createAfterSql([key('a', 'desc'), key('b', 'desc', true), key('c', 'desc')], ['1', null, '3']),
    ).to.deep.equal({
      sql: '(a <= ? and (a < ? or (a = ? and false) or (a = ? and b is null and c < ?)))',
      bindings: ['1', '1', '1', '1', '3'],
    })
  })
})

describe('core/database/list: cursors', () => {
  const keys = [key('a', 'asc', true), key('b', 'asc')]
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const decode = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]

  it('hold the keys of a row, with a short name of their order', () => {
    const cursor = formatCursor(keys, { key0: null, key1: 'x', other: 'y' })
    expect(parseCursor(cursor, keys)).to.deep.equal([null, 'x'])
    expect(parseCursor(formatCursor(keys, { key1: 'x' }), keys)).to.deep.equal([null, 'x'])
    expect(String(decode(cursor)[0])).to.have.length(8)
  })

  it('are refused by another order or another list', () => {
    const cursor = formatCursor(keys, { key0: '1', key1: 'x' })
    for (const others of [
      [key('a', 'desc', true), key('b', 'asc')],
      [key('c', 'asc', true), key('b', 'asc')],
      [key('a', 'asc', true)],
    ])
      expect(() => parseCursor(cursor, others)).to.throw('INVALID_PAGINATION')
  })

  it('are refused when they are anything else', () => {
    const [name] = decode(formatCursor(keys, { key0: '1', key1: 'x' }))
    expect(parseCursor(encode([name, '1', null]), keys)).to.deep.equal(['1', null])
    for (const wrong of [
      'no JSON',
      '',
      encode({ length: 3, 0: name }),
      encode(null),
      encode([name, '1']),
      encode([name, '1', 'x', 'y']),
      encode(['another', '1', 'x']),
      encode([name, 1, 'x']),
      encode([name, '1', { x: 1 }]),
    ])
      expect(() => parseCursor(wrong, keys), wrong).to.throw('INVALID_PAGINATION')

    expect(() => parseCursor('', keys))
      .to.throw()
      .and.have.nested.property('errors[0].path', 'cursor')
  })
})
