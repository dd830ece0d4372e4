import { expect } from 'chai'
import { createEndedCondition, removeOldRows, type Retention } from '../../../../core/queue/upkeep/retention.ts'
import { FakeDatabase } from '../fakes/fake-database.ts'

describe('Retention: how rows are removed', () => {
  const before = new Date('2030-01-01T00:00:00Z')
  const at = new Date('2030-04-01T00:00:00Z')

  /** Removes rows where the database answers so many for each statement that deletes, and these jobs for each page. */
  async function remove(
    retention: Retention,
    { deleted = [], pages = [], now }: { deleted?: number[]; pages?: object[][]; now?: Date | null } = {},
  ) {
    const database = new FakeDatabase(({ sql }) => {
      if (sql.includes('make_interval')) return [{ before }]
      if (sql.includes('with recursive')) return pages.shift() ?? []
      return Array.from({ length: deleted.shift() ?? 0 }, () => ({}))
    })
    await removeOldRows(database.knex, 'things', retention, ...(now === undefined ? [] : [now]))
    expect(database.openCount).to.equal(0)
    return database
  }

  it('goes on as long as a statement removes as many as it may', async () => {
    const database = await remove({ days: 7, rows: 'r.old' }, { deleted: [5_000, 5_000, 4_999], now: at })
    const [limit, ...removals] = database.statements
    expect(limit?.bindings).to.deep.equal([at, 7])
    expect(removals.map(({ bindings }) => bindings)).to.deep.equal([{ before }, { before }, { before }])
    expect(removals[0]?.sql).to.include('things').and.to.include('r.old')
  })

  it('goes by the clock of the database where no time is told', async () => {
    const database = await remove({ days: 7, rows: 'r.old' })
    expect(database.statements[0]?.bindings).to.deep.equal([null, 7])
  })

  it('needs the time', async () => {
    const { knex } = new FakeDatabase()
    const failure = await removeOldRows(knex, 'things', { days: 1, rows: 'true' }).catch(
      (cause: Error) => cause.message,
    )
    expect(failure).to.equal('The database tells no time')
  })

  const listJobs = (count: number, hasEnded: (number: number) => boolean, from = 0) =>
    Array.from({ length: count }, (_, number) => ({ job: `job ${from + number}`, ended: hasEnded(number) }))

  it('looks at a thousand jobs at a time, each once, and removes the rows of those that have ended', async () => {
    const pages = [
      listJobs(1_000, (number) => number === 3),
      listJobs(1_000, () => false, 1_000),
      listJobs(999, (number) => number > 996, 2_000),
    ]
    const database = await remove({ days: 7, ofJobs: 'j.over' }, { pages })
    expect(database.find('with recursive').map(({ bindings }) => bindings)).to.deep.equal([
      { after: '00000000-0000-0000-0000-000000000000', before },
      { after: 'job 999', before },
      { after: 'job 1999', before },
    ])
    expect(database.find('with recursive')[0]?.sql).to.include('j.over')
    const removals = database.statements.filter(({ sql }) => sql.includes(':due'))
    expect(removals.map(({ bindings }) => bindings)).to.deep.equal([
      { due: ['job 3'] },
      { due: ['job 2997', 'job 2998'] },
    ])
  })

  it('ends with a table without rows, without a statement that removes', async () => {
    const database = await remove({ days: 7, ofJobs: 'j.over' })
    expect(database.statements).to.have.length(2)
  })

  it('concerns jobs that have ended before an instant', () => {
    expect(createEndedCondition('j')).to.equal(`j.status <> 'pending' and j.updated_at < :before`)
  })
})
