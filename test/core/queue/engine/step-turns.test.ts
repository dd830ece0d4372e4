import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { StepTurns } from '../../../../core/queue/engine/step-turns.ts'

describe('Turns of steps in a process', () => {
  const { signal } = new AbortController()

  it('are shared while another organization works, and with none while its only job rests', async () => {
    const turns = new StepTurns()
    turns.enter('a')
    expect(turns.isShared('a'), 'alone').to.equal(false)
    turns.enter('b')
    expect([turns.isShared('a'), turns.isShared('b')]).to.deep.equal([true, true])
    // Long enough that the next step of b has to rest.
    await turns.runStep('b', 'mint', signal, () => sleep(300))
    const ending = new AbortController()
    let hasBegun = false
    const next = turns.runStep('b', 'mint', ending.signal, async () => {
      hasBegun = true
    })
    expect([turns.isShared('a'), turns.isShared('b'), hasBegun]).to.deep.equal([false, true, false])
    ending.abort(new Error('b gives up'))
    expect(await next.catch((cause: Error) => cause.message)).to.equal('b gives up')
    expect(turns.isShared('a'), 'b works again').to.equal(true)
  })

  it('are still shared a moment after the other has ended', () => {
    const turns = new StepTurns()
    turns.enter('a')
    turns.enter('b')
    turns.leave('b')
    expect(turns.isShared('a')).to.equal(true)
  })
})
