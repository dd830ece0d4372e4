import { expect } from 'chai'
import { isHarmfulAddress, isLinkAddress } from '../../../core/kernel/text/addresses.ts'
import { computeCheckDigit } from '../../../core/kernel/text/check-digit.ts'

describe('Check digits', () => {
  it('are those of GS1 for numbers of every length', () => {
    for (const [digits, checkDigit] of [
      ['629104150021', '3'],
      ['9312345', '7'],
      ['03600029145', '2'],
      ['000009312345', '7'],
      ['37610425002123456', '9'],
      ['000000000000', '0'],
      ['1', '7'],
    ] as const)
      expect(computeCheckDigit(digits), digits).to.equal(checkDigit)
  })
})

describe('Harmful addresses', () => {
  it('have a colon', () => {
    for (const text of ['view-source', 'view-sourcex', 'filesystemx', 'x'])
      expect(isHarmfulAddress(text), text).to.equal(false)
    expect(isHarmfulAddress('x:y')).to.equal(false)
  })

  it('are suspected where a thousand characters before the colon are hidden, and not where they are seen', () => {
    const hide = (count: number) => `note${'\u200b'.repeat(count - 4)}:x`
    expect([isHarmfulAddress(hide(1_000)), isHarmfulAddress(hide(1_001))]).to.deep.equal([false, true])
    expect(isHarmfulAddress(`${'a'.repeat(1_100)}: x`)).to.equal(false)
  })
})

describe('Addresses of links', () => {
  it('have a host and a port that can be read, but for those of IPFS, whose host is a content identifier', () => {
    for (const [scheme, takesOthers] of [
      ['https', false],
      ['http', false],
      ['ipfs', true],
    ] as const) {
      expect(isLinkAddress(`${scheme}://a.example:8080/b`), scheme).to.equal(true)
      for (const rest of ['a.example:99999/b', '[a/b'])
        expect(isLinkAddress(`${scheme}://${rest}`), `${scheme}://${rest}`).to.equal(takesOthers)
    }
  })
})
