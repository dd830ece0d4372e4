import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { JobLeases, type JobParking } from '../../../../core/queue/engine/leases.ts'
import type { Standings } from '../../../../core/queue/engine/turns.ts'
import { FakeDatabase, type SentStatement } from '../fakes/fake-database.ts'

const lowest = '00000000-0000-0000-0000-000000000000'

describe('Job queue: what the database answers about leases', () => {
  const createLeases = (answer: (statement: SentStatement) => readonly object[]) => {
    const database = new FakeDatabase(answer)
    return { database, leases: new JobLeases({ db: database.knex, types: ['mint', 'claim'], worker: () => 77 }) }
  }
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()]

  it('is told to each run of a batch: whether its job was still its own', async () => {
    const { database, leases } = createLeases(() => [{ id: third }, { id: first }])
    const answers = await Promise.all(
      [first, second, third].map((id, at) =>
        leases.completeJob({ id, holder: `holder ${at}`, result: at === 1 ? null : { at } }),
      ),
    )
    expect(answers).to.deep.equal([true, false, true])
    expect(database.statements.map(({ bindings }) => bindings)).to.deep.equal([
      [
        [first, second, third],
        ['holder 0', 'holder 1', 'holder 2'],
        ['{"at":0}', null, '{"at":2}'],
      ],
    ])
    expect(database.statements[0]?.sql).to.include(`status = 'completed'`)
  })

  it('is told to each that parks its job: whether the job is due at once', async () => {
    const { database, leases } = createLeases(() => [
      { id: first, due: true },
      { id: second, due: false },
    ])
    const parkings: JobParking[] = [
      { id: first, holder: 'a', kind: 'handback', seconds: 0 },
      { id: second, holder: 'b', kind: 'waiting', seconds: 1.5 },
      { id: third, holder: 'c', kind: 'retry', seconds: 3 },
    ]
    expect(await Promise.all(parkings.map((each) => leases.parkJob(each)))).to.deep.equal([true, false, false])
    expect(database.statements.map(({ bindings }) => bindings)).to.deep.equal([
      [
        [first, second, third],
        ['a', 'b', 'c'],
        ['handback', 'waiting', 'retry'],
        [0, 1.5, 3],
      ],
    ])
  })

  it('says who still holds a job, who is gone, who is unknown and whose lease has ended', async () => {
    const { database, leases } = createLeases(({ sql }) =>
      sql.includes('number') ? [{ number: 5 }, { number: 6 }] : [{ lease_holder: 'a' }, { lease_holder: 'b' }],
    )
    const held = [
      { id: first, holder: 'a' },
      { id: second, holder: 'c' },
    ]
    expect([...(await leases.renewLeases(held))]).to.deep.equal(['a', 'b'])
    expect(await leases.listGoneWorkers()).to.deep.equal([5, 6])
    expect(await leases.listStrayHolders(['c'])).to.deep.equal(['a', 'b'])
    expect(await leases.listEndedHolders()).to.deep.equal(['a', 'b'])
    expect(await leases.expireLeases(['a', 'b', 'c'])).to.equal(2)
    const [renewed, gone, stray, , expired] = database.statements.map(({ bindings }) => bindings)
    const ids = [first, second]
    expect(renewed).to.deep.equal([ids, ['a', 'c'], 77, ids])
    expect(database.find('with over as')[0]?.sql, 'beyond what a lease can last').to.include(`interval '15 s'`)
    expect([gone?.[0], stray, expired]).to.deep.equal([77, [77, ['c']], [['a', 'b', 'c']]])
  })

  it('is awaited where jobs are made due', async () => {
    const { database, leases } = createLeases(() => [])
    await leases.dropHolders(['a'])
    expect([database.statements.length, database.openCount], 'of holders').to.deep.equal([1, 0])
    await leases.freeJobsOfWorkers([5])
    expect([database.statements.length, database.openCount], 'of workers').to.deep.equal([2, 0])
    expect(database.statements.map(({ bindings }) => bindings)).to.deep.equal([[['a']], [[5]]])
  })

  const standings: Standings = {
    now: 3,
    cost: 2,
    known: [
      { organization: first, begins: 4, room: 1 },
      { organization: second, begins: 5, room: 0 },
    ],
    room: 4,
    wanted: 2,
  }
  const job = (id: string) => ({ id, after: null })

  it('ends a search for jobs that has looked at all organizations', async () => {
    const { database, leases } = createLeases(() => [job('one')])
    const taken = await leases.takeDueJobs(standings)
    expect(taken.map(({ id }) => id)).to.deep.equal(['one'])
    expect(database.statements.map(({ bindings }) => bindings)).to.deep.equal([
      [lowest, 3, 2, 4, 2, [first, second], [4, 5], [1, 0], ['mint', 'claim'], 2, 2, 77],
    ])
    const { leases: idle } = createLeases(() => [{ id: null, after: null }])
    expect(await idle.takeDueJobs(standings)).to.deep.equal([])
    const { leases: silent } = createLeases(() => [])
    expect(await silent.takeDueJobs(standings)).to.deep.equal([])
  })

  it('goes on behind the last organization that was looked at, for the jobs that are still wanted', async () => {
    const answers: object[][] = [[{ id: 'one', after: second }], [{ id: 'two', after: third }]]
    const { database, leases } = createLeases(() => answers.shift() ?? [])
    expect((await leases.takeDueJobs(standings)).map(({ id }) => id)).to.deep.equal(['one', 'two'])
    expect(database.statements.map(({ bindings: [after, , , , wanted] }) => [after, wanted])).to.deep.equal([
      [lowest, 2],
      [second, 1],
    ])
    answers.push([{ id: 'three', after: null }], [{ id: null, after: null }])
    expect((await leases.takeDueJobs(standings)).map(({ id }) => id)).to.deep.equal(['three'])
    const later = database.statements.slice(2).map(({ bindings: [after, , , , wanted] }) => [after, wanted])
    expect(later, 'from there to the end, then once from the beginning').to.deep.equal([
      [third, 2],
      [lowest, 1],
    ])
  })

  it('begins once from the first organizations where it began behind them and looked in several parts', async () => {
    const answers: object[][] = [[{ id: 'one', after: second }]]
    const { database, leases } = createLeases(() => answers.shift() ?? [])
    await leases.takeDueJobs({ ...standings, wanted: 1 })
    answers.push([{ id: null, after: third }], [{ id: null, after: null }], [{ id: null, after: null }])
    database.statements.length = 0
    expect(await leases.takeDueJobs(standings)).to.deep.equal([])
    expect(database.statements.map(({ bindings: [after] }) => after)).to.deep.equal([second, third, lowest])
  })
})
