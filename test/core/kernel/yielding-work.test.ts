import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { yieldToEventLoop } from '../../../core/kernel/process/event-loop.ts'

describe('core/kernel: long work in pieces that yield to other requests', () => {
  it('goes on by one piece in each turn of the event loop, each of several in its order', async () => {
    const pieces: string[][] = []
    let isDone = false
    const watching = (async () => {
      while (!isDone) {
        pieces.push([])
        await turn()
      }
    })()
    const work = async (name: string) => {
      for (let at = 0; at < 20; at++) {
        await yieldToEventLoop()
        pieces.at(-1)?.push(name)
      }
    }
    await Promise.all(['a', 'b', 'c'].map(work))
    isDone = true
    await watching
    expect(Math.max(...pieces.map(({ length }) => length)), 'pieces of one turn').to.equal(1)
    expect(pieces.flat().slice(0, 9).join('')).to.equal('abcabcabc')
    expect(pieces.flat()).to.have.length(60)
  })

  it('leaves nothing in the event loop when the last piece has ended', async () => {
    await yieldToEventLoop()
    // A timer begins a turn; what was set before for its end has run by the second one.
    await sleep(1)
    const active = await new Promise<string[]>((resolve) => {
      setTimeout(() => resolve(process.getActiveResourcesInfo()), 1)
    })
    expect(active).not.to.include('Immediate')
  })
})
