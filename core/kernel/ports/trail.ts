import type { AuditAction } from '../words.ts'

/** An act that the audit trail of an organization has: what was done, and to what. */
export interface TrailAct {
  action: AuditAction
  target: {
    /** The noun of the thing, for example `member`. */
    kind: string
    /** A UUID. */
    id: string
    /** What people call it: a name or an e-mail address. It may be erased. */
    label?: string | null
  }
  /** What became of it, in words of ours that name no person, for example `viewer > admin`. */
  change?: string | null
}
