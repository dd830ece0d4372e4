import type { QueryBuilder } from 'objection'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import { createScopedEntity } from '../../../database/scoped-entity.ts'
import type { CardChannel } from '../../accounts/index.ts'
import type { CampaignState } from './campaigns.machine.ts'
import type { Targeting } from './targeting.schema.ts'

/** A message to the cards of an application's customers. */
export class CampaignModel extends Model {
  declare organization: string
  declare application: string
  declare name: string
  declare description: string | null
  declare channels: CardChannel[]
  declare targeting: Targeting
  declare headline: string | null
  declare body: string | null
  declare status: CampaignState
  declare sendAt: string | null
  declare scheduledImmediately: boolean
  /** Accounts that it is for, as they were when it was sent. */
  declare audienceSize: number | null
  /** Those among them that get nothing. */
  declare holdoutSize: number
  declare conversionWindowDays: number
  /** The job that sends it. */
  declare job: string | null
  /** The last account of the audience that is written down, and how many there were. */
  declare frozenAfter: string | null
  declare frozenAccounts: number
  /** When all of its deliveries stood in their table. */
  declare frozenAt: string | null
  declare deliveredAt: string | null
  declare sentAt: string | null
  declare finishedAt: string | null
  declare pending: number
  declare sent: number
  declare failed: number
  declare excludedCap: number
  declare excludedOptOut: number

  static override tableName = 'campaigns'
  static override jsonAttributes = ['targeting']
  static override modifiers = {
    ofOrganization(query: QueryBuilder<CampaignModel>, organization: string) {
      void query.where('campaigns.organization', organization)
    },
  }
}

export const campaignColumns = {
  id: { sql: 'campaigns.id' },
  createdAt: { sql: 'campaigns.created_at' },
  updatedAt: { sql: 'campaigns.updated_at' },
  'application.id': { sql: 'campaigns.application' },
  status: { sql: 'campaigns.status' },
  name: { sql: 'campaigns.name' },
  sendAt: { sql: 'campaigns.send_at' },
} satisfies Columns

/** Campaigns, as requests name them. */
export const campaignEntity = createScopedEntity('campaigns')
