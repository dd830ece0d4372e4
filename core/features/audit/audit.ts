import { userInfo } from 'node:os'
import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'

/** A decision that is kept for ever. */
export interface AuditEntry {
  /** Who decided. */
  actor: string
  /** What was done, as `gtin.assign`. */
  action: string
  /** What it was done to, as a GTIN. */
  subject: string
  details: Record<string, unknown>
}

/** Records a decision in the transaction that carries it out. The database lets nobody change or delete it. */
export async function recordAudit(trx: Knex, { actor, action, subject, details }: AuditEntry): Promise<void> {
  await trx('audit_entries').insert({ id: newId(), actor, action, subject, details: JSON.stringify(details) })
}

/** Names the person at the command line, by the account of the machine that they work under. */
export const operatorName = (): string => `operator ${userInfo().username}`
