import { expect } from 'chai'
import { rules } from '../../../../core/features/imports/suggest/lexical/lexical.rules.ts'
import { passportSink } from '../../../../core/features/dpp/index.ts'

describe('Rules by which headings are matched', () => {
  it('lead to destinations of passports only: another one would never be suggested', () => {
    const known = new Set(passportSink.destinations.map(({ path }) => path))
    expect(rules.map(({ path }) => path).filter((path) => !known.has(path))).to.deep.equal([])
    expect(rules).to.have.length.above(30)
  })
})
