import { expect } from 'chai'
import { parseFilters } from '../../../../core/http/query/filters.ts'
import { parseQuery } from '../../../../core/http/query/parameters.ts'
import { IssueCollector } from '../../../../core/http/problems/issue-collector.ts'
import {
  enumFilter,
  instantFilter,
  textFilter,
  uuidFilter,
  type ListDeclaration,
} from '../../../../core/kernel/page.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import { Type } from '../../../../core/kernel/schema.ts'

const list: ListDeclaration = {
  rowSchema: Type.Object({}),
  filters: {
    name: textFilter('eq', 'contains', 'null'),
    title: { ...textFilter('eq'), alias: 'name' },
    status: enumFilter(['draft', 'issued'], 'eq'),
    createdAt: instantFilter,
    product: uuidFilter('eq', 'nnull'),
    total: { kind: 'integer', operators: ['eq'] },
  },
  sorters: [],
}

/** Parses filters in any notation. @returns the conditions, and each issue with its path, code and message */
function parse(query: string, declared = list) {
  const issues = new IssueCollector()
  const { operator, value } = parseFilters(
    parseQuery(query.replaceAll(/[{}"\s]/g, encodeURIComponent)),
    declared,
    issues,
  )
  expect(operator).to.equal('and')
  try {
    issues.assertNone()
    return { filters: value, issues: [] }
  } catch (error) {
    const { code, errors = [] } = error as ProblemError
    expect(code).to.equal('INVALID_FILTER')
    return { filters: value, issues: errors.map((issue) => `${issue.path} ${issue.code} ${issue.message}`) }
  }
}

const json = (filters: unknown) => `filters=${JSON.stringify(filters)}`

describe('Filters of a list', () => {
  it('may be written as JSON, as brackets with indices, or as brackets of field and operator', () => {
    for (const [query, path] of [
      [json([{ field: 'name', operator: 'eq', value: 'a' }]), 'filters[0].value'],
      ['filters[0][field]=name&filters[0][operator]=eq&filters[0][value]=a', 'filters[0].value'],
      ['filters[name][eq]=a', 'filters[name][eq]'],
      [json({ name: { eq: 'a' } }), 'filters[name][eq]'],
      ['filters[title][eq]=a', 'filters[title][eq]'],
    ] as const)
      expect(parse(query), query).to.deep.equal({
        filters: [{ field: 'name', operator: 'eq', value: 'a', path }],
        issues: [],
      })
  })

  it('all apply, in whatever notation and however often they stand there', () => {
    const { filters, issues } = parse(
      `${json([{ field: 'name', operator: 'null' }])}&filters[product][nnull]=&filters[name][contains]=a&filters[name][contains]=b&filters[status][eq]=draft`,
    )
    expect([filters.map((node) => [node.operator, node.value]), issues]).to.deep.equal([
      [
        ['null', null],
        ['nnull', null],
        ['contains', 'a'],
        ['contains', 'b'],
        ['eq', 'draft'],
      ],
      [],
    ])
  })

  it('may be groups of groups, five deep', () => {
    const nest = (depth: number): object =>
      depth === 0
        ? { field: 'name', operator: 'eq', value: 'a' }
        : { operator: depth % 2 === 0 ? 'and' : 'or', value: [nest(depth - 1)] }
    expect(parse(json([nest(5)])).issues).to.deep.equal([])
    expect(parse(json([nest(2)])).filters).to.deep.equal([
      {
        operator: 'and',
        value: [
          {
            operator: 'or',
            value: [{ field: 'name', operator: 'eq', value: 'a', path: 'filters[0].value[0].value[0].value' }],
          },
        ],
      },
    ])
    expect(parse(json([nest(6)])).issues).to.deep.equal([
      `filters[0]${'.value[0]'.repeat(5)} too_deep is a group inside 5 others, which is the most`,
    ])
  })

  it('are at most fifty, wherever they stand', () => {
    const some = (count: number) => Array.from({ length: count }, () => ({ field: 'name', operator: 'null' }))
    expect(parse(json([...some(25), { operator: 'or', value: some(25) }])).issues).to.deep.equal([])
    expect(parse(json(some(53))).issues).to.deep.equal([
      'filters[50].field max_items is one filter more than the 50 that are taken',
    ])
  })

  it('may be an empty text only where the answer is a list', () => {
    expect(parse('filters=')).to.deep.equal({ filters: [], issues: [] })
    const { rowSchema: _, ...declared } = list
    expect(parse('filters=', declared).issues).to.deep.equal(['filters malformed is not well-formed JSON'])
  })

  it('are refused with a message that names what is wrong and what is taken', () => {
    const operators = 'name takes eq, contains, null'
    for (const [query, issue] of [
      ['filters[other][eq]=a', 'filters[other][eq] unknown_field names "other", which is no filter here'],
      [json([{ field: 5 }]), 'filters[0].field unknown_field names that, which is no filter here'],
      [
        json([{ field: 'x'.repeat(61) }]),
        `filters[0].field unknown_field names "${'x'.repeat(60)}", which is no filter here`,
      ],
      ['filters[name][gt]=a', `filters[name][gt] unknown_operator names "gt"; ${operators}`],
      [json([{ field: 'name', value: 'a' }]), `filters[0].operator unknown_operator names that; ${operators}`],
      ['filters[status][eq]=other', 'filters[status][eq] type must be one of draft, issued'],
      [
        'filters[staus][eq]=draft',
        'filters[staus][eq] unknown_field names "staus", which is no filter here; did you mean status?',
      ],
      [
        'filters[created_at][gt]=x',
        'filters[created_at][gt] unknown_field names "created_at", which is no filter here; did you mean createdAt?',
      ],
      [
        'filters[name][contain]=a',
        `filters[name][contain] unknown_operator names "contain"; ${operators}; did you mean contains?`,
      ],
      ['filters[product][eq]=other', 'filters[product][eq] type must be a UUID'],
      ['filters[total][eq]=other', 'filters[total][eq] type must be a whole number'],
      ['filters[createdAt][gt]=other', 'filters[createdAt][gt] type must be an RFC 3339 instant in UTC ending in Z'],
      [`filters[name][eq]=${'x'.repeat(1_001)}`, 'filters[name][eq] type must be text of at most 1000 characters'],
      [
        json([{ operator: 'or', value: 5 }]),
        'filters[0].value type must be an array of filters, or brackets of field and operator',
      ],
      [
        json([{ operator: 'xor', value: [] }]),
        'filters[0].operator unknown_operator of a group is or, or and; a filter needs a field',
      ],
      [json([{ operator: 'or', value: [] }]), 'filters[0].value min_items of a group needs at least one filter'],
      [
        json([{ field: 'name', operator: 'eq', value: 'a', ['y'.repeat(61)]: 1 }]),
        `filters[0].${'y'.repeat(60)} unknown_member is not a member of a filter`,
      ],
      [json([1]), 'filters[0] type must be an object of field, operator and value'],
      ['filters=5', 'filters type must be an array of filters, or brackets of field and operator'],
      ['filters={', 'filters malformed is not well-formed JSON'],
      ['filters[name]=a', 'filters[name] malformed needs an operator, as filters[name][eq]=<value>'],
      [
        'filters[0][field]=name&filters[0][field]=status&filters[0][operator]=eq&filters[0][value]=a',
        'filters[0].field unknown_field names that, which is no filter here',
      ],
      ['filters[name]=a&filters[name][eq]=b', 'filters[name][eq] malformed has both a value and names below it'],
    ] as const)
      expect(parse(query).issues, query).to.include(issue)
  })
})
