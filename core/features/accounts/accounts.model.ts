import type { QueryBuilder } from 'objection'
import type { Network } from '../../chains/networks.ts'
import { Model } from '../../database/model.ts'

export class AccountModel extends Model {
  declare organization: string
  declare application: string
  declare network: Network
  declare address: string
  declare userId: string
  declare name: string | null
  declare birthDate: string | null
  declare locale: string | null

  static override tableName = 'accounts'

  static override modifiers = {
    ofOrganization(query: QueryBuilder<AccountModel>, organization: string) {
      void query.where('accounts.organization', organization)
    },
  }
}
