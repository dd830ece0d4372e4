import { expect } from 'chai'
import { parseFilterValue } from '../../../../core/http/query/filters.values.ts'
import {
  createParameterTree,
  ParameterValues,
  parseQuery,
  toPlainParameters,
  type ParameterTree,
} from '../../../../core/http/query/parameters.ts'
import type { FilterField } from '../../../../core/kernel/page.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'

/** Writes a tree as plain objects with arrays of values. */
const toPlainTree = (tree: ParameterTree): object =>
  Object.fromEntries(
    [...tree].map(([name, inner]) => [name, inner instanceof ParameterValues ? inner.values : toPlainTree(inner)]),
  )

describe('Query strings', () => {
  it('have names, steps in brackets, and values, decoded and in their order', () => {
    for (const [query, parameters] of [
      ['', []],
      ['&&', []],
      ['a', [['a', 'a', [], '']]],
      ['a=', [['a', 'a', [], '']]],
      ['=a', [['', '', [], 'a']]],
      ['a=b=c', [['a', 'a', [], 'b=c']]],
      ['a+b=c+d%2B', [['a b', 'a b', [], 'c d+']]],
      ['%C3%A9=%F0%9F%98%80', [['é', 'é', [], '😀']]],
      [
        'b=1&a=2&b=3',
        [
          ['b', 'b', [], '1'],
          ['a', 'a', [], '2'],
          ['b', 'b', [], '3'],
        ],
      ],
      ['a[b][]=1', [['a[b][]', 'a', ['b', ''], '1']]],
      ['a%5Bb%5D=1', [['a[b]', 'a', ['b'], '1']]],
      ['a[b=1', [['a[b', 'a[b', [], '1']]],
      ['[a]=1', [['[a]', '[a]', [], '1']]],
      ['a[b]c=1', [['a[b]c', 'a[b]c', [], '1']]],
      ['a[b[c]]=1', [['a[b[c]]', 'a[b[c]]', [], '1']]],
    ] as [string, unknown[]][])
      expect(
        parseQuery(query).map(({ name, root, steps, value }) => [name, root, steps, value]),
        query,
      ).to.deep.equal(parameters)
  })

  it('are refused if they are no encoded text, or have too many parameters or steps', () => {
    const refuse = (query: string) => {
      try {
        return parseQuery(query).length
      } catch (error) {
        const { code, detail, errors } = error as ProblemError
        return `${code} ${errors?.[0]?.path} ${detail}`
      }
    }
    const notEncoded = 'INVALID_REQUEST query The query string has a character that has to be percent-encoded.'
    for (const query of ['a=é', 'a=b c', 'a=b\tc', 'é=1', 'a=\x7f']) expect(refuse(query), query).to.equal(notEncoded)
    for (const query of ['a=%', 'a=%2', 'a=%zz', 'a=%ff', 'a=%ED%A0%80', '%=1'])
      expect(refuse(query), query).to.equal('INVALID_REQUEST query The query string is not percent-encoded UTF-8.')
    expect(refuse('a=%00')).to.equal('INVALID_REQUEST query The query string has a character that is not text.')
    expect([refuse('a&'.repeat(500)), refuse('a&'.repeat(501))]).to.deep.equal([
      500,
      'INVALID_REQUEST query The query string has more than 500 parameters.',
    ])
    expect([refuse(`a${'[b]'.repeat(24)}`), refuse(`a${'[b]'.repeat(25)}`)]).to.deep.equal([
      1,
      'INVALID_REQUEST query The query string nests too deep.',
    ])
  })

  it('are plain parameters, of which a repeated one is an array', () => {
    expect({ ...toPlainParameters(parseQuery('a=1&b=2&a=3&a=4&c[d]=5')) }).to.deep.equal({
      a: ['1', '3', '4'],
      b: '2',
      'c[d]': '5',
    })
    expect(Object.keys(toPlainParameters(parseQuery('__proto__=1')))).to.deep.equal(['__proto__'])
  })

  it('are trees of what stands in brackets, and texts without', () => {
    const create = (query: string) => {
      const conflicts: string[] = []
      const { texts, tree } = createParameterTree(parseQuery(query), (path) => conflicts.push(path))
      return [texts, toPlainTree(tree), conflicts]
    }
    expect(create('f=x&f[a][b]=1&f[a][b]=2&f[a][c]=3&f=y&f[d]=4')).to.deep.equal([
      ['x', 'y'],
      { a: { b: ['1', '2'], c: ['3'] }, d: ['4'] },
      [],
    ])
    expect(create('f[a]=1&f[a][b]=2')).to.deep.equal([[], { a: ['1'] }, ['f[a][b]']])
    expect(create('f[a][b]=1&f[a]=2')).to.deep.equal([[], { a: { b: ['1'] } }, ['f[a]']])
    expect(create('f[a]=1&f[a][b][c]=2')).to.deep.equal([[], { a: ['1'] }, ['f[a][b][c]']])
  })
})

