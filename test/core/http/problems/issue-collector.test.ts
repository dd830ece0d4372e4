import { expect } from 'chai'
import { IssueCollector } from '../../../../core/http/problems/issue-collector.ts'
import type { ProblemCode } from '../../../../core/kernel/problem-codes.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'

/** Collects issues at `a`, `b` … with these codes. Returns the problem that is thrown, or undefined. */
function collect(codes: readonly ProblemCode[], reports422As400?: boolean): ProblemError | undefined {
  const issues = new IssueCollector(reports422As400)
  expect(issues.hasIssues).to.equal(false)
  for (const [at, code] of codes.entries())
    issues.add(code, { path: String.fromCharCode(97 + at), code: 'type', message: 'is wrong' })
  expect(issues.hasIssues).to.equal(codes.length > 0)
  try {
    return void issues.assertNone()
  } catch (error) {
    return error as ProblemError
  }
}

describe('Issues of a request', () => {
  it('are no problem if there are none', () => {
    expect(collect([])).to.equal(undefined)
  })

  it('are one problem with all of them, with the code of the first that is 400, or else of the first', () => {
    for (const [codes, code, detail] of [
      [['VALIDATION_FAILED'], 'VALIDATION_FAILED', 'a is wrong.'],
      [['VALIDATION_FAILED', 'INVALID_FILTER', 'INVALID_REQUEST'], 'INVALID_FILTER', 'b is wrong.'],
      [['INVALID_REQUEST', 'INVALID_FILTER'], 'INVALID_REQUEST', 'a is wrong.'],
    ] as const) {
      const problem = collect(codes)
      expect([problem?.code, problem?.detail]).to.deep.equal([code, detail])
      expect(problem?.errors).to.deep.equal(
        codes.map((_, at) => ({ path: String.fromCharCode(97 + at), code: 'type', message: 'is wrong' })),
      )
    }
  })

  it('have in the detail the advice of the issue that it names, once and no other', () => {
    const issues = new IssueCollector()
    issues.add('VALIDATION_FAILED', { path: 'a', code: 'type', message: 'is wrong' }, 'Of a.')
    for (const path of ['b', 'c'])
      issues.add('INVALID_FILTER', { path, code: 'unknown_field', message: 'is wrong; did you mean d?' }, `Of ${path}.`)
    expect(() => issues.assertNone()).to.throw('b is wrong; did you mean d? Of b.')
  })

  it('are all 400 for an operation that answers every invalid body so, with the codes that already are', () => {
    expect(collect(['VALIDATION_FAILED'], true)?.code).to.equal('INVALID_REQUEST')
    expect(collect(['INVALID_FILTER'], true)?.code).to.equal('INVALID_FILTER')
    expect(collect(['VALIDATION_FAILED', 'INVALID_FILTER'], true)?.code).to.equal('INVALID_REQUEST')
    expect(collect(['VALIDATION_FAILED', 'INVALID_FILTER'], false)?.code).to.equal('INVALID_FILTER')
  })

  it('are at most a hundred', () => {
    expect(collect(Array.from({ length: 99 }, () => 'INVALID_REQUEST'))?.errors).to.have.length(99)
    expect(collect(Array.from({ length: 101 }, () => 'INVALID_REQUEST'))?.errors).to.have.length(100)
  })
})
