import { expect } from 'chai'
import { createBodyValidator, createParameterValidator } from '../../../../core/http/pipeline/validate.ts'
import { IssueCollector } from '../../../../core/http/problems/issue-collector.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import { object, optional, string, Type, type TSchema } from '../../../../core/kernel/schema.ts'

/** What was collected: the code of the answer, then each issue with its path and code. */
function listIssues(issues: IssueCollector): string[] {
  try {
    issues.assertNone()
    return []
  } catch (error) {
    const { code, errors = [] } = error as ProblemError
    return [code, ...errors.map((issue) => `${issue.path} ${issue.code}`)]
  }
}

describe('Parameters of a path or query', () => {
  const validate = createParameterValidator({
    count: Type.Optional(Type.Integer()),
    isReal: Type.Optional(Type.Boolean()),
    name: Type.Optional(Type.String()),
  })

  it('become values of their declared types', () => {
    for (const [sent, expected] of [
      [{ count: '12' }, { count: 12 }],
      [{ count: '-3' }, { count: -3 }],
      [{ isReal: 'true' }, { isReal: true }],
      [{ isReal: 'false' }, { isReal: false }],
      [{ name: 'true' }, { name: 'true' }],
      [{ name: '12' }, { name: '12' }],
    ]) {
      const [values, issues] = [{ ...sent }, new IssueCollector()]
      validate(values, issues)
      expect([values, listIssues(issues)]).to.deep.equal([expected, []])
    }
  })

  it('are refused where they do not spell a value of the type, or are repeated', () => {
    for (const sent of [
      { count: '1.5' },
      { count: '1e3' },
      { count: '' },
      { count: ' 1' },
      { count: '1'.repeat(16) },
      { isReal: 'TRUE' },
      { isReal: '1' },
      { isReal: '' },
      { isReal: ['true', 'true'] },
      { name: ['a', 'b'] },
    ]) {
      const issues = new IssueCollector()
      validate({ ...sent }, issues)
      expect(listIssues(issues), JSON.stringify(sent)).to.deep.equal([
        'INVALID_REQUEST',
        `${Object.keys(sent)[0]} type`,
      ])
    }
  })
})

describe('Parameters of a page that an operation declares itself', () => {
  const validate = createParameterValidator({
    pageSize: Type.Optional(Type.Integer({ maximum: 100 })),
    name: Type.Optional(Type.String({ maxLength: 1 })),
  })

  it('are refused with a code of their own', () => {
    for (const [sent, expected] of [
      [{ pageSize: '101' }, ['INVALID_PAGINATION', 'pageSize max_value']],
      [{ pageSize: 'all' }, ['INVALID_PAGINATION', 'pageSize type']],
      [{ name: 'ab' }, ['INVALID_REQUEST', 'name max_length']],
    ] as const) {
      const issues = new IssueCollector()
      validate({ ...sent }, issues)
      expect(listIssues(issues), JSON.stringify(sent)).to.deep.equal(expected)
    }
  })
})

describe('Issues of a body', () => {
  const validate = (schema: TSchema, body: unknown, bytes = 10) => {
    const issues = new IssueCollector()
    createBodyValidator(schema)(body, bytes, issues)
    return listIssues(issues)
  }

  it('have the code "invalid" for a rule of a schema that has no code of its own', () => {
    expect(validate(object({ size: Type.Integer({ multipleOf: 5 }) }), { size: 7 })).to.deep.equal([
      'VALIDATION_FAILED',
      'size invalid',
    ])
    expect(validate(Type.Unsafe({ not: { type: 'null' } }), null)).to.deep.equal(['VALIDATION_FAILED', 'body invalid'])
  })

  it('are all listed for a body of up to 128 KiB, and the first one for a larger body', () => {
    const schema = object({ first: string('Any text.'), second: optional(string('Any text.')) })
    const body = { first: 1, second: 2 }
    expect(validate(schema, body, 128 * 1024)).to.deep.equal(['VALIDATION_FAILED', 'first type', 'second type'])
    expect(validate(schema, body, 128 * 1024 + 1)).to.deep.equal(['VALIDATION_FAILED', 'first type'])
  })

  it('are 400 if a member is missing, also beside others', () => {
    const schema = object({ first: string('Any text.'), second: string('Any text.') })
    expect(validate(schema, { second: 2 })).to.deep.equal(['INVALID_REQUEST', 'first required', 'second type'])
  })
})
