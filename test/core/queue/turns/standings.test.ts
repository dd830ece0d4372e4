import { expect } from 'chai'
import { JobTurns } from '../../../../core/queue/engine/turns.ts'

const [a, b, c] = ['a', 'b', 'c'].map((organization) => ({ organization, weight: 1 })) as [Job, Job, Job]

interface Job {
  organization: string
  weight: number
}

const listOf = (job: Job, count: number) => Array.from({ length: count }, () => job)

/** Takes jobs as a worker does. */
const take = (turns: JobTurns, jobs: readonly Job[]) => turns.recordTaken(jobs, turns.getStandings())

/** Turns of a process whose runs have taken `milliseconds` so far, without an organization that it knows. */
function createTurns(slots: number, milliseconds: number): JobTurns {
  const turns = new JobTurns(slots)
  take(turns, [a])
  turns.recordEnded(a, milliseconds, 1)
  return turns
}

describe('Job queue: standings of organizations in one worker', () => {
  it('begin with a job for each slot, and four for an organization', () => {
    expect(new JobTurns(8).getStandings()).to.deep.equal({ now: 0, cost: 1, known: [], room: 4, wanted: 8 })
  })

  it('charge each job what it is expected to cost, then what it took, by weight', () => {
    const turns = new JobTurns(8)
    const heavy = { ...b, weight: 2 }
    take(turns, [a, a, heavy])
    expect(turns.getStandings(), 'taken').to.deep.equal({
      now: 1,
      cost: 1,
      known: [
        { organization: 'a', begins: 2, room: 2 },
        { organization: 'b', begins: 1.5, room: 3 },
      ],
      room: 4,
      wanted: 5,
    })
    turns.recordEnded(a, 100, 1)
    turns.recordEnded(heavy, 20, 1)
    expect(turns.getStandings(), 'ended').to.deep.equal({
      now: 1,
      cost: 92,
      known: [
        { organization: 'a', begins: 101, room: 3 },
        { organization: 'b', begins: 11, room: 4 },
      ],
      room: 4,
      wanted: 7,
    })
    take(turns, [heavy])
    const { now, known } = turns.getStandings()
    expect([now, known[1]?.begins], 'the next one begins where its organization stood').to.deep.equal([11, 57])
  })

  it('charge a millisecond for a job that took less', () => {
    const turns = new JobTurns(8)
    take(turns, [a, b])
    turns.recordEnded(a, 0.2, 0.5)
    const { cost, known } = turns.getStandings()
    expect([cost, known[0]]).to.deep.equal([1, { organization: 'a', begins: 1.5, room: 32 }])
  })

  it('let an organization begin where the others are at the earliest, however little it used', () => {
    const turns = new JobTurns(8)
    const beginOf = ({ organization }: Job) =>
      turns.getStandings().known.find((each) => each.organization === organization)?.begins
    take(turns, [a, a, a])
    turns.recordEnded(a, 100, 1)
    take(turns, [b])
    turns.recordEnded(b, 1_000, 100)
    expect([turns.getStandings().now, beginOf(a), beginOf(b)]).to.deep.equal([2, 102, 1_002])
    take(turns, [b])
    expect([turns.getStandings().now, beginOf(b)], 'the mean is 190').to.deep.equal([102, 1_192])
    turns.recordEnded(a, 1, 100)
    expect(beginOf(a), 'it was charged too much').to.equal(3)
    const { now, cost } = turns.getStandings()
    take(turns, [a, c])
    expect([beginOf(a), beginOf(c), turns.getStandings().now]).to.deep.equal([now + cost, now + cost, now])
  })

  it('count runs as quick below a mean of five milliseconds', () => {
    expect(createTurns(2, 5).getStandings()).to.include({ cost: 5, room: 4, wanted: 2 })
    const quick = createTurns(2, 4.9)
    expect(quick.getStandings()).to.include({ cost: 4.9, room: 32, wanted: 16 })
    take(quick, listOf(b, 3))
    expect(quick.getStandings().wanted).to.equal(13)
  })

  it('never want less than nothing, and look again after a slot that all jobs in hand left to nobody', () => {
    const turns = createTurns(8, 1)
    const all = [...listOf(a, 6), ...listOf(b, 6), ...listOf(c, 6)]
    take(turns, all)
    turns.recordEnded(a, 500, 1)
    expect(turns.getStandings(), 'each of the three has more than four').to.include({ wanted: 0, room: 4 })
    expect(turns.recordEnded(b, 500, 1), 'there may be more').to.equal(true)
  })

  it('have nothing more to take once a search found less than it might', () => {
    const turns = new JobTurns(2)
    take(turns, [a, b])
    expect(turns.recordEnded(a, 500, 1), 'as many as it might').to.equal(true)
    take(turns, [])
    expect(turns.recordEnded(b, 500, 1), 'nothing').to.equal(false)
  })

  it('forget that a search found all it might as soon as the next search begins', () => {
    const turns = new JobTurns(2)
    take(turns, [a, b])
    turns.recordEnded(a, 500, 1)
    turns.getStandings()
    expect(turns.recordEnded(b, 500, 1)).to.equal(false)
  })

  it('look again while runs are quick once no more jobs are in hand than there are slots', () => {
    const turns = createTurns(2, 1)
    take(turns, [...listOf(a, 4), ...listOf(b, 4), ...listOf(c, 8)])
    const answers = [...listOf(c, 8), ...listOf(a, 4), ...listOf(b, 3)].map((job) => turns.recordEnded(job, 1, 1))
    expect(answers.lastIndexOf(false), 'the thirteenth of sixteen').to.equal(12)
    expect(answers.slice(13)).to.deep.equal([true, true])
  })

  it('let an organization go on that had no room, when most of its quick jobs are done', () => {
    const turns = createTurns(8, 1)
    take(turns, listOf(a, 10))
    turns.getStandings()
    const answers = listOf(a, 7).map((job) => turns.recordEnded(job, 1, 1))
    expect(answers).to.deep.equal([false, false, false, false, false, true, false])
  })

  it('keep an organization without jobs only while it is ahead of others or may have more', () => {
    const turns = new JobTurns(8)
    const listKnown = () => turns.getStandings().known.map(({ organization }) => organization)
    take(turns, [a, b])
    turns.recordEnded(a, 100, 1)
    expect(listKnown(), 'ahead').to.deep.equal(['a', 'b'])
    turns.recordEnded(b, 100, 1)
    expect(listKnown(), 'with nobody at work').to.deep.equal([])
    take(turns, listOf(c, 4))
    for (const job of listOf(c, 4)) turns.recordEnded(job, 100, 1)
    expect(listKnown(), 'after its last').to.deep.equal([])
  })

  it('keep no organization that is exactly where the others are, and let only those with jobs say where that is', () => {
    const turns = new JobTurns(8)
    const listKnown = () => turns.getStandings().known.map(({ organization }) => organization)
    take(turns, [a, b, c])
    turns.recordEnded(b, 1, 2)
    expect(listKnown()).to.deep.equal(['a', 'c'])
    turns.recordEnded(c, 20, 1)
    take(turns, [a])
    turns.recordEnded(a, 100, 1)
    take(turns, [a])
    expect(listKnown(), 'c stood behind').to.deep.equal(['a'])
    expect(turns.getStandings().now, 'where a stood').to.be.above(100)
  })

  it('let an organization that had no room go on once, when the runs have become quick', () => {
    const turns = new JobTurns(8)
    take(turns, [...listOf(a, 4), b])
    expect(turns.recordEnded(b, 1, 1)).to.equal(false)
    take(turns, [a])
    expect(turns.recordEnded(a, 1, 1), 'it had no more than that').to.equal(false)
  })

  it('answer for an organization that they do not know as for all', () => {
    expect(new JobTurns(1).recordEnded(b, 500, 1)).to.equal(false)
    const turns = new JobTurns(1)
    take(turns, [a])
    expect(turns.recordEnded(b, 500, 1)).to.equal(true)
  })
})
