import { expect } from 'chai'
import { formatDottedPath } from '../../../core/kernel/json/dotted-path.ts'
import { findHazards } from '../../../core/kernel/json/hazards.ts'
import { findInexactNumbers, isExactNumber, parseStrictJson, scanJson } from '../../../core/kernel/json/json.ts'
import { mergePatch } from '../../../core/kernel/json/merge-patch.ts'

const hazardsOf = (text: string) => findHazards(JSON.parse(text), text)
const codesOf = (text: string) => hazardsOf(text).hazards.map(({ path, code }) => `${path} ${code}`)
const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('Numbers of JSON', () => {
  it('are exact if a double keeps all of their digits', () => {
    const exact = ['0', '-0', '1.10', '1e3', '100000000000000000000', '0.1', '123456789012345', '-1.5E-7', '0e9']
    expect(exact.filter((text) => !isExactNumber(text))).to.deep.equal([])
    const inexact = ['12345678901234567890', '1e400', '-1e400', '0.12345678901234567890', '9007199254740993', '1e-400']
    expect(inexact.filter((text) => isExactNumber(text))).to.deep.equal([])
  })

  it('are exact up to fifteen characters, whatever they are, and by their value beyond', () => {
    expect(isExactNumber('999999999999999')).to.equal(true)
    expect(isExactNumber('9007199254740992')).to.equal(true)
    expect(isExactNumber('0.0000000000001')).to.equal(true)
    expect(isExactNumber('00000000000000001')).to.equal(true)
    expect(isExactNumber('-9007199254740993')).to.equal(false)
    expect(isExactNumber(' '.repeat(16)), 'no digits at all').to.equal(false)
  })

  it('are found in one pass, with the members of all objects', () => {
    expect(scanJson('{"a":1,"b":{"c":[1,2,{"d":":"}]}}')).to.deep.equal({ memberCount: 4, isExact: true })
    expect(scanJson('{"a":"\\":1","b":"\\\\"}')).to.deep.equal({ memberCount: 2, isExact: true })
    expect(scanJson('[1,12345678901234567890,2]')).to.deep.equal({ memberCount: 0, isExact: false })
    expect(scanJson('[-12345678901234567890]').isExact).to.equal(false)
    expect(scanJson('"12345678901234567890"').isExact).to.equal(true)
    expect(scanJson('[1e400]').isExact).to.equal(false)
    expect(scanJson('{"a":10000000000000000000,"b":1}')).to.deep.equal({ memberCount: 2, isExact: true })
  })

  it('are named by their path if a double does not keep them', () => {
    const text = '{"a":[1,{"b":12345678901234567890},1e400],"c":"9007199254740993","d":-9007199254740993,"e":1}'
    expect(findInexactNumbers(text, 10)).to.deep.equal(['a[1].b', 'a[2]', 'd'])
    expect(findInexactNumbers(text, 2)).to.deep.equal(['a[1].b', 'a[2]'])
    expect(findInexactNumbers('[[1,2],[3,9007199254740993]]', 10)).to.deep.equal(['[1][1]'])
    expect(findInexactNumbers('9007199254740993', 10)).to.deep.equal([''])
    expect(findInexactNumbers('"9007199254740993"', 10)).to.deep.equal([])
    expect(findInexactNumbers('{"a\\"b":9007199254740993}', 10)).to.deep.equal(['a"b'])
    expect(findInexactNumbers('{"a":{"x":"y"},"b":9007199254740993}', 10)).to.deep.equal(['b'])
  })
})

describe('Strict JSON', () => {
  const parse = (text: string) => parseStrictJson(Buffer.from(text))

  it('is parsed like JSON', () => {
    expect(parse('{"a":[1,{"b":null,"c":[]}],"d":"x:y"}')).to.deep.equal({ a: [1, { b: null, c: [] }], d: 'x:y' })
    expect([parse('1'), parse('null'), parse('"a"')]).to.deep.equal([1, null, 'a'])
  })

  it('is refused if it is no JSON, no UTF-8, or names a member twice', () => {
    for (const text of ['', '{', '{"a":1,"a":1}', '[{"b":{"a":1,"a":2}}]'])
      expect(parse(text), text).to.equal(undefined)
    expect(parseStrictJson(Buffer.from([0x22, 0xff, 0x22]))).to.equal(undefined)
  })
})

