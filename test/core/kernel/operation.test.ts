import { expect } from 'chai'
import { declareOperation } from '../../../core/kernel/operation.ts'

describe('Declaration of an operation', () => {
  it('is refused a handler that only reads if it writes, because nothing would store the answer for its key', () => {
    const declare = (method: 'GET' | 'POST') =>
      declareOperation({
        id: 'look_v1',
        method,
        path: '/look',
        access: 'public',
        returns: { 200: { type: 'text/plain', description: 'A text.' } },
        document: { tag: 'Tests', summary: 'Look' },
      }).withReadHandler(async () => 'seen')
    expect(declare('GET').mode).to.equal('read')
    expect(() => declare('POST')).to.throw('look_v1 is no GET and needs another handler')
  })
})
