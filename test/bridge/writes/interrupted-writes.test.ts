import { expect } from 'chai'
import { runInterruptedWrites } from './interrupted-writes.ts'

describe('Bridge: writes whose answers are lost', function () {
  this.timeout(120_000)

  it('makes each of 40 things once, through aborts and repeated calls at random moments', async () => {
    const { lost, answeredAgain } = await runInterruptedWrites(40, 40)
    expect(lost).to.be.above(30)
    expect(answeredAgain).to.be.above(0)
  })
})
