import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { takeBreath } from '../../../core/kernel/breath.ts'

describe('long work in pieces', () => {
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
        await takeBreath()
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
})
