import type { Work } from '../../kernel/work.ts'
import { readApplication } from '../applications/index.ts'
import { countPassportsByStatus } from '../dpp/index.ts'
import { type CampaignDay, readCampaignDays } from '../loyalty/index.ts'
import { readOrganizationDays } from '../identity/index.ts'
import { readDppFigures, readLoyaltyFigures, type DaysSubject, type DppFigures } from './days.reads.ts'
import type { DppMetrics, LoyaltyMetrics } from './metrics.schema.ts'
import { createPeriod, type Period, type PeriodQuery } from './periods.ts'

export interface MetricsQuery extends PeriodQuery {
  application?: string
}

/**
 * Reads what happened to the passports of an organization in a period.
 * @throws NOT_FOUND for an application that is not the organization's; INVALID_REQUEST for a period that there is not
 */
export async function readDppMetrics(work: Work, organization: string, query: MetricsQuery): Promise<DppMetrics> {
  const { subject, period } = await resolveQuery(work, organization, query)
  const direct = work.context.directDatabase
  const [{ totals, series }, passportsByStatus] = await Promise.all([
    readDppFigures(direct, subject, period, noDppFigures),
    countPassportsByStatus(direct, subject),
  ])
  return { ...presentPeriod(period), totals: { ...totals, passportsByStatus }, series }
}

/**
 * Reads what the accounts of an organization did in a period.
 * @throws NOT_FOUND for an application that is not the organization's; INVALID_REQUEST for a period that there is not
 */
export async function readLoyaltyMetrics(
  work: Work,
  organization: string,
  query: MetricsQuery,
): Promise<LoyaltyMetrics> {
  const { subject, period } = await resolveQuery(work, organization, query)
  const [figures, days] = await Promise.all([
    readLoyaltyFigures(work.context.directDatabase, subject, period, noLoyaltyFigures),
    readCampaignDays(work.context.db, { ...subject, ...period }),
  ])
  for (const day of days) {
    addCampaigns(figures.totals, day)
    const point = figures.series.findLast(({ at }) => at <= day.day)
    if (point) addCampaigns(point, day)
  }
  return { ...presentPeriod(period), ...figures }
}

/** Adds campaigns to the figures of a period or of one of its points. */
function addCampaigns(figures: CampaignFigures, day: CampaignDay): void {
  figures.campaignsSent += day.campaignsSent
  figures.recipientsNotified += day.recipientsNotified
  figures.recipientsVisited += day.recipientsVisited
  const { recipientsNotified: notified, recipientsVisited: visited } = figures
  figures.conversionRate = notified === 0 ? null : visited / notified
}

async function resolveQuery(
  work: Work,
  organization: string,
  { application, ...query }: MetricsQuery,
): Promise<{ subject: DaysSubject; period: Period }> {
  const period = createPeriod(query, await readOrganizationDays(work.context.directDatabase, organization))
  if (application !== undefined) await readApplication(work, application)
  return { subject: { organization, application: application ?? null }, period }
}

const presentPeriod = ({ from, to, interval, timeZone }: Period) => ({ from, to, interval, timeZone })

const noDppFigures: DppFigures = {
  passportsCreated: 0,
  passportsPublished: 0,
  passportsMinted: 0,
  claims: 0,
  scans: 0,
  certified: 0,
  certifyFailed: 0,
  importsCompleted: 0,
}

type CampaignFigures = Omit<CampaignDay, 'day'> & { conversionRate: number | null }

const noCampaigns: CampaignFigures = {
  campaignsSent: 0,
  recipientsNotified: 0,
  recipientsVisited: 0,
  conversionRate: null,
}

const noLoyaltyFigures = {
  accountsCreated: 0,
  activeAccounts: 0,
  visits: 0,
  pointsMinted: '0',
  pointsBurnt: '0',
  pointsExpired: '0',
  orders: 0,
  ...noCampaigns,
}
