import { expect } from 'chai'
import fc from 'fast-check'
import { cutJson, formatCuts } from '../../../tools/results/cut-json.ts'
import { parseExactJson } from '../../../tools/json.ts'

const countBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** Returns whether a value is the other one, or a beginning of it: no value was changed or made up. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string' && typeof whole === 'string') return whole.startsWith(part)
  if (Array.isArray(part) && Array.isArray(whole)) return part.every((entry, index) => isPartOf(entry, whole[index]))
  if (typeof part === 'object' && part !== null && !Array.isArray(part))
    return Object.entries(part).every(
      ([name, member]) =>
        Object.hasOwn(whole as object, name) && isPartOf(member, (whole as Record<string, unknown>)[name]),
    )
  return Object.is(part, whole)
}

describe('tools/results: a JSON value that is cut', () => {
  it('fits, and is a part of the value, whatever stands in it', () => {
    const values = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()), fc.string())
    fc.assert(
      fc.property(values, fc.integer({ min: 32, max: 2000 }), (value, maxBytes) => {
        const { value: part, cuts } = cutJson(value, maxBytes)
        expect(countBytes(part)).to.be.at.most(maxBytes)
        expect(isPartOf(part, value)).to.equal(true)
        expect(cuts.length === 0).to.equal(countBytes(value) <= maxBytes)
        if (cuts.length === 0) expect(part).to.equal(value)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps each number whole, and names the members that it leaves out', () => {
    const members = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`m${index}`, 1_234_567_890 + index]))
    const { value, cuts } = cutJson(members, 4096)
    const names = Object.keys(value as object)
    expect(value).to.deep.equal(Object.fromEntries(Object.entries(members).slice(0, names.length)))
    expect(names.length).to.be.within(200, 300)
    expect(cuts).to.deep.equal([{ path: '', unit: 'members', shown: names.length, of: 1000 }])
    expect(formatCuts(cuts, 'It')).to.equal(`It has the first ${names.length} of 1000 members.`)
  })

  it('keeps small members whole, and fills the space', () => {
    const list = Array.from({ length: 1000 }, (_, index) => `row ${index}`)
    const { value, cuts } = cutJson({ list, total: 1000, note: 'short', inner: { text: 'é'.repeat(5000) } }, 8192)
    expect(value).to.include({ total: 1000, note: 'short' })
    expect(countBytes(value)).to.be.within(8192 - 32, 8192)
    expect(cuts.map(({ path, unit }) => `${path} ${unit}`)).to.deep.equal(['list entries', 'inner.text bytes'])
  })

  it('keeps a number with many digits as it is written', () => {
    const value = parseExactJson('{"n":123456789012345678901234567890,"text":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}')
    expect(JSON.stringify(cutJson(value, 64).value)).to.match(/^\{"n":123456789012345678901234567890,"text":"a+"\}$/)
  })
})
