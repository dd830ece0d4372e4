import { raw, type QueryBuilder } from 'objection'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import type { Role } from '../../../kernel/permission.ts'
import type { invitationStates } from './invitations.machine.ts'
import type { Invitation } from './invitations.schema.ts'

/** The state as people see it: that of the column in plain words, or expired. */
const shownStatusSql = `case when invitations.status = 'pending' and invitations.expires_at <= now() then 'expired'
  else case invitations.status when 'rejected' then 'declined' when 'canceled' then 'withdrawn' else invitations.status end end`

/** An invitation to an organization. The sign-in library has the same table under its own model. */
export class InvitationModel extends Model {
  declare organizationId: string
  /** In small letters. */
  declare email: string
  declare role: Role
  declare status: (typeof invitationStates)[number]
  declare inviterId: string
  declare expiresAt: string
  /** The state as people see it, by the clock of the database. */
  declare shownStatus: Invitation['status']

  static override tableName = 'invitations'
  static override modifiers = {
    withShownStatus(query: QueryBuilder<InvitationModel>) {
      void query.select('invitations.*', raw(shownStatusSql).as('shown_status'))
    },
    ofOrganization(query: QueryBuilder<InvitationModel>, organization: string) {
      void query.modify('withShownStatus').where('invitations.organization_id', organization)
    },
    /** Selects what can still be accepted. */
    open(query: QueryBuilder<InvitationModel>) {
      void query.whereRaw(`(${shownStatusSql}) = 'pending'`)
    },
  }
}

export const invitationColumns = {
  id: { sql: 'invitations.id' },
  createdAt: { sql: 'invitations.created_at' },
  expiresAt: { sql: 'invitations.expires_at' },
  email: { sql: 'invitations.email', isLowerCase: true },
  status: { sql: `(${shownStatusSql})` },
} satisfies Columns