describe('Hazards of a JSON value', () => {
  it('are texts that are none, in values and in names', () => {
    expect(codesOf('{"a":"\\u0000","b":["x","\\ud800"],"c":{"d\\u0000":1}}').sort()).to.deep.equal([
      'a text',
      'b[1] text',
      'c name',
    ])
    expect(codesOf('"\\u0000"')).to.deep.equal(['body text'])
    expect(
      codesOf('{"a":{"\\u0000":{"b":"\\u0000"},"":["\\u0000"]}}').sort(),
      'behind names that cannot be shown',
    ).to.deep.equal(['a name', 'a.b text', 'a[0] text'])
    expect(codesOf('{"a":"\\u00e9"}')).to.deep.equal([])
    expect(findHazards({ a: '\0' }, null).hazards).to.deep.equal([
      { path: 'a', code: 'text', message: 'has a character that is not text' },
    ])
  })

  it('are numbers past the range or with too many digits, each once', () => {
    expect(codesOf('{"a":1e400,"b":9007199254740993,"c":1}')).to.deep.equal(['a not_finite', 'b not_exact'])
    expect(codesOf('9007199254740993')).to.deep.equal(['body not_exact'])
    expect(hazardsOf('[9007199254740993]').hazards[0]?.message).to.contain('send it as text')
  })

  it('are a nesting deeper than 64', () => {
    expect(hazardsOf(nest(64))).to.deep.equal({ hazards: [], hasDuplicateNames: false, isIncomplete: false })
    const { hazards, isIncomplete } = hazardsOf(nest(65))
    expect(isIncomplete).to.equal(true)
    expect(hazards.map(({ code, message }) => [code, message])).to.deep.equal([['too_deep', 'nests deeper than 64']])
  })

  it('are members of the same name', () => {
    expect(hazardsOf('{"a":1,"b":{"c":1,"c":2}}').hasDuplicateNames).to.equal(true)
    expect(hazardsOf('{"a":{"c":1},"b":{"c":1}}').hasDuplicateNames).to.equal(false)
  })

  it('are looked for until there are a hundred', () => {
    const texts = (count: number) => JSON.stringify(Array.from({ length: count }, () => ['\0']))
    const few = hazardsOf(texts(99))
    expect([few.hazards.length, few.isIncomplete]).to.deep.equal([99, false])
    const many = hazardsOf(texts(150))
    expect([many.hazards.length, many.isIncomplete, many.hasDuplicateNames]).to.deep.equal([100, true, false])
    expect(codesOf(`[${Array.from({ length: 120 }, () => '9007199254740993').join()}]`)).to.have.length(100)
  })
})

describe('Dotted paths', () => {
  it('have names after points and indexes in brackets', () => {
    expect(formatDottedPath(['fields', 'parts', '0', 'name'])).to.equal('fields.parts[0].name')
    expect([formatDottedPath([]), formatDottedPath(['1', 'a'])]).to.deep.equal(['', '[1].a'])
  })

  it('have at most 100 characters a part and 500 in all', () => {
    expect(formatDottedPath(['a'.repeat(101)])).to.equal('a'.repeat(100))
    expect(formatDottedPath(Array.from({ length: 6 }, () => 'b'.repeat(100)))).to.have.length(500)
  })
})

describe('JSON Merge Patch', () => {
  it('merges objects, replaces lists and removes what is null, as RFC 7396 shows', () => {
    const cases: [unknown, unknown, unknown][] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [
        ['a', 'b'],
        ['c', 'd'],
        ['c', 'd'],
      ],
      [{ a: 'foo' }, null, null],
      [{ a: 'foo' }, 'bar', 'bar'],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: 'b', c: null }, { a: 'b' }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ]
    for (const [target, patch, result] of cases) expect(mergePatch(target, patch)).to.deep.equal(result)
  })

  it('changes neither of its arguments', () => {
    const [target, patch] = [{ a: { b: 1, c: 2 } }, { a: { b: null } }]
    expect(mergePatch(target, patch)).to.deep.equal({ a: { c: 2 } })
    expect([target, patch]).to.deep.equal([{ a: { b: 1, c: 2 } }, { a: { b: null } }])
  })
})
