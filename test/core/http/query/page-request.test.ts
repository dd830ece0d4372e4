import { expect } from 'chai'
import { parsePageRequest, splitQuery } from '../../../../core/http/query/page-request.ts'
import { parseQuery } from '../../../../core/http/query/parameters.ts'
import { IssueCollector } from '../../../../core/http/problems/issue-collector.ts'
import { defaultPageRequest, textFilter, type ListDeclaration } from '../../../../core/kernel/page.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'

const list: ListDeclaration = { filters: { name: textFilter('eq') }, sorters: ['name', 'createdAt'] }

/** Parses a query, as of a list. @returns the page, and the issues with the code of the answer before them */
function parse(query: string) {
  const issues = new IssueCollector()
  const page = parsePageRequest(parseQuery(query), list, issues)
  try {
    issues.assertNone()
    return { page, issues: [] }
  } catch (error) {
    const { code, errors = [] } = error as ProblemError
    return { page, issues: [code, ...errors.map((issue) => `${issue.path} ${issue.code}`)] }
  }
}

describe('Parameters of a list', () => {
  it('are the first ten rows in the usual order unless they say otherwise', () => {
    expect(parse('')).to.deep.equal({ page: defaultPageRequest, issues: [] })
  })

  it('name a page of 1 to 100 rows', () => {
    for (const [query, expected] of [
      ['currentPage=1', { currentPage: 1, pageSize: 10 }],
      ['pageSize=1', { currentPage: 1, pageSize: 1 }],
      ['currentPage=1000000000&pageSize=100', { currentPage: 1_000_000_000, pageSize: 100 }],
      ['pageSize=007', { currentPage: 1, pageSize: 7 }],
    ] as const)
      expect(parse(query), query).to.deep.equal({
        page: { ...defaultPageRequest, ...expected, isPageExplicit: true },
        issues: [],
      })
  })

  it('leave the usual page in place of one that is refused', () => {
    for (const query of [
      'currentPage=0',
      'currentPage=1000000001',
      'currentPage=-1',
      'currentPage=1e3',
      'currentPage=',
      'currentPage=1&currentPage=1',
    ])
      expect(parse(query), query).to.deep.equal({
        page: { ...defaultPageRequest, isPageExplicit: true },
        issues: ['INVALID_PAGINATION', 'currentPage range'],
      })
    expect(parse('pageSize=101&currentPage=3')).to.deep.equal({
      page: { ...defaultPageRequest, currentPage: 3, isPageExplicit: true },
      issues: ['INVALID_PAGINATION', 'pageSize range'],
    })
  })

  it('go on behind a cursor, which excludes the number of a page', () => {
    for (const [query, cursor, issues] of [
      ['cursor=Ab_-9', 'Ab_-9', []],
      [`cursor=${'a'.repeat(4_000)}`, 'a'.repeat(4_000), []],
      [`cursor=${'a'.repeat(4_001)}`, null, ['INVALID_PAGINATION', 'cursor malformed']],
      ['cursor=', null, ['INVALID_PAGINATION', 'cursor malformed']],
      ['cursor=a&cursor=a', null, ['INVALID_PAGINATION', 'cursor malformed']],
      ['cursor=a.b', null, ['INVALID_PAGINATION', 'cursor malformed']],
    ] as const)
      expect(parse(query), query).to.deep.equal({ page: { ...defaultPageRequest, cursor }, issues })
    expect(parse('cursor=a&pageSize=5').issues).to.deep.equal([])
    expect(parse('cursor=a&currentPage=2').issues).to.deep.equal(['INVALID_PAGINATION', 'cursor conflict'])
  })

  it('name filters, all of which apply', () => {
    const { page, issues } = parse('filters[name][eq]=a&pageSize=5')
    expect([page.filters.value.length, issues]).to.deep.equal([1, []])
    expect(parse('filters[other][eq]=a').issues).to.deep.equal(['INVALID_FILTER', 'filters[other][eq] unknown_field'])
  })

  it('name the order of known fields, ascending unless they say otherwise', () => {
    const many = (count: number) =>
      `sorters=${JSON.stringify(Array.from({ length: count }, () => ({ field: 'name' })))}`
    for (const [query, sorters, issues] of [
      ['sorters[0][field]=name', [{ field: 'name', order: 'asc' }], []],
      ['sorters=', [], []],
      ['sorters=[{"field":"createdAt","order":"desc"}]', [{ field: 'createdAt', order: 'desc' }], []],
      ['sorters[0][field]=other', [], ['INVALID_SORTER', 'sorters[0].field unknown_field']],
      ['sorters[0][order]=asc', [], ['INVALID_SORTER', 'sorters[0].field unknown_field']],
      ['sorters[0][field]=name&sorters[0][order]=up', [], ['INVALID_SORTER', 'sorters[0].order enum']],
      ['sorters[0][field]=name&sorters[0][x]=1', [], ['INVALID_SORTER', 'sorters[0] type']],
      ['sorters[name]=asc', [], ['INVALID_SORTER', 'sorters malformed']],
      ['sorters={', [], ['INVALID_SORTER', 'sorters malformed']],
      ['sorters=[1]', [], ['INVALID_SORTER', 'sorters[0] type']],
      ['sorters[0]=1&sorters[0][field]=name', [], ['INVALID_SORTER', 'sorters[0][field] malformed', 'sorters[0] type']],
      [many(5), Array.from({ length: 5 }, () => ({ field: 'name', order: 'asc' })), []],
      [many(6), [], ['INVALID_SORTER', 'sorters max_items']],
    ] as const) {
      const encoded = query.replaceAll(/[{}"]/g, encodeURIComponent)
      expect(parse(encoded), query).to.deep.equal({ page: { ...defaultPageRequest, sorters }, issues })
    }
  })

  it('stand apart from those of the operation', () => {
    const { ofList, own } = splitQuery(
      parseQuery('pageSize=1&pageSize[x]=1&filters[a][eq]=1&filters=a&sorters[0][field]=b&filter=b&=c'),
    )
    const listNames = (parameters: typeof own) => parameters.map(({ name }) => name)
    expect([listNames(ofList), listNames(own)]).to.deep.equal([
      ['pageSize', 'filters[a][eq]', 'filters', 'sorters[0][field]'],
      ['pageSize[x]', 'filter', ''],
    ])
  })
})
