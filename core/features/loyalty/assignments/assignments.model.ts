import type { QueryBuilder } from 'objection'
import type { Network } from '../../../chains/networks.ts'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import type { assignmentStates } from './assignments.machine.ts'
import { createScopedEntity } from '../../../database/scoped-entity.ts'

/** Points and a tier for a person who has no account yet, or the record that an account got them. */
export class AssignmentModel extends Model {
  declare organization: string
  declare application: string
  declare network: Network
  /** In small letters. */
  declare email: string | null
  /** In E.164 form. */
  declare phoneNumber: string | null
  /** Decimal text. */
  declare points: string
  declare rewardTier: string | null
  declare status: (typeof assignmentStates)[number]
  /** The account that got it. */
  declare account: string | null

  static override tableName = 'account_assignments'
  static override modifiers = {
    ofOrganization(query: QueryBuilder<AssignmentModel>, organization: string) {
      void query.where('account_assignments.organization', organization)
    },
  }
}

export const assignmentColumns = {
  id: { sql: 'account_assignments.id' },
  createdAt: { sql: 'account_assignments.created_at' },
  updatedAt: { sql: 'account_assignments.updated_at' },
  'application.id': { sql: 'account_assignments.application' },
  status: { sql: 'account_assignments.status' },
  email: { sql: 'account_assignments.email', isLowerCase: true },
  phoneNumber: { sql: 'account_assignments.phone_number' },
} satisfies Columns

/** Assignments, as requests name them. */
export const assignmentEntity = createScopedEntity('account_assignments')
