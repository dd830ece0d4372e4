import { expect } from 'chai'
import { v7 } from 'uuid'
import { maintainEventMonths } from '../../../core/features/events/index.ts'
import type { Context } from '../../../core/kernel/work.ts'
import {
  countEvents,
  countEventsOfMonth,
  countEventsWithoutMonth,
  dropEventMonth,
  formatEventMonth,
  makeEventMonth,
} from '../../support/rows/events/event-months.ts'
import { insertOldEvents, listEventMonths } from '../../support/rows/events/old-events.ts'
import { useServers } from '../queue/servers.ts'

describe('Partitions of events by month', () => {
  const servers = useServers()
  const organization = v7()

  const keep = (eventRetentionDays: number) =>
    maintainEventMonths({ db: servers().db, settings: { eventRetentionDays } } as Context)
  const insert = (createdAt: Date) =>
    insertOldEvents(servers().db, { organization, application: v7(), count: 1, createdAt })
  const months = () => listEventMonths(servers().db)
  const ahead = (count: number) => {
    const now = new Date()
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + count, 1))
  }
  const total = () => countEvents(servers().db, organization)

  it('are there before they begin', async () => {
    const there = await months()
    for (const count of [0, 1, 2, 3]) expect(there).to.include(formatEventMonth(ahead(count)))
    await dropEventMonth(servers().db, ahead(3))
    await Promise.all([keep(400), keep(400)])
    expect(await months()).to.include(formatEventMonth(ahead(3)))
  })

  it('take over what was written before they were made', async () => {
    const { db } = servers()
    await dropEventMonth(db, ahead(3))
    await insert(ahead(3))
    expect(await countEventsWithoutMonth(db)).to.equal(1)
    await keep(400)
    expect(await countEventsOfMonth(db, ahead(3))).to.equal(1)
    expect(await countEventsWithoutMonth(db)).to.equal(0)
    expect(await total()).to.equal(1)
  })

  it('are dropped as a whole once all of them is past the retention', async () => {
    for (const month of ['2020-01-01', '2020-02-01']) await makeEventMonth(servers().db, new Date(month))
    await insert(new Date('2020-01-31T23:59:59.999Z'))
    await insert(new Date('2020-02-01T00:00:00.000Z'))
    await insert(new Date())
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
