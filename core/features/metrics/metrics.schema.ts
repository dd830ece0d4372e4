import {
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  Type,
  uuid,
  type Static,
} from '../../kernel/schema.ts'
import { pointsText } from '../loyalty/index.ts'
import { intervals, maxPoints } from './periods.ts'

const date = (description: string) => string(description, { format: 'date', examples: ['2026-11-28'] })
const count = (description: string) => integer(description, { minimum: 0 })

export const metricsQuery = {
  from: optional(date('First day; 29 days before `to` by default.')),
  to: optional(date('Last day; today by default.')),
  application: optional(uuid('Only this application.')),
  interval: optional(oneOf(intervals, 'What a point covers; weeks begin on Monday.', { default: 'day' })),
}

const at = date('First day of the point: of a week its Monday, of a month the 1st, or `from` if that is later.')

const dppFigures = {
  passportsCreated: count('Passports made, drafts included.'),
  passportsPublished: count('Passports that became visible to everybody.'),
  passportsMinted: count('Tokens made on a network.'),
  claims: count('Passports claimed.'),
  scans: count('Pages, QR codes and credentials opened; by one visitor within 30 minutes, once a passport.'),
  certified: count('Versions certified.'),
  certifyFailed: count('Certifications that failed.'),
  importsCompleted: count('Imports that came to their end.'),
}

const loyaltyFigures = {
  accountsCreated: count('Accounts made.'),
  activeAccounts: count('Different accounts with a visit or an entry of points, an expiry apart.'),
  visits: count('Times that customers came, as recorded.'),
  pointsMinted: pointsText('Points credited.'),
  pointsBurnt: pointsText('Points taken, reversals included.'),
  pointsExpired: pointsText('Points that nobody spent in time.'),
  orders: count('Orders that earned points.'),
  campaignsSent: count('Campaigns whose sending began.'),
  recipientsNotified: count('Customers who got them, as counted in the last hour.'),
  recipientsVisited: count('Those who came within the window of their campaign, as counted in the last hour.'),
  conversionRate: nullable(
    Type.Number({ description: '`recipientsVisited` of `recipientsNotified`; null without any.' }),
  ),
}

const describePeriod = {
  from: date('First day.'),
  to: date('Last day.'),
  interval: oneOf(intervals, 'What a point covers.'),
  timeZone: string('IANA time zone of the organization, in which the days begin.'),
}

export const DppMetrics = object(
  {
    ...describePeriod,
    totals: object(
      {
        ...dppFigures,
        passportsByStatus: object(
          {
            draft: count('Drafts.'),
            published: count('Passports that everybody sees and nobody has claimed.'),
            claimed: count('Passports that belong to a buyer.'),
            archived: count('Passports that are out of use.'),
          },
          { description: 'Passports by their status now.' },
        ),
      },
      { description: 'The whole period.' },
    ),
    series: list(object({ at, ...dppFigures }), 'One item a point, those without anything included.', {
      maxItems: maxPoints,
    }),
  },
  { title: 'DppMetrics', description: 'What happened to passports.' },
)
export type DppMetrics = Static<typeof DppMetrics>

export const LoyaltyMetrics = object(
  {
    ...describePeriod,
    totals: object(loyaltyFigures, { description: 'The whole period; accounts are counted once in it.' }),
    series: list(object({ at, ...loyaltyFigures }), 'One item a point, those without anything included.', {
      maxItems: maxPoints,
    }),
  },
  { title: 'LoyaltyMetrics', description: 'What accounts did.' },
)
export type LoyaltyMetrics = Static<typeof LoyaltyMetrics>
