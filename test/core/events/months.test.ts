import { expect } from 'chai'
import { v7 } from 'uuid'
import { maintainEventMonths } from '../../../core/features/events/index.ts'
import type { Context } from '../../../core/kernel/work.ts'
import { useServers } from '../queue/servers.ts'

describe('Partitions of events by month', () => {
  const servers = useServers()
  const organization = v7()

  const keep = (eventRetentionDays: number) =>
    maintainEventMonths({ db: servers().db, settings: { eventRetentionDays } } as Context)
  const insert = (created_at: string) =>
    servers().db('events').insert({
      id: v7(),
      organization,
      application: v7(),
      application_name: 'A',
      subject: 'wallet',
      type: 'create',
      created_at,
    })
  const months = async () =>
    (
      await servers().db.raw<{ rows: { name: string }[] }>(
        `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'events'::regclass order by 1`,
      )
    ).rows.map(({ name }) => name)
  const monthOf = (date: Date) => `events_${date.toISOString().slice(0, 7).replace('-', '_')}`
  const ahead = (count: number) => {
    const now = new Date()
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + count, 1))
  }
  const total = async () =>
    Number((await servers().db('events').where({ organization }).count({ count: '*' }))[0]?.['count'])

  it('are there before they begin', async () => {
    const there = await months()
    for (const count of [0, 1, 2, 3]) expect(there).to.include(monthOf(ahead(count)))
    await servers().db.schema.dropTable(monthOf(ahead(3)))
    await Promise.all([keep(400), keep(400)])
    expect(await months()).to.include(monthOf(ahead(3)))
  })

  it('take over what was written before they were made', async () => {
    const later = monthOf(ahead(3))
    await servers().db.schema.dropTable(later)
    await insert(ahead(3).toISOString())
    expect(Number((await servers().db('events_rest').count({ count: '*' }))[0]?.['count'])).to.equal(1)
    await keep(400)
    expect(Number((await servers().db(later).count({ count: '*' }))[0]?.['count'])).to.equal(1)
    expect(Number((await servers().db('events_rest').count({ count: '*' }))[0]?.['count'])).to.equal(0)
    expect(await total()).to.equal(1)
  })

  it('are dropped as a whole once all of them is past the retention', async () => {
    for (const month of ['2020-01-01', '2020-02-01'])
      await servers().db.raw('select make_events_month(?::date)', [month])
    await insert('2020-01-31T23:59:59.999Z')
    await insert('2020-02-01T00:00:00.000Z')
    await insert(new Date().toISOString())
    const before = await total()
    const days = Math.floor((Date.now() - Date.UTC(2020, 1, 10)) / 86_400_000)
    await keep(days)
    expect(await months())
      .to.include('events_2020_02')
      .and.not.include('events_2020_01')
    expect(await total()).to.equal(before - 1)
    await keep(400)
    expect(await months()).not.to.include('events_2020_02')
    expect(await total()).to.equal(before - 2)
  })
})
