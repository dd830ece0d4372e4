import type { Knex } from 'knex'
import { createAccountJoinSql } from '../../accounts/index.ts'
import { createPostedBetweenSql } from '../../../ledger/index.ts'
import { visitsBookName } from '../visits/index.ts'
import type { CampaignModel } from './campaigns.model.ts'
import type { CampaignStats } from './campaigns.schema.ts'

interface VisitorCounts {
  notified: number
  visited: number
  held_visited: number
}

const noVisitors: VisitorCounts = { notified: 0, visited: 0, held_visited: 0 }

/**
 * Computes what came of a campaign at this moment. A customer counts once, however many wallets and visits they have. A
 * visit counts if it was within the window after sending began, for those who got the message and those who got nothing
 * alike; what was corrected by hand is no visit.
 */
export async function readStatistics(db: Knex, campaign: CampaignModel): Promise<CampaignStats> {
  const { pending, sent, failed, excludedCap, excludedOptOut, holdoutSize } = campaign
  const counts = campaign.sentAt === null ? noVisitors : await countVisitors(db, campaign)
  const conversionRate = divide(counts.visited, counts.notified)
  const holdoutRate = divide(counts.held_visited, holdoutSize)
  return {
    deliveries: { pending, sent, failed, excludedFrequencyCap: excludedCap, excludedOptOut },
    recipientsNotified: counts.notified,
    recipientsVisited: counts.visited,
    conversionRate,
    holdout: holdoutSize === 0 ? null : { size: holdoutSize, visited: counts.held_visited, rate: holdoutRate },
    lift: holdoutRate === 0 ? null : conversionRate / holdoutRate - 1,
  }
}

/** The share of nothing is 0. */
const divide = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

/** Accounts that got the message by any channel. */
const notifiedSql = `select account from campaign_deliveries
  where campaign = ? and status in ('pushed', 'fetched') group by account`

/**
 * Counts who was notified and who came. The newest visit of an account, which stands beside it, tells at once that most did
 * not come; the ledger is asked about the others only.
 */
async function countVisitors(
  db: Knex,
  { id, channels, sent, sentAt, conversionWindowDays, holdoutSize }: CampaignModel,
): Promise<VisitorCounts> {
  const window = [visitsBookName, 'visit', sentAt, sentAt, conversionWindowDays]
  const visitedSql = (accounts: string) =>
    `select count(*)::int from (${accounts}) r ${createAccountJoinSql('r.account')}
     where a.last_visit_at > ? and ${createPostedBetweenSql('a.id')}`
  // With one channel, every sent delivery is an account.
  const isCounted = channels.length === 1
  const { rows } = await db.raw<{ rows: [VisitorCounts] }>(
    `select ${isCounted ? '?::int' : `(select count(*) from (${notifiedSql}) n)::int`} as notified,
       (${visitedSql(notifiedSql)}) as visited,
       (${holdoutSize === 0 ? '0' : visitedSql('select account from campaign_holdouts where campaign = ?')}) as held_visited`,
    [
      isCounted ? sent : id,
      id,
      sentAt,
      ...window,
      ...(holdoutSize === 0 ? [] : [id, sentAt, ...window]),
    ] as Knex.RawBinding[],
  )
  return rows[0]
}
