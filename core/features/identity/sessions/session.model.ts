import type { QueryBuilder } from 'objection'
import { Model } from '../../../database/model.ts'
import type { SessionCaller } from '../../../kernel/caller.ts'

/** A session as its owner's list reads it: without the token's hash. */
export class Session extends Model {
  declare ipAddress: string | null
  declare userAgent: string | null
  declare lastSeenAt: string

  static override tableName = 'sessions'
  static override modifiers = {
    /** Selects unexpired sessions of the same person, kind and application as the caller's. */
    besideCaller(query: QueryBuilder<Session>, caller: SessionCaller) {
      void query
        .where('sessions.user_id', caller.user)
        .where('sessions.kind', caller.kind)
        .whereRaw('sessions.application is not distinct from ?::uuid', [
          caller.kind === 'endUser' ? caller.application : null,
        ])
        .whereRaw('sessions.expires_at > now()')
    },
  }
}