describe('Values of filters', () => {
  const parse = (kind: FilterField['kind'], value: unknown) =>
    parseFilterValue({ kind, operators: ['eq'], values: ['draft', 'issued'] }, value)
  const uuid = '018f3f6e-7b1a-7c3d-9e2f-0123456789ab'

  it('have the type of their field', () => {
    for (const [kind, value, expected] of [
      ['uuid', uuid.toUpperCase(), uuid],
      ['enum', 'draft', 'draft'],
      ['text', 'x'.repeat(1_000), 'x'.repeat(1_000)],
      ['text', '', ''],
      ['integer', '-12', -12],
      ['integer', 5, 5],
      ['integer', '9007199254740991', 9_007_199_254_740_991],
      ['instant', '2024-02-29T23:59:59Z', '2024-02-29T23:59:59Z'],
      ['instant', '2026-03-01T10:00:00.123456Z', '2026-03-01T10:00:00.123456Z'],
    ] as const)
      expect(parse(kind, value), `${kind} ${value}`).to.equal(expected)
  })

  it('are refused where they are none', () => {
    for (const [kind, value] of [
      ['uuid', `${uuid}0`],
      ['uuid', uuid.replaceAll('-', '')],
      ['enum', 'other'],
      ['enum', 'Draft'],
      ['text', 'x'.repeat(1_001)],
      ['text', 'a\0b'],
      ['text', '\ud800'],
      ['text', 5],
      ['integer', '1.5'],
      ['integer', 1.5],
      ['integer', '9007199254740992'],
      ['integer', ''],
      ['integer', true],
      ['instant', '2026-02-29T00:00:00Z'],
      ['instant', '2026-04-31T00:00:00Z'],
      ['instant', '0000-01-01T00:00:00Z'],
      ['instant', '2026-03-01T24:00:01Z'],
      ['instant', '2026-03-01T10:00:00+00:00'],
      ['instant', '2026-03-01T10:00:00.1234567890Z'],
    ] as const)
      expect(parse(kind, value), `${kind} ${value}`).to.equal(undefined)
  })

  it('are cut to microseconds, and never equal a row that they lie behind', () => {
    for (const [sent, expected] of [
      ['2026-03-01T10:00:00.1234567Z', '2026-03-01T10:00:00.123456Z'],
      ['2026-03-01T10:00:00.123000000Z', '2026-03-01T10:00:00.123000Z'],
      ['2026-03-01T10:00:00.123000001Z', '2026-03-01T10:00:00.123001Z'],
      ['2026-03-01T10:00:00.1230004Z', '2026-03-01T10:00:00.123001Z'],
      ['2026-03-01T10:00:00.1234001Z', '2026-03-01T10:00:00.123400Z'],
    ] as const)
      expect(parse('instant', sent), sent).to.equal(expected)
  })
})
