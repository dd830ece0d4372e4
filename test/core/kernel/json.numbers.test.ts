import { expect } from 'chai'
import { findHazards } from '../../../core/kernel/json/hazards.ts'
import { findInexactNumbers, isExactNumber, scanJson } from '../../../core/kernel/json/json.ts'
import { isObject, parseJson } from '../../../core/kernel/json/values.ts'

describe('Numbers of JSON: what stands around them', () => {
  it('is no number, though some words have an e like an exponent', () => {
    expect(scanJson('[true,false,null]')).to.deep.equal({ memberCount: 0, isExact: true })
    expect(scanJson(' [ 9007199254740992 ] ')).to.deep.equal({ memberCount: 0, isExact: true })
    expect(scanJson('{ "e" : false , "f" : "e" }')).to.deep.equal({ memberCount: 2, isExact: true })
  })

  it('does not make a number of the digits behind a point', () => {
    expect(isExactNumber('0.9999999999999999')).to.equal(true)
    expect(isExactNumber('9999999999999999')).to.equal(false)
    expect(scanJson('[0.9999999999999999]').isExact).to.equal(true)
    expect(findInexactNumbers('[0.9999999999999999]', 10)).to.deep.equal([])
  })

  it('does not change the paths of those that are not exact', () => {
    const inexact = '9007199254740993'
    for (const [text, path] of [
      [`[true, ${inexact}]`, '[1]'],
      [`[ null , false , ${inexact} ]`, '[2]'],
      [`{ "a" : ${inexact} }`, 'a'],
      [`{ "a" : true , "b" : "c" , "d" : [ "e" , ${inexact} ] }`, 'd[1]'],
      [`{"a":{"":${inexact}}}`, 'a'],
      [`{"":{"a":${inexact}}}`, 'a'],
      [` ${inexact} `, ''],
    ] as const)
      expect(findInexactNumbers(text, 10), text).to.deep.equal([path])
  })
})

describe('Numbers of JSON: the same value in another spelling', () => {
  it('is exact, wherever its point stands', () => {
    for (const text of ['0.000000123456789', '123456789.0000000000', '0.0000001234567890123456', '1234567890123e-20'])
      expect(isExactNumber(text), text).to.equal(true)
    expect(findInexactNumbers('[9007199254740992, 1e3, 0.000000123456789]', 10)).to.deep.equal([])
  })
})

describe('Hazards of a JSON value: what is counted', () => {
  const hazardsOf = (text: string) => findHazards(JSON.parse(text), text).hazards

  it('is never a null', () => {
    expect(findHazards(null, 'null')).to.deep.equal({ hazards: [], isIncomplete: false, hasDuplicateNames: false })
    expect(hazardsOf('{"a":null,"b":[null]}')).to.deep.equal([])
  })

  it('is at most a hundred of both kinds together', () => {
    const texts = Array.from({ length: 60 }, () => '"\\u0000"')
    const numbers = Array.from({ length: 60 }, () => '9007199254740993')
    const hazards = hazardsOf(`[${[...texts, ...numbers].join()}]`)
    expect(hazards).to.have.length(100)
    expect(hazards.filter(({ code }) => code === 'not_exact')).to.have.length(40)
  })
})

describe('JSON values', () => {
  it('are read from text, and undefined if the text is none', () => {
    expect(['{"a":[1]}', 'null', '0'].map(parseJson)).to.deep.equal([{ a: [1] }, null, 0])
    expect(['', '{', 'undefined'].map(parseJson)).to.deep.equal([undefined, undefined, undefined])
  })

  it('are objects if they are neither null nor a list', () => {
    expect([{}, { a: 1 }, null, [], 'a', 1, undefined].map(isObject)).to.deep.equal([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ])
  })
})
