import { expect } from 'chai'
import { maxRunning } from '../../../core/kernel/places.ts'
import { Turns } from '../../../core/queue/turns.ts'

describe('the standings of organizations in a worker', () => {
  const a = { organization: '0197f000-0000-7000-8000-00000000000a', weight: 1 }

  it('leave places to others while many jobs are in hand that were taken for quick ones', () => {
    const turns = new Turns(8)
    const take = (count: number) => turns.take(Array.from({ length: count }, () => a), turns.standings())
    const end = (count: number, milliseconds: number) => {
      for (let at = 0; at < count; at++) turns.end(a, milliseconds, 1)
    }
    take(8)
    end(8, 1)
    const { room } = turns.standings()
    expect(room, 'jobs that an organization gets while they are quick').to.be.above(8)
    take(room)
    end(maxRunning, 500)
    const slow = turns.standings()
    expect(slow.room).to.equal(maxRunning)
    expect(slow.known).to.deep.include({ organization: a.organization, begins: slow.known[0]?.begins, room: 0 })
    expect(slow.wanted, 'places for others').to.equal(8 - maxRunning)
  })

  it('forget organizations that wait for nothing and are not ahead of others', () => {
    const turns = new Turns(8)
    const run = (organization: string) => {
      const standings = turns.standings()
      turns.take([{ organization, weight: 1 }], standings)
      return () => turns.end({ organization, weight: 1 }, 10, standings.cost)
    }
    let end = run(a.organization)
    for (let at = 0; at < 1_000; at++) {
      run(`organization ${at}`)()
      const next = run(a.organization)
      end()
      end = next
    }
    expect(turns.standings().known.length, 'while one always has a job in hand').to.be.below(20)
    end()
    expect(turns.standings().known, 'when all is done').to.deep.equal([])
  })
})
