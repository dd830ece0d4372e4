import { expect } from 'chai'
import { createBodyValidator } from '../../../../core/http/pipeline/validate.ts'
import { IssueCollector } from '../../../../core/http/problems/issue-collector.ts'
import { Type, type TSchema } from '../../../../core/kernel/schema.ts'

const compile = (schema: unknown) => createBodyValidator(Type.Unsafe(schema as TSchema))

function isValid(schema: unknown, value: unknown): boolean {
  const issues = new IssueCollector()
  compile(schema)(value, 10, issues)
  return !issues.hasIssues
}

describe('Formats of schemas', () => {
  const uuid = '018f3f6e-7b1a-7c3d-9e2f-0123456789ab'
  for (const [format, good, bad] of [
    ['date', ['2026-02-28'], ['2026-02-30', '28.2.2026']],
    [
      'date-time',
      ['2026-02-28T12:00:00Z', '2026-02-28T12:00:00.123+02:00'],
      ['2016-12-31T23:59:60Z', '2026-02-28', 'Sat, 28 Feb 2026 12:00:00 GMT'],
    ],
    ['email', ['a@b.example'], ['a', 'a@']],
    ['ipv4', ['192.0.2.7'], ['192.0.2', '::1']],
    ['ipv6', ['2001:db8::1'], ['192.0.2.7', 'g::1']],
    ['uuid', [uuid], [`urn:uuid:${uuid}`, uuid.slice(1)]],
    ['uri', ['https://a.example/b', 'urn:a:b'], ['javascript:alert(1)', 'https://a.example/%zz', 'a.example']],
    ['name', ['Bag'], ['', 'a\tb']],
    ['cell-name', ['Bag', 'a\tb'], ['', 'a\u202eb']],
  ] as const)
    it(`know ${format}`, () => {
      for (const text of good) expect(isValid({ type: 'string', format }, text), text).to.equal(true)
      for (const text of bad) expect(isValid({ type: 'string', format }, text), text).to.equal(false)
    })
})

describe('Schemas of bodies', () => {
  it('are refused with a word or a format that is not known', () => {
    expect(() => compile({ type: 'string', unknownWord: 1 })).to.throw('unknownWord')
    expect(() => compile({ type: 'string', format: 'unknown-format' })).to.throw('unknown-format')
  })

  it('may have the mark for tools, and members without a type', () => {
    expect(isValid({ type: 'string', 'x-mcp-omit': true }, 'a')).to.equal(true)
    expect(isValid({ properties: { a: { minLength: 1 } } }, { a: 'b' })).to.equal(true)
    expect(isValid({ type: ['string', 'integer'] }, 1)).to.equal(true)
  })

  it('have patterns whose point is a whole character', () => {
    expect(isValid({ type: 'string', pattern: '^.$' }, '👜')).to.equal(true)
  })

  it('are not held to the meta-schema once more when they are compiled', () => {
    expect(isValid({ type: 'string', description: 5 }, 'a')).to.equal(true)
  })

  it('take no text for a number or a boolean', () => {
    expect(isValid({ type: 'integer' }, '1')).to.equal(false)
    expect(isValid({ type: 'boolean' }, 'true')).to.equal(false)
  })
})
