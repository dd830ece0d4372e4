import type { QueryBuilder } from 'objection'
import type { Network } from '../../chains/networks.ts'
import { Model } from '../../database/model.ts'
import type { ApplicationFeature } from './applications.schema.ts'
import type { StoredLoyaltySettings } from './settings.schema.ts'
import type { Theme } from './themes/theme.schema.ts'

export class Application extends Model {
  declare organization: string
  declare name: string
  declare slug: string
  declare domains: string[]
  declare websiteUrl: string | null
  declare features: ApplicationFeature[]
  declare defaultNetwork: Network
  declare theme: Theme
  declare loyaltySettings: StoredLoyaltySettings

  static override tableName = 'applications'
  static override jsonAttributes = ['theme', 'loyaltySettings']
  static override modifiers = {
    ofOrganization(query: QueryBuilder<Application>, organization: string) {
      void query.where('applications.organization', organization)
    },
  }
}
