import { expect } from 'chai'
import { createBodyValidator, createParameterValidator } from '../../../../core/http/pipeline/validate.ts'
import { IssueCollector } from '../../../../core/http/problems/issue-collector.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import { nameText, object, optional, string, Type, type TSchema } from '../../../../core/kernel/schema.ts'
import { nameIssueMessage } from '../../../../core/kernel/text/characters.ts'

/** Returns the issues, each as its path, code and message. */
function listIssues(collect: (issues: IssueCollector) => void): string[] {
  const issues = new IssueCollector()
  collect(issues)
  try {
    issues.assertNone()
    return []
  } catch (error) {
    const { errors = [] } = error as ProblemError
    return errors.map(({ path, code, message }) => `${path} ${code}: ${message}`)
  }
}

/** Returns the issues of a member `a` with this schema and value. */
const validateMember = (schema: unknown, a: unknown) =>
  listIssues((issues) => createBodyValidator(object({ a: Type.Unsafe(schema as TSchema) }))({ a }, 10, issues))

const codesOf = (issues: readonly string[]) => issues.map((issue) => issue.split(':', 1)[0])

describe('Issues of a body: their codes', () => {
  it('are those of the rule that is broken', () => {
    for (const [schema, value, code] of [
      [{ type: 'string' }, 1, 'type'],
      [{ enum: ['x', 'y'] }, 'z', 'enum'],
      [{ const: 'x' }, 'y', 'enum'],
      [{ type: 'string', format: 'uuid' }, 'x', 'format'],
      [{ type: 'string', pattern: '^x' }, 'y', 'format'],
      [{ type: 'number', minimum: 1 }, 0, 'min_value'],
      [{ type: 'number', exclusiveMinimum: 1 }, 1, 'min_value'],
      [{ type: 'number', maximum: 1 }, 2, 'max_value'],
      [{ type: 'number', exclusiveMaximum: 1 }, 1, 'max_value'],
      [{ type: 'string', minLength: 1 }, '', 'min_length'],
      [{ type: 'string', maxLength: 1 }, 'ab', 'max_length'],
      [{ type: 'array', minItems: 1 }, [], 'min_items'],
      [{ type: 'array', maxItems: 1 }, [1, 2], 'max_items'],
      [{ type: 'array', uniqueItems: true }, [1, 1], 'unique'],
      [{ type: 'object', minProperties: 1 }, {}, 'min_properties'],
      [{ type: 'object', maxProperties: 0 }, { b: 1 }, 'max_properties'],
    ] as const)
      expect(codesOf(validateMember(schema, value)), JSON.stringify(schema)).to.deep.equal([`a ${code}`])
    expect(codesOf(validateMember({ type: 'object', propertyNames: { maxLength: 1 } }, { bc: 1 }))).to.deep.equal([
      'a max_length',
      'a name',
    ])
  })

  it('come with a sentence about the value', () => {
    expect(validateMember({ enum: ['x', 'y'] }, 'z')).to.deep.equal(['a enum: must be one of x, y'])
    expect(validateMember(nameText('Any name.'), 'a\nb')).to.deep.equal([`a format: ${nameIssueMessage}`])
    expect(validateMember({ type: 'string', format: 'uuid' }, 'x')).to.deep.equal([
      'a format: must match format "uuid"',
    ])
    expect(validateMember(object({ b: string('Any text.') }), {})).to.deep.equal(['a.b required: is missing'])
    expect(validateMember(object({}), { 'b/~c': 1 })).to.deep.equal(['a.b/~c unknown_member: is not a member of this'])
    expect(codesOf(validateMember(object({}), { ['n'.repeat(101)]: 1 }))).to.deep.equal([
      `a.${'n'.repeat(100)} unknown_member`,
    ])
  })
})

describe('Issues of a body: those of a value with several forms', () => {
  const textOrNull = { anyOf: [{ type: 'object', properties: { b: { type: 'string' } } }, { type: 'null' }] }
  const textOrWhole = { anyOf: [{ type: 'string' }, { type: 'integer' }] }

  it('are those of the form that is meant', () => {
    expect(validateMember(textOrNull, { b: 1 })).to.deep.equal(['a.b type: must be string'])
    const objectOrText = { anyOf: [textOrNull.anyOf[0], { type: 'string' }] }
    expect(validateMember(objectOrText, { b: 1 })).to.deep.equal(['a.b type: must be string'])
    expect(validateMember(textOrNull, 5)).to.deep.equal(['a type: must be object'])
    expect(validateMember({ anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] }, 'x')).to.deep.equal([
      'a min_length: must NOT have fewer than 2 characters',
    ])
  })

  it('name all forms where none is meant', () => {
    expect(validateMember(textOrWhole, true)).to.deep.equal(['a type: must be string or integer'])
    expect(validateMember({ oneOf: textOrWhole.anyOf }, true)).to.deep.equal(['a type: must be string or integer'])
    expect(validateMember({ type: 'array', items: textOrWhole }, [true, 1, false])).to.deep.equal([
      'a[0] type: must be string or integer',
      'a[2] type: must be string or integer',
    ])
  })

  it('stand beside the issues of the value itself', () => {
    const either = { type: 'string', anyOf: [{ type: 'boolean', enum: [false] }, { type: 'integer' }] }
    expect(validateMember(either, true)).to.deep.equal(['a type: must be string', 'a enum: must be one of false'])
  })

  it('say so if more than one form is met, and name no condition', () => {
    const both = { oneOf: [{ type: 'string' }, { type: 'string', minLength: 1 }] }
    expect(validateMember(both, 'x')).to.deep.equal(['a invalid: has no allowed form'])
    const needs = (name: string) => ({ properties: { [name]: {} }, required: [name] })
    const further = { type: 'object', if: needs('b'), then: needs('c') }
    expect(validateMember(further, { b: 1 })).to.deep.equal(['a.c required: is missing'])
    const all = { allOf: [{ type: 'string' }, { minLength: 2 }] }
    expect(codesOf(validateMember(all, 'x'))).to.deep.equal(['a min_length'])
  })
})

describe('Issues of parameters: what is read', () => {
  const validate = (values: Record<string, unknown>, allowsOthers?: boolean) =>
    listIssues((issues) =>
      createParameterValidator(
        { count: Type.Optional(Type.Integer({ default: 5 })), isReal: Type.Optional(Type.Boolean()) },
        allowsOthers,
      )(values, issues),
    )

  it('is all of them', () => {
    expect(codesOf(validate({ count: 'x', isReal: 'y' }))).to.deep.equal(['count type', 'isReal type'])
    expect(codesOf(validate({ count: ['12'] })), 'a list of one').to.deep.equal(['count type'])
  })

  it('is only what is declared, unless others are ignored', () => {
    expect(codesOf(validate({ other: '1' }))).to.deep.equal(['other unknown_member'])
    expect(codesOf(validate({ other: '1' }, true))).to.deep.equal([])
  })

  it('is the default of a parameter that is left out', () => {
    const values: Record<string, unknown> = {}
    expect(validate(values)).to.deep.equal([])
    expect(values).to.deep.equal({ count: 5 })
  })

  it('has a code of its own for each part of a page', () => {
    for (const name of ['currentPage', 'pageSize', 'cursor', 'other']) {
      const issues = new IssueCollector()
      createParameterValidator({ [name]: optional(Type.Integer()) })({ [name]: 'x' }, issues)
      expect(() => issues.assertNone())
        .to.throw()
        .with.property('code', name === 'other' ? 'INVALID_REQUEST' : 'INVALID_PAGINATION')
    }
  })
})
