import { userInfo } from 'node:os'
import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'

/** A decision that is kept for ever. */
export interface AuditEntry {
  /** Name of the person who made the decision. */
  actor: string
  /** The action, for example `gtin.assign`. */
  action: string
  /** The object of the action, for example a GTIN. */
  subject: string
  details: Record<string, unknown>
}

/** Records a decision in the transaction that carries it out. The database lets nobody change or delete the entry. */
export async function recordAudit(trx: Knex, { actor, action, subject, details }: AuditEntry): Promise<void> {
  await trx('audit_entries').insert({ id: newId(), actor, action, subject, details: JSON.stringify(details) })
}

/** Returns the name of the person at the command line: the machine account that the person works under. */
export const getOperatorName = (): string => `operator ${userInfo().username}`
