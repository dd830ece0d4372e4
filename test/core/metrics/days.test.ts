import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { insertPastEntries, insertPastEvents, type PastEntry } from '../../support/rows/metrics/days.ts'
import { buildApplication, buildShop, type Shop } from '../../support/world.ts'
import { getOperator } from '../identity/people.ts'
import { listPoints, readMetrics, repeatDays, setTimeZone } from './fixtures.ts'

const dayMs = 86_400_000
const formatDay = (time: number) => new Date(time).toISOString().slice(0, 10)
/** A Monday, at least so many days ago: events of that time are still kept. */
function findMonday(daysAgo: number): number {
  const then = Date.now() - daysAgo * dayMs
  return Date.parse(formatDay(then - ((new Date(then).getUTCDay() + 6) % 7) * dayMs))
}
const createDay = (beginning: number) => (number: number) => formatDay(beginning + number * dayMs)
const day = createDay(findMonday(20))

describe('Days of metrics', function () {
  this.timeout(120_000)
  let shop: Shop
  beforeEach(async () => {
    shop = await buildShop()
  })

  it('begin at midnight in the time zone of the organization, and are counted again when it changes', async () => {
    const { db } = await getOperator()
    const at = (time: string) => ({ subject: 'dppPassport', type: 'create', at: `${day(1)}T${time}Z` }) as const
    await insertPastEvents(db, shop, [
      at('00:00:00'),
      at('12:00:00'),
      at('18:14:59.999'),
      at('18:15:00'),
      at('23:59:59'),
    ])
    await repeatDays(shop, day(0))
    const query = `dpp?from=${day(0)}&to=${day(2)}`
    expect(listPoints(await readMetrics(shop.api, query), 'passportsCreated')).to.deep.equal([`${day(1)} 5`])

    // Kathmandu is 5:45 h ahead, Niue 11 h behind.
    await setTimeZone(shop, 'Asia/Kathmandu')
    const ahead = await readMetrics(shop.api, query)
    expect(ahead.timeZone).to.equal('Asia/Kathmandu')
    expect(listPoints(ahead, 'passportsCreated')).to.deep.equal([`${day(1)} 3`, `${day(2)} 2`])
    await setTimeZone(shop, 'Pacific/Niue')
    const behind = await readMetrics(shop.api, query)
    expect(listPoints(behind, 'passportsCreated')).to.deep.equal([`${day(0)} 1`, `${day(1)} 4`])
    expect(behind.totals['passportsCreated']).to.equal(5)
  })

  it('make weeks from Monday and months from the 1st, the first of them from the beginning of the period', async () => {
    const { db } = await getOperator()
    const events = Array.from({ length: 14 }, (_, number) => ({
      subject: 'wallet' as const,
      type: 'create',
      at: `${day(number)}T10:00:00Z`,
    }))
    await insertPastEvents(db, shop, events)
    await repeatDays(shop, day(0))
    const read = async (query: string) => listPoints(await readMetrics(shop.api, `loyalty?${query}`), 'accountsCreated')
    expect(await read(`from=${day(0)}&to=${day(13)}&interval=week`)).to.deep.equal([`${day(0)} 7`, `${day(7)} 7`])
    expect(await read(`from=${day(2)}&to=${day(8)}&interval=week`)).to.deep.equal([`${day(2)} 5`, `${day(7)} 2`])
    const months = Map.groupBy(events, ({ at }) => at.slice(0, 7))
    expect(await read(`from=${day(0)}&to=${day(13)}&interval=month`)).to.deep.equal(
      [...months].map(([month, own], number) => `${number === 0 ? day(0) : `${month}-01`} ${own.length}`),
    )
  })

  it('count an account once in each point and once in the whole, whatever the period', async () => {
    const { db } = await getOperator()
    const beginning = findMonday(110)
    const day = createDay(beginning)
    const other = await buildApplication(shop.organization)
    // Some accounts come often, some never again, some after a long time; the same ones in the same order each time.
    let seed = 7
    const random = (limit: number) => (seed = (seed * 48_271) % 2_147_483_647) % limit
    const accounts = Array.from({ length: 40 }, (_, number) => ({
      account: randomUUID(),
      application: number % 4 === 0 ? other : shop.application,
      days: [...new Set(Array.from({ length: 1 + random(12) }, () => random(100)))].sort((a, b) => a - b),
    }))
    for (const application of [shop.application, other]) {
      const entries = accounts
        .filter((one) => one.application === application)
        .flatMap(({ account, days }) =>
          days.flatMap((number): PastEntry[] => [
            { account, book: 'visits', kind: 'visit', amount: 1, at: `${day(number)}T00:00:00.000Z` },
            { account, book: 'points', kind: 'mint', amount: 5, at: `${day(number)}T23:59:59.999Z` },
            // What expires is nothing that the account did.
            { account, book: 'points', kind: 'expire', amount: -1, at: `${day(number + 1)}T12:00:00.000Z` },
          ]),
        )
      await insertPastEntries(db, { organization: shop.organization, application }, entries)
    }
    await repeatDays(shop, day(0))

    const countActive = (from: number, to: number, application: string | null) =>
      accounts.filter(
        (one) =>
          (application === null || one.application === application)
          && one.days.some((number) => number >= from && number <= to),
      ).length
    const numberOf = (at: string) => Math.round((Date.parse(at) - beginning) / dayMs)
    const check = async (from: number, to: number, interval: string, application: string | null) => {
      const query = `loyalty?from=${day(from)}&to=${day(to)}&interval=${interval}`
      const own = await readMetrics(shop.api, application === null ? query : `${query}&application=${application}`)
      expect(own.totals['activeAccounts'], query).to.equal(countActive(from, to, application))
      own.series.forEach(({ at, activeAccounts }, point) => {
        const next = own.series[point + 1]
        const last = next === undefined ? to : numberOf(next.at) - 1
        expect(activeAccounts, `${query} at ${at}`).to.equal(countActive(numberOf(at), last, application))
      })
    }
    for (const application of [null, shop.application, other])
      for (const interval of ['day', 'week', 'month'])
        for (const [from, to] of [
          [0, 101],
          [3, 3],
          [10, 60],
          [45, 99],
        ] as const)
          await check(from, to, interval, application)
    const { totals } = await readMetrics(shop.api, `loyalty?from=${day(0)}&to=${day(101)}`)
    const days = accounts.reduce((sum, one) => sum + one.days.length, 0)
    expect(totals).to.include({ visits: days, pointsMinted: String(days * 5), pointsExpired: String(days), orders: 0 })
  })
})
