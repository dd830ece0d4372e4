import { expect } from 'chai'
import { describeFilterValue, parseFilterValue } from '../../../../core/http/query/filters.values.ts'
import { parseFilters } from '../../../../core/http/query/filters.ts'
import { parseQuery } from '../../../../core/http/query/parameters.ts'
import { IssueCollector } from '../../../../core/http/problems/issue-collector.ts'
import { textFilter, type FilterField, type ListDeclaration } from '../../../../core/kernel/page.ts'

const list: ListDeclaration = { filters: { name: textFilter('eq') }, sorters: [] }

describe('Filters that are refused', () => {
  it('are not among those that are parsed', () => {
    for (const query of ['filters=x', 'filters[0]=x', 'filters[size][eq]=1', 'filters[name][ne]=1', 'filters=']) {
      const issues = new IssueCollector()
      expect(parseFilters(parseQuery(query), list, issues).value, query).to.deep.equal([])
      expect(issues.hasIssues, query).to.equal(true)
    }
    const many = Array.from({ length: 60 }, (_, at) => `filters[name][eq]=${at}`).join('&')
    const { value } = parseFilters(parseQuery(many), list, new IssueCollector())
    expect(value).to.have.length(50)
    expect(value).not.to.include(undefined)
  })

  it('are all of a field that has no values to choose from', () => {
    const field: FilterField = { kind: 'enum', operators: ['eq'] }
    expect(parseFilterValue(field, 'draft')).to.equal(undefined)
    expect(describeFilterValue(field)).to.be.a('string')
  })
})
