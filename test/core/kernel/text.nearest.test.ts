import { expect } from 'chai'
import { askForNearest, findNearestNames } from '../../../core/kernel/text/nearest.ts'

const names = ['id', 'status', 'createdAt', 'updatedAt', 'product.name', 'product.modelNumber', 'mintedTo.id']

describe('The nearest names', () => {
  it('are those that somebody may have meant, whatever the case and the signs, the most alike first', () => {
    for (const [text, nearest] of [
      ['staus', 'status'],
      ['STATUS', 'status'],
      ['created_at', 'createdAt'],
      ['updated', 'updatedAt'],
      ['productName', 'product.name'],
      ['name', 'product.name'],
      ['data.modelNumber', 'product.modelNumber'],
      ['mintedTo', 'mintedTo.id'],
      ['ID', 'id'],
    ] as const)
      expect(findNearestNames(names, text)[0], text).to.equal(nearest)
    expect(findNearestNames(names, 'updatedDate')[0]).to.equal('updatedAt')
    expect(findNearestNames(names, 'date', 1)).to.have.length(1)
    expect(findNearestNames(names, 'product.name')).to.have.length.within(1, 3)
  })

  it('are none for a text that is like none of them', () => {
    for (const text of ['', 'x', 'zzzz', '.']) expect(findNearestNames(names, text), text).to.deep.equal([])
  })

  it('are asked for in half a sentence, or not at all', () => {
    expect(askForNearest(names, 'staus')).to.equal('; did you mean status?')
    expect(askForNearest(['ab', 'abc'], 'ab', 2)).to.equal('; did you mean ab or abc?')
    expect(askForNearest(names, 'zzzz')).to.equal('')
  })
})
