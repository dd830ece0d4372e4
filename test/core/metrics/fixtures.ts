import { expect } from 'chai'
import type { Client } from '../../support/client.ts'
import { repeatUntil, waitUntil } from '../../support/processes.ts'
import { areDaysCounted, countDaysAgain } from '../../support/rows/metrics/days.ts'
import type { Shop } from '../../support/world.ts'
import { getBody } from '../dpp/passports/fixtures.ts'
import { getOperator } from '../identity/people.ts'

/** An answer of either operation, as far as all tests read it. */
export interface Metrics {
  from: string
  to: string
  interval: string
  timeZone: string
  totals: Record<string, unknown>
  series: ({ at: string } & Record<string, unknown>)[]
}

/** Reads metrics. @param what `dpp` or `loyalty`, and a query: `dpp?interval=week` */
export async function readMetrics(api: Client, what: string): Promise<Metrics> {
  const answer = await api.get(`/v1/admin/metrics/${what}`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<Metrics>(answer)
}

/** Waits until the totals have these members. @returns the answer */
export const waitForTotals = (api: Client, what: string, wanted: Record<string, unknown>): Promise<Metrics> =>
  repeatUntil(
    `the totals of ${what} are ${JSON.stringify(wanted)}`,
    () => readMetrics(api, what),
    ({ totals }) =>
      Object.entries(wanted).every(([name, value]) => JSON.stringify(totals[name]) === JSON.stringify(value)),
  )

/** The points of a series that have something of a member: `2026-01-31 3`. */
export const listPoints = ({ series }: Metrics, member: string): string[] =>
  series.flatMap((point) => (point[member] ? [`${point.at} ${point[member] as string}`] : []))

/** Counts the days of a shop again from a day on. */
export async function repeatDays({ organization }: Shop, day: string): Promise<void> {
  const { db } = await getOperator()
  await countDaysAgain(db, organization, day)
  await waitForDays(organization)
}

/** Waits until no day of an organization has to be counted again. */
export async function waitForDays(organization: string): Promise<void> {
  const { db } = await getOperator()
  await waitUntil('all days are counted', () => areDaysCounted(db, organization))
}

/** Gives an organization a time zone, and waits until its days are those of the zone. */
export async function setTimeZone({ api, organization }: Shop, timeZone: string): Promise<void> {
  const changed = await api.patch(`/v1/organizations/${organization}`, { timeZone })
  expect(changed.status, changed.text).to.equal(200)
  await waitForDays(organization)
}
