import { raw, type QueryBuilder } from 'objection'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import type { Role } from '../../../kernel/permission.ts'
import type { StoredSettings } from './organizations.settings.ts'

/** A customer of the platform. The sign-in library reads and writes the same table under its own model. */
export class OrganizationModel extends Model {
  declare name: string
  declare slug: string
  declare customerType: 'company' | 'individual'
  declare preferredCurrency: 'EUR' | 'USD' | null
  declare settings: StoredSettings
  declare timeZone: string
  declare locale: string
  /** When it was deleted, or null. */
  declare deletedAt: string | null
  declare erasedAt: string | null
  /** Only in lists: the role of the member who asks, or null for a key. */
  declare role?: Role | null

  static override tableName = 'organizations'
  static override jsonAttributes = ['settings']
  static override modifiers = {
    /** Selects the organizations of a person, each with the person's role. Deleted ones are left out. */
    ofUser(query: QueryBuilder<OrganizationModel>, user: string) {
      void query
        .join('members', 'members.organization_id', 'organizations.id')
        .where('members.user_id', user)
        .whereNull('organizations.deleted_at')
        .select('organizations.*', 'members.role')
    },
    /** Selects the organization of a key, which has no role. */
    ofKey(query: QueryBuilder<OrganizationModel>, organization: string) {
      void query.where('organizations.id', organization).select('organizations.*', raw('null').as('role'))
    },
    /**
     * Selects what a person may read: the organizations with that person as a member, unless they were deleted; an
     * operator of the platform all.
     */
    readableBy(query: QueryBuilder<OrganizationModel>, user: string) {
      void query.whereRaw(
        `(organizations.deleted_at is null
            and exists (select from members m where m.organization_id = organizations.id and m.user_id = ?)
          or exists (select from users u where u.id = ? and u.super_admin))`,
        [user, user],
      )
    },
  }
}

export const organizationColumns = {
  id: { sql: 'organizations.id' },
  createdAt: { sql: 'organizations.created_at' },
  updatedAt: { sql: 'organizations.updated_at' },
  name: { sql: 'organizations.name' },
} satisfies Columns
