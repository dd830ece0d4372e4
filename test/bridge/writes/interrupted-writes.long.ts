import { randomInt } from 'node:crypto'
import { expect } from 'chai'
import { runInterruptedWrites } from './interrupted-writes.ts'

const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31))

describe('Bridge: 500 random aborts and retries of writes', function () {
  this.timeout(600_000)

  it(`makes each once (SEED=${seed})`, async () => {
    const run = await runInterruptedWrites(500, seed)
    console.log(
      `500 things with seed ${seed}: ${run.calls} calls, ${run.lost} answers lost on purpose, `
        + `${run.answeredAgain} things whose last call got the first answer; each was made once`,
    )
    expect(run.lost).to.be.above(500)
    expect(run.answeredAgain).to.be.above(100)
  })
})
