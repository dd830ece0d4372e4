import type { QueryBuilder } from 'objection'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import type { Role } from '../../../kernel/permission.ts'

/** A person's role in an organization. The sign-in library reads and writes the same table under its own model. */
export class MemberModel extends Model {
  declare organizationId: string
  declare userId: string
  declare role: Role
  /** Name and e-mail address of the person. */
  declare userName: string
  declare userEmail: string

  static override tableName = 'members'
  static override modifiers = {
    /** Selects the members of an organization with their persons. */
    ofOrganization(query: QueryBuilder<MemberModel>, organization: string) {
      void query
        .join('users', 'users.id', 'members.user_id')
        .where('members.organization_id', organization)
        .select('members.*', 'users.name as user_name', 'users.email as user_email')
    },
  }
}

export const memberColumns = {
  id: { sql: 'members.id' },
  createdAt: { sql: 'members.created_at' },
  role: { sql: 'members.role' },
  'user.email': { sql: 'users.email', isLowerCase: true },
} satisfies Columns
