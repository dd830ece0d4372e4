import { expect } from 'chai'
import { maxSlotsPerOrganization } from '../../../../core/kernel/process/slot-pool.ts'
import { JobTurns } from '../../../../core/queue/engine/turns.ts'

describe('Job queue: shares of organizations in one worker', () => {
  const a = { organization: '0197f000-0000-7000-8000-00000000000a', weight: 1 }

  it('leave places to others while many jobs are in hand that were taken for quick ones', () => {
    const turns = new JobTurns(8)
    const take = (count: number) =>
      turns.recordTaken(
        Array.from({ length: count }, () => a),
        turns.getStandings(),
      )
    const end = (count: number, milliseconds: number) => {
      for (let at = 0; at < count; at++) turns.recordEnded(a, milliseconds, 1)
    }
    take(8)
    end(8, 1)
    const { room } = turns.getStandings()
    expect(room, 'jobs that an organization gets while they are quick').to.be.above(8)
    take(room)
    end(maxSlotsPerOrganization, 500)
    const slow = turns.getStandings()
    expect(slow.room).to.equal(maxSlotsPerOrganization)
    expect(slow.known).to.deep.include({ organization: a.organization, begins: slow.known[0]?.begins, room: 0 })
    expect(slow.wanted, 'places for others').to.equal(8 - maxSlotsPerOrganization)
  })

  it('get more quick jobs only when most of those in hand are done', () => {
    const turns = new JobTurns(8)
    const take = (count: number) =>
      turns.recordTaken(
        Array.from({ length: count }, () => a),
        turns.getStandings(),
      )
    const endQuickly = (count: number) => {
      for (let at = 0; at < count; at++) turns.recordEnded(a, 1, 1)
    }
    const getRoom = () => turns.getStandings().known[0]?.room
    take(8)
    endQuickly(8)
    const { room, wanted } = turns.getStandings()
    take(room)
    expect(turns.getStandings().wanted, 'what others may get beside those in hand').to.equal(wanted - room)
    endQuickly(room - maxSlotsPerOrganization - 1)
    expect(getRoom(), 'one more in hand than it has places').to.equal(0)
    endQuickly(1)
    expect(getRoom(), 'as many as it has places').to.equal(room - maxSlotsPerOrganization)
  })

  it('let an organization go on that had all it may have, as soon as one of its jobs ends', () => {
    const turns = new JobTurns(8)
    const takeOf = (count: number) =>
      turns.recordTaken(
        Array.from({ length: count }, () => a),
        turns.getStandings(),
      )
    takeOf(maxSlotsPerOrganization)
    expect(turns.recordEnded(a, 500, 1), 'more of its jobs may wait').to.equal(true)
    expect(turns.recordEnded(a, 500, 1), 'they have been asked for already').to.equal(false)
    takeOf(1)
    expect(turns.recordEnded(a, 500, 1), 'there were no more than one').to.equal(false)
  })

  it('let the one with the weight of four begin four times as often', () => {
    const turns = new JobTurns(1)
    const [light, heavy] = [a, { organization: '0197f000-0000-7000-8000-00000000000b', weight: 4 }]
    const begins: string[] = []
    for (let at = 0; at < 50; at++) {
      const standings = turns.getStandings()
      const findBegin = ({ organization }: { organization: string }) =>
        standings.known.find((each) => each.organization === organization)?.begins ?? standings.now
      const next = findBegin(heavy) <= findBegin(light) ? heavy : light
      turns.recordTaken([next], standings)
      turns.recordEnded(next, 100, standings.cost)
      begins.push(next.organization)
    }
    expect(begins.filter((organization) => organization === heavy.organization)).to.have.length(40)
  })

  it('forget organizations that wait for nothing and are not ahead of others', () => {
    const turns = new JobTurns(8)
    const run = (organization: string) => {
      const standings = turns.getStandings()
      turns.recordTaken([{ organization, weight: 1 }], standings)
      return () => turns.recordEnded({ organization, weight: 1 }, 10, standings.cost)
    }
    let end = run(a.organization)
    for (let at = 0; at < 1_000; at++) {
      run(`organization ${at}`)()
      const next = run(a.organization)
      end()
      end = next
    }
    expect(turns.getStandings().known.length, 'while one always has a job in hand').to.be.below(20)
    end()
    expect(turns.getStandings().known, 'when all is done').to.deep.equal([])
  })
})
