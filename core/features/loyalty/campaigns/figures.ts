import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import type { CampaignModel } from './campaigns.model.ts'
import { finishDueCampaigns, listOpenCampaigns, recordRecipients } from './campaigns.store.ts'
import { readStatistics } from './statistics.ts'

const batchSize = 100

/** Counts for campaigns that are open who got them and who came, and then finishes those whose window is over. */
export async function sweepCampaigns({ db, log }: Pick<Context, 'db' | 'log'>): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (let count = batchSize; count === batchSize;) {
    const campaigns = await listOpenCampaigns(db, after, batchSize)
    for (const campaign of campaigns) {
      // One that cannot be counted keeps no other one from being finished.
      await measureCampaign(db, campaign).catch((cause: unknown) =>
        log.error({ err: cause, campaign: campaign.id }, 'who came after a campaign could not be counted'),
      )
    }
    after = campaigns.at(-1)?.id ?? after
    count = campaigns.length
  }
  await finishDueCampaigns(db)
}

async function measureCampaign(db: Knex, campaign: CampaignModel): Promise<void> {
  const { recipientsNotified: notified, recipientsVisited: visited } = await readStatistics(db, campaign)
  await recordRecipients(db, campaign.id, { notified, visited })
}

/** Campaigns that were sent on a day, and how many customers got them and came. */
export interface CampaignDay {
  /** The local day, `YYYY-MM-DD`. */
  day: string
  campaignsSent: number
  recipientsNotified: number
  recipientsVisited: number
}

/** Whose campaigns are counted, and when they were sent: local days, both among them. */
export interface CampaignPeriod {
  organization: string
  /** Null for all of the organization. */
  application: string | null
  from: string
  to: string
  timeZone: string
}

/** Reads the campaigns of a period by the days on which they were sent, as they were counted in the last hour. */
export async function readCampaignDays(
  db: Knex,
  { organization, application, from, to, timeZone }: CampaignPeriod,
): Promise<CampaignDay[]> {
  const { rows } = await db.raw<{ rows: CampaignDay[] }>(
    `select (sent_at at time zone :timeZone)::date::text as day, count(*)::int as "campaignsSent",
       sum(recipients_notified)::int as "recipientsNotified", sum(recipients_visited)::int as "recipientsVisited"
     from campaigns where organization = :organization and (:application::uuid is null or application = :application)
       and sent_at >= (:from::date::timestamp at time zone :timeZone)
       and sent_at < ((:to::date + 1)::timestamp at time zone :timeZone)
     group by 1 order by 1`,
    { organization, application, from, to, timeZone } as Record<string, Knex.RawBinding>,
  )
  return rows
}
