import { raw, type QueryBuilder } from 'objection'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'

/** A key of an organization. The sign-in library reads and writes the same table under its own model. */
export class ApiKeyModel extends Model {
  declare organization: string
  declare application: string | null
  declare name: string | null
  /** The permission map as JSON. */
  declare permissions: string | null
  /** What the library keeps beside a key, as JSON: the last four characters. */
  declare metadata: string | null
  declare enabled: boolean
  declare expiresAt: string | null
  declare lastRequest: string | null
  declare lastAddress: string | null
  declare isOver: boolean

  static override tableName = 'api_keys'
  static override modifiers = {
    /** Keys that are neither revoked nor expired. */
    working(query: QueryBuilder<ApiKeyModel>) {
      void query.where({ enabled: true }).whereRaw('(expires_at is null or expires_at > now())')
    },
    ofOrganization(query: QueryBuilder<ApiKeyModel>, organization: string) {
      void query
        .where('api_keys.organization', organization)
        .select('api_keys.*', raw('coalesce(api_keys.expires_at <= now(), false)').as('is_over'))
    },
  }
}

export const apiKeyColumns = {
  id: { sql: 'api_keys.id' },
  createdAt: { sql: 'api_keys.created_at' },
} satisfies Columns
