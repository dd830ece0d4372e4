import type { QueryBuilder } from 'objection'
import type { Columns } from '../../database/list/index.ts'
import { Model } from '../../database/model.ts'
import type { AuditAction } from '../../kernel/words.ts'
import type { TrailActor } from './trail.append.ts'

/** An entry of the trail as it is stored. What names a person is null once the person was erased. */
export class TrailModel extends Model {
  declare organization: string
  declare at: string
  declare action: AuditAction
  declare actorKind: TrailActor['kind']
  declare actorId: string | null
  declare actorLabel: string | null
  declare address: string | null
  declare requestId: string | null
  declare targetKind: string
  declare targetId: string
  declare targetLabel: string | null
  declare change: string | null

  static override tableName = 'audit_trail'
  static override modifiers = {
    ofOrganization(query: QueryBuilder<TrailModel>, organization: string) {
      void query.where('audit_trail.organization', organization)
    },
  }
}

/** Columns that the trail can be filtered and sorted by. */
export const trailColumns = {
  at: { sql: 'audit_trail.at' },
  action: { sql: 'audit_trail.action' },
  actor: { sql: 'audit_trail.actor_label' },
} satisfies Columns
